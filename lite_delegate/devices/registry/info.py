"""DeviceInfo: the presence and the origin of a device, known without a model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief


@dataclass(frozen=True, slots=True)
class DeviceInfo(Brief):
    """A device.

    Attributes:
        name: the name by which models are compiled for the device.
        available: whether the device is there.
        reason: why the device is not there, "" where it is.
        source: the origin of the device: "built in", "registered", or the distribution that installed its delegate.
        simulated: whether the figures of the device are estimates.
        ids: the ids of several devices of one name: ``NAME.ID`` is a device.
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
