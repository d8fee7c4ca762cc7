"""Estimates: the cost that a delegate expects of a graph kernel on its device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief


@dataclass(frozen=True, slots=True)
class LayerEstimate(Brief):
    """The expected cost of one layer of a graph kernel.

    Attributes:
        name: the name of the device's step.
        instruction: the operation of the step, in the device's words.
        layers: names of the model's nodes that it stands for.
        estimated_us: microseconds that it takes; steps that run side by side count each.
        estimated_cycles: its cycles of the device's clock; 0 where the delegate does not count cycles.
        estimated_bytes: the bytes that are moved for it.
        estimated_start_us: microseconds from the start of the graph kernel to its own start; None where the delegate
            does not say: it starts after the layer before it.
        was_run: whether the device works for it; a nominal step, such as a view, moves and computes nothing.
        estimated_macs: its products that are added up; 0 where the delegate does not count them.
        memory_bytes: the bytes of fast memory that are in use meanwhile; 0 where the delegate does not say.
    """

    name: str
    instruction: str
    layers: tuple[str, ...]
    estimated_us: float
    estimated_cycles: int = 0
    estimated_bytes: int = 0
    estimated_start_us: float | None = None
    was_run: bool = True
    estimated_macs: int = 0
    memory_bytes: int = 0


@dataclass(frozen=True, slots=True)
class DeviceEstimate(Brief):
    """The expected cost of one run of a graph kernel. No figure is measured.

    Attributes:
        estimated_us: microseconds from start to end.
        estimated_cycles: cycles of the device's clock; 0 where the delegate does not count cycles.
        estimated_bytes: the bytes that are moved in all.
        layers: its layers, in execution order.
        launch_us: the part of ``estimated_us`` for the start.
        input_us: the part of ``estimated_us`` for each input's transfer; empty where the delegate does not say.
        output_us: the part of ``estimated_us`` for each output's transfer; empty where the delegate does not say.
        input_wait_us: microseconds that the device waits for input where one run follows the other; None where the
            delegate does not say. The time is no part of ``estimated_us``.
    """

    estimated_us: float
    estimated_cycles: int = 0
    estimated_bytes: int = 0
    layers: tuple[LayerEstimate, ...] = ()
    launch_us: float = 0.0
    input_us: tuple[float, ...] = ()
    output_us: tuple[float, ...] = ()
    input_wait_us: float | None = None


def in_turn(parts: Sequence[DeviceEstimate]) -> DeviceEstimate:
    """The cost of runs that follow each other: sums, and the layers of each run after the end of the runs before.

    The times of inputs and outputs are left out: only the caller knows the tensors of each part.
    """
    layers: list[LayerEstimate] = []
    start = 0.0
    for part in parts:
        layers += [_later(layer, start) for layer in part.layers] if start else part.layers
        start += part.estimated_us
    cycles, nbytes = sum(part.estimated_cycles for part in parts), sum(part.estimated_bytes for part in parts)
    return DeviceEstimate(start, cycles, nbytes, tuple(layers), sum(part.launch_us for part in parts))


def _later(layer: LayerEstimate, us: float) -> LayerEstimate:
    """A layer so many microseconds later."""
    start = layer.estimated_start_us
    return layer if start is None else replace(layer, estimated_start_us=start + us)
