"""Copy: a copy of a tensor's contents in a run, with its reason."""

from __future__ import annotations

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from .port import Port
from .snapshot import StateInfo


@dataclass(frozen=True, slots=True)
class Copy(Brief):
    """A copy of a tensor's contents in host memory.

    A transfer to or from a device, with its change of layout or element type, is not a copy.

    Attributes:
        port: the port of the tensor, or the copied state.
        nbytes: the number of written bytes.
        reason: why the copy was necessary.
    """

    port: Port | StateInfo
    nbytes: int
    reason: str

    def __str__(self) -> str:
        return f"{self.port.where}: {counted(self.nbytes, 'byte')}, {self.reason}"
