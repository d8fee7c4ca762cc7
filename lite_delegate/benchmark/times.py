"""Times of kernels and graph kernels over a series of predictions."""

from __future__ import annotations

from collections.abc import Mapping

from ..basics.data_class import dataclass
from ..runtime.records import SourceRecord
from .breakdown import TimePart


@dataclass(frozen=True, slots=True)
class KernelTime:
    """A node of the model on its CPU kernel, over all predictions.

    Attributes:
        name: the name of the node.
        type: the operator of the node.
        graph: the subgraph of the model that it is in, "" in the main graph.
        subgraph: the graph kernel in whose place it ran, because the device failed; None as a rule.
        count: calls.
        total_ns: nanoseconds of all calls together.
        sources: what the node was in the model file.
    """

    name: str
    type: str
    graph: str
    subgraph: str | None
    count: int
    total_ns: int
    sources: tuple[SourceRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeTime:
    """All CPU kernels of one operator type, over all predictions: how many nodes, calls, and nanoseconds."""

    type: str
    kernels: int
    count: int
    total_ns: int


@dataclass(frozen=True, slots=True)
class LayerSum:
    """A layer of a graph kernel, over all predictions, measured by its backend or estimated by its delegate.

    Attributes:
        name: the name of the layer.
        type: the kind of the layer, in the backend's words.
        implementation: which of its implementations did it, in the backend's words; "" where it does not say.
        count: calls.
        total_us: microseconds of all calls together.
        is_estimate: whether the times are the delegate's estimates of its device; the NPU is simulated.
        total_cycles: the cycles of all calls together that a device, or its emulator, counted, or a delegate
            estimates; None where nothing counts them.
        macs: the products that one call adds up, by the delegate's estimate; None where it does not count them.
        memory_bytes: the bytes of the device's fast memory that are in use meanwhile; None where nothing is said of it.
    """

    name: str
    type: str
    implementation: str
    count: int
    total_us: float
    is_estimate: bool = False
    total_cycles: int | None = None
    macs: int | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class SubgraphTime:
    """A graph kernel, over all predictions.

    Attributes:
        name: the name of the graph kernel.
        type: its kind.
        graph: the subgraph of the model that it is in, "" in the main graph.
        kernels: how many nodes it stands for.
        count: calls.
        total_ns: nanoseconds of all calls together, measured on the host.
        parts: the same by part; they add up to it.
        estimated_us: microseconds that one call takes on the device, as the delegate estimates; None where it does not.
        layers: that were computed, slowest first; empty where the backend does not count them, or was not asked to.
    """

    name: str
    type: str
    graph: str
    kernels: int
    count: int
    total_ns: int
    parts: Mapping[TimePart, int]
    estimated_us: float | None
    layers: tuple[LayerSum, ...] = ()
