"""Telemetry: what a device is doing, and what its memory is taken for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

from ...basics.data_class import dataclass


@dataclass(frozen=True, slots=True)
class Telemetry:
    """A reading of a device. The times of a simulated one are its simulated times, estimates all.

    Attributes:
        memory: bytes that are taken of the device's memory, by what they are taken for; they add up to
            ``allocated_bytes``.
        peak_bytes: the most that was taken at once since ``Core.reset_peak_memory``, or ever.
        total_bytes: of the device; None where nothing says how much it has.
        in_flight: runs that have begun and not ended.
        waiting: those of them that wait for their turn.
        elapsed_us: time since the reading before, on the device's own clock.
        compute_use: the share of it, 0 to 1, in which compute units were busy, by their number; 0 in no time.
        transfer_use: the same of what brings data from and to the host.
        by_model: ``memory`` for each compiled model by its name; "" has what belongs to none, remote tensors. Empty
            where the device does not tell.
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
        """All of it as data for JSON."""
        return {**asdict(self), "allocated_bytes": self.allocated_bytes, "free_bytes": self.free_bytes}

    @property
    def allocated_bytes(self) -> int:
        """Bytes that are taken of the device's memory."""
        return sum(self.memory.values())

    @property
    def free_bytes(self) -> int | None:
        """Bytes of the device's memory that nothing takes; None where nothing says how much it has."""
        return None if self.total_bytes is None else self.total_bytes - self.allocated_bytes
