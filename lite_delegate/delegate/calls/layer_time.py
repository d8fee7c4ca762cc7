"""LayerTime: a backend's measurement of one of its layers in a run of a graph kernel, told to recorders."""

from __future__ import annotations

from collections.abc import Sequence

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from .spans import current_clock, current_recorder


@dataclass(frozen=True, slots=True)
class LayerTime(Brief):
    """One layer of a graph kernel in one run, measured by its backend.

    Attributes:
        name: the name of the layer; the name of its kernel, as far as the backend keeps names.
        type: its operation, in the backend's words.
        implementation: its implementation, in the backend's words; "" where the backend does not say.
        real_us: microseconds that it took.
        cpu_us: processor time, in microseconds; None where the backend does not measure it.
        was_run: whether the layer was computed; a layer that was fused into another layer was not.
        cycles: the cycles that a device, or its emulator, counted; None where nothing counts them.
    """

    name: str
    type: str
    implementation: str
    real_us: float
    cpu_us: float | None
    was_run: bool
    cycles: int | None = None


def tell_layers(kernel: str, layers: Sequence[LayerTime]) -> None:
    """Tells the layer times of a graph kernel to the request and the profile for which this thread computes.

    Args:
        kernel: the graph kernel.
        layers: the layer times of the run that has just ended.
    """
    for listener in (current_clock(), current_recorder()):
        add = getattr(listener, "add_layers", None)
        if add is not None:
            add(kernel, layers)
