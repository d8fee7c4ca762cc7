"""LayerTime: what a backend measured of one of its layers in a run of a graph kernel, told to who asks for it."""

from __future__ import annotations

from collections.abc import Sequence

from ...basics.data_class import dataclass
from .spans import current_clock, current_recorder


@dataclass(frozen=True, slots=True)
class LayerTime:
    """One layer of a graph kernel in one run, measured by its backend.

    Attributes:
        name: of the layer; the kernel's of which it was made, as far as the backend keeps names.
        type: what it does, in the backend's words.
        implementation: which of its implementations did it, in the backend's words; "" where it does not say.
        real_us: microseconds that it took.
        cpu_us: of processors, in microseconds; None where the backend does not measure it.
        was_run: whether it was computed; a layer that another one took in was not.
    """

    name: str
    type: str
    implementation: str
    real_us: float
    cpu_us: float | None
    was_run: bool


def tell_layers(kernel: str, layers: Sequence[LayerTime]) -> None:
    """Tells the request and the profile for which this thread computes what the layers of a graph kernel took.

    Args:
        kernel: the graph kernel.
        layers: of its run that has just ended.
    """
    for listener in (current_clock(), current_recorder()):
        add = getattr(listener, "add_layers", None)
        if add is not None:
            add(kernel, layers)
