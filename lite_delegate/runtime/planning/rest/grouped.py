"""What runtimes took of what delegates left to the CPU: groups of nodes, for plans and their records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from ....basics.data_class import dataclass
from ....delegate import Kernel
from ...drafting.draft import GraphDraft
from ...execution.stand_in import StandIn
from ...records.records import CPU, CpuGroupRecord, PartitionRecord


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """What runtimes took of what was left to the CPU.

    Attributes:
        models: the graphs by label, with the groups in place of what they stand for.
        groups: the runtime of each, by its graph kernel.
        stand_ins: the numpy kernels of each.
        notes: why groups that were to be made were not.
    """

    models: Mapping[str, GraphDraft]
    groups: Mapping[Kernel, str] = field(default_factory=dict)
    stand_ins: Mapping[Kernel, StandIn] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> dict[Kernel, tuple[str, ...]]:
        """The names of the nodes that each group stands for."""
        runs = {kernel: run for model in self.models.values() for kernel, run in model.replaced.items()}
        return {kernel: tuple(node.name for node in runs[kernel]) for kernel in self.groups}


def with_groups(
    record: PartitionRecord, groups: Mapping[Kernel, str], models: Mapping[str, GraphDraft]
) -> PartitionRecord:
    """A record with the groups, and its nodes in the order that these give.

    Args:
        record: who runs what.
        groups: the runtime of each.
        models: the graphs by label, with the groups in place of what they stand for.
    """
    if not groups:
        return replace(record, cpu_groups=())
    order: dict[tuple[str, str], int] = {}
    found = []
    for graph, model in models.items():
        replaced = model.replaced
        for kernel in model:
            run = replaced.get(kernel, (kernel,))
            order.update({(graph, node.name): len(order) + i for i, node in enumerate(run)})
            if kernel in groups:
                found.append(_record(kernel, run, groups[kernel], graph))
    nodes = sorted(record.nodes, key=lambda node: order[node.graph, node.name])
    return replace(record, nodes=tuple(nodes), cpu_groups=tuple(found))


def _record(kernel: Kernel, run: Sequence[Kernel], backend: str, graph: str) -> CpuGroupRecord:
    names = tuple(node.name for node in run)
    inputs, outputs = (tuple(t.name for t in tensors if not t.is_const) for tensors in (kernel.inputs, kernel.outputs))
    return CpuGroupRecord(kernel.name, device_of(backend), names, inputs, outputs, graph)


def device_of(backend: str) -> str:
    """How reports name the CPU with a runtime's kernels."""
    return f"{CPU} ({backend})"
