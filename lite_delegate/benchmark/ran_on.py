"""RanOn: the device and precision of each part. Without them, times of two runtimes cannot be compared."""

from __future__ import annotations

from collections import Counter

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..mindspore.model import Model
from ..runtime.records import NodeRecord

REAL = "FLOAT16", "FLOAT32", "FLOAT64", "BFLOAT16"


@dataclass(frozen=True, slots=True)
class RanOn:
    """The nodes that one device runs.

    Attributes:
        device: the CPU, or the delegate's name.
        provider: the provider that runs the nodes, as the delegate's runtime names it; "" without a name.
        kernels: the number of nodes.
        precision: the coarsest type in which it keeps real numbers: "float32", "bfloat16"; of integers alone theirs.
    """

    device: str
    provider: str
    kernels: int
    precision: str

    @property
    def text(self) -> str:
        """The device and precision in one line."""
        where = f"{self.device} ({self.provider})" if self.provider else self.device
        return f"{where}: {counted(self.kernels, 'kernel')} in {self.precision}"


def ran_on(model: Model) -> tuple[RanOn, ...]:
    """The device and precision of each part, devices in the order of the model."""
    stored = _stored(model)
    nodes: dict[tuple[str, str, str], int] = Counter()
    for (device, provider), those in _grouped(model).items():
        names = {stored.get(node.subgraph or "") for node in those} - {None}
        precision = min(names, key=str) if names else _own_type(those)
        nodes[device, provider, str(precision)] += len(those)
    return tuple(RanOn(device, provider, count, type_) for (device, provider, type_), count in nodes.items())


def _grouped(model: Model) -> dict[tuple[str, str], list[NodeRecord]]:
    found: dict[tuple[str, str], list[NodeRecord]] = {}
    for node in model.get_partition().nodes:
        found.setdefault((node.device, node.provider), []).append(node)
    return found


def _stored(model: Model) -> dict[str, str | None]:
    """The type in which graph kernels keep real numbers, by their names; None where it is the tensors' own."""
    delegates = model.compiled.delegates
    owners = {record.name: record.delegate for record in model.get_partition().subgraphs}
    found: dict[str, str | None] = {}
    for kernel in model.get_graph_kernels():
        owner = delegates.get(owners.get(kernel.name, ""))
        dtype = kernel.storage_dtype or (None if owner is None else owner.storage_dtype)
        found[kernel.name] = None if dtype is None else dtype.name.lower()
    return found


def _own_type(nodes: list[NodeRecord]) -> str:
    """The most frequent element type of the nodes' outputs: a real type, where there is a real output."""
    types = Counter(tensor.dtype for node in nodes for tensor in node.outputs)
    real = Counter({dtype: count for dtype, count in types.items() if dtype in REAL})
    return (real or types or Counter(["unknown"])).most_common(1)[0][0].lower()
