"""Copy: a copy of a tensor's contents that a run had to make, and why."""

from __future__ import annotations

from ...basics.counted import counted
from ...basics.data_class import dataclass
from .port import Port
from .snapshot import StateInfo


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a tensor's contents in the memory of the host.

    What a device does with a tensor (its layout, its element type) is a transfer, and none of these.

    Attributes:
        port: of the model; or the state that was copied.
        nbytes: that were written.
        reason: why it had to be.
    """

    port: Port | StateInfo
    nbytes: int
    reason: str

    def __str__(self) -> str:
        return f"{self.port.where}: {counted(self.nbytes, 'byte')}, {self.reason}"
