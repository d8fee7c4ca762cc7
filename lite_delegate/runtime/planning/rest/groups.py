"""Groups of nodes that runtimes run on the CPU, since no delegate took them: for plans and their records."""

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
    """The groups of nodes on the CPU that runtimes took.

    Attributes:
        models: the graphs by label, with the groups in place of their nodes.
        groups: the runtime of each group, by its graph kernel.
        stand_ins: the numpy kernels of each group.
        notes: the reasons why planned groups could not be made.
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
    """A record with the groups, and its nodes in the order of the graphs with groups.

    Args:
        record: the partition without groups.
        groups: the runtime of each group.
        models: the graphs by label, with the groups in place of their nodes.
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
    """The name in reports of the CPU with a runtime's kernels."""
    return f"{CPU} ({backend})"
