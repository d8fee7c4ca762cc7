"""What is known of a device without a model: whether it is there, and if not, why."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ...basics.data_class import dataclass


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A device.

    Attributes:
        name: by which models are compiled for it.
        available: whether it is there.
        reason: why it is not, "" where it is.
        source: where it comes from: "built in", "registered", or the distribution that its delegate is installed with.
        simulated: whether figures of it are estimates.
        ids: which ones there are, where there are several: ``NAME.ID`` is a device.
    """

    name: str
    available: bool
    reason: str = ""
    source: str = ""
    simulated: bool = False
    ids: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as JSON can hold it."""
        return {**asdict(self), "ids": list(self.ids)}
