"""Telemetry: the activity of a device, and the use of its memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief


@dataclass(frozen=True, slots=True)
class Telemetry(Brief):
    """A reading of a device. The times of a simulated device are its simulated times, which are estimates.

    Attributes:
        memory: taken bytes of the device's memory, by their use; they add up to ``allocated_bytes``.
        peak_bytes: the most bytes that were taken at once since ``Core.reset_peak_memory``, or ever.
        total_bytes: the bytes of the device's memory; None where the size is not known.
        in_flight: the number of runs that have begun and not ended.
        waiting: the number of these runs that wait for their turn.
        elapsed_us: time since the reading before, on the device's own clock.
        compute_use: the share of this time, 0 to 1, in which compute units were busy, by their number; 0 in no time.
        transfer_use: the share of this time, 0 to 1, in which engines moved data from and to the host.
        by_model: ``memory`` for each compiled model by its name; "" has the memory that belongs to no model, remote
            tensors. Empty where the device does not tell.
    """

    memory: Mapping[str, int]
    peak_bytes: int
    total_bytes: int | None
    in_flight: int
    waiting: int
    elapsed_us: float
    compute_use: float
    transfer_use: float
    by_model: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The reading as data for JSON."""
        return {**asdict(self), "allocated_bytes": self.allocated_bytes, "free_bytes": self.free_bytes}

    @property
    def allocated_bytes(self) -> int:
        """Bytes that are taken of the device's memory."""
        return sum(self.memory.values())

    @property
    def free_bytes(self) -> int | None:
        """Bytes of the device's memory that nothing takes; None where nothing says how much it has."""
        return None if self.total_bytes is None else self.total_bytes - self.allocated_bytes
