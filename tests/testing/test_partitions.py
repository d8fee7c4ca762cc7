"""What ``model_violations`` finds: nothing in models as they are built, each planted fault in a record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest

from lite_delegate import Model, PartitionOptions
from lite_delegate.partition.properties import Property
from lite_delegate.runtime.records.records import PartitionRecord
from lite_delegate.testing.delegates import NamedDelegate
from lite_delegate.testing.partitions import model_violations
from tests.runtime.control_graphs import if_else
from tests.runtime.graphs import unary
from tests.runtime.planning.claims.test_partition_options import built, diamonds

Change = Callable[[PartitionRecord], PartitionRecord]


class Recorded:
    """Stands for a model with a given record."""

    def __init__(self, record: PartitionRecord) -> None:
        self.record = record

    def get_partition(self) -> PartitionRecord:
        return self.record


def without_reason(record: PartitionRecord) -> PartitionRecord:
    return replace(record, nodes=tuple(replace(n, reason="") for n in record.nodes))


def turned(record: PartitionRecord) -> PartitionRecord:
    return replace(record, nodes=record.nodes[::-1])


def twice(record: PartitionRecord) -> PartitionRecord:
    return replace(record, nodes=(*record.nodes, record.nodes[-1]))


def forgotten(record: PartitionRecord) -> PartitionRecord:
    return replace(record, subgraphs=record.subgraphs[1:])


def shared(record: PartitionRecord) -> PartitionRecord:
    first, *others = record.subgraphs
    return replace(record, subgraphs=(replace(first, kernels=(*first.kernels, "end")), *others))


def claimed(record: PartitionRecord) -> PartitionRecord:
    """As if all were rejected that subgraphs have."""
    code = next(n.code for n in record.nodes if n.code is not None)
    return replace(record, nodes=tuple(replace(n, code=code) for n in record.nodes))


def entangled(record: PartitionRecord) -> PartitionRecord:
    """The end in the first subgraph, which the nodes on the CPU read from."""
    first, last = record.subgraphs
    nodes = tuple(replace(n, subgraph=first.name) if n.name == "end" else n for n in record.nodes)
    return replace(record, nodes=nodes, subgraphs=(replace(first, kernels=(*first.kernels, *last.kernels)),))


def more(record: PartitionRecord) -> PartitionRecord:
    return replace(record, delegates=tuple(replace(d, subgraphs=d.subgraphs + 1) for d in record.delegates))


def too_small(record: PartitionRecord) -> PartitionRecord:
    return replace(record, options=PartitionOptions(min_kernels=2))


def grouped(record: PartitionRecord) -> PartitionRecord:
    return replace(record, options=PartitionOptions(groups=({"a", "end"},)))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (without_reason, Property.REASONS),
        (turned, Property.ORDER),
        (twice, Property.COVER),
        (forgotten, Property.DISJOINT),
        (shared, Property.DISJOINT),
        (claimed, Property.CLAIMS),
        (entangled, Property.CONVEX),
        (more, Property.COUNT),
        (too_small, Property.LIMITS),
        (grouped, Property.GROUPS),
    ],
)
def test_a_fault_in_a_record_is_named(change: Change, expected: Property) -> None:
    model = built(diamonds(), NamedDelegate(), deny_names={"b", "d"})
    assert model_violations(model) == []
    found = model_violations(cast(Model, Recorded(change(model.get_partition()))))
    assert expected in [v.property for v in found]


def test_a_model_with_subgraphs_has_no_violation() -> None:
    graph = if_else(lambda x: unary("then", x), lambda x: unary("else", x, "TANH"))
    model = built(graph, NamedDelegate())
    assert {s.graph for s in model.get_partition().subgraphs} != {""}
    assert model_violations(model) == []
