"""What a delegate expects a graph kernel to cost on its device."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LayerEstimate:
    """What one layer of a graph kernel is expected to cost.

    Attributes:
        name: of the device's step.
        instruction: what the step does, in the device's words.
        layers: names of the model's nodes that it stands for.
        estimated_us: microseconds that it takes; steps that run side by side count each.
        estimated_cycles: the same in cycles of the device's clock; 0 where the delegate does not count any.
        estimated_bytes: that are moved for it.
    """

    name: str
    instruction: str
    layers: tuple[str, ...]
    estimated_us: float
    estimated_cycles: int = 0
    estimated_bytes: int = 0


@dataclass(frozen=True, slots=True)
class DeviceEstimate:
    """What one run of a graph kernel is expected to cost. Nothing of it is measured.

    Attributes:
        estimated_us: microseconds from start to end.
        estimated_cycles: the same in cycles of the device's clock; 0 where the delegate does not count any.
        estimated_bytes: that are moved in all.
        layers: the parts of it, in execution order.
    """

    estimated_us: float
    estimated_cycles: int = 0
    estimated_bytes: int = 0
    layers: tuple[LayerEstimate, ...] = ()
