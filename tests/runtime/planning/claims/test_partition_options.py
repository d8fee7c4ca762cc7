"""Options of the partitioner as a model is built with them: reasons, results, and what cannot be heeded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, Delegate, InputError, Model, PartitionOptions
from lite_delegate.ir import Graph
from lite_delegate.partition import Partition, partition
from lite_delegate.partition.properties import Property
from lite_delegate.testing.delegates import NamedDelegate, WalkingDelegate
from lite_delegate.testing.partitions import model_violations, recorded_graph
from tests.runtime.control_graphs import if_else
from tests.runtime.graphs import binary, chain, unary, value


def built(graph: Graph, delegate: Delegate | None, **options: Any) -> Model:
    context = Context()
    context.set_delegate(delegate)
    context.partition = PartitionOptions(**options)
    model = Model()
    model.build_from_graph(graph, context)
    return model


def predict(model: Model) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    arrays = {t.name: rng.normal(size=t.shape).astype(np.float32) for t in model.get_inputs()}
    return [t.get_data_to_numpy() for t in model.predict(arrays)]


def diamonds() -> Graph:
    """x -> a -> b -> end and x -> c -> d -> end: two branches side by side."""
    x = value("x")
    a, c = unary("a", x), unary("c", x, "SIGMOID")
    b, d = unary("b", a.outputs[0], "TANH"), unary("d", c.outputs[0], "TANH")
    end = binary("end", b.outputs[0], d.outputs[0])
    return Graph("main", [x], list(end.outputs), [a, b, c, d, end])


def sizes(model: Model) -> list[int]:
    return [len(s.kernels) for s in model.get_partition().subgraphs]


def reasons(model: Model) -> dict[str, tuple[str, str]]:
    return {n.name: (str(n.code), n.reason) for n in model.get_partition().nodes if n.code is not None}


@pytest.mark.parametrize(
    ("options", "expected", "left"),
    [
        ({}, [5], {}),
        ({"min_kernels": 6}, [], dict.fromkeys(("a", "b", "c", "d", "end"), "TOO_SMALL")),
        ({"max_subgraphs": 0}, [], dict.fromkeys(("a", "b", "c", "d", "end"), "LIMIT")),
        ({"max_kernels_per_subgraph": 2}, [2, 2, 1], {}),
        ({"max_kernels_per_subgraph": 2, "min_kernels": 2}, [2, 2], {"end": "TOO_SMALL"}),
        ({"deny_types": {"AddFusion"}}, [4], {"end": "POLICY"}),
        ({"deny_types": {"AddFusion"}, "connected": True}, [2, 2], {"end": "POLICY"}),
        ({"allow_types": {"AddFusion"}}, [1], dict.fromkeys("abcd", "POLICY")),
        ({"deny_names": {"b", "d"}}, [2, 1], dict.fromkeys("bd", "POLICY")),
        ({"deny_names": {"b", "d"}, "max_subgraphs": 1}, [2], {"b": "POLICY", "d": "POLICY", "end": "LIMIT"}),
        ({"allow_names": {"a", "b"}}, [2], dict.fromkeys(("c", "d", "end"), "POLICY")),
        ({"deny_names": {"b"}, "groups": [{"a", "c"}, {"b", "end"}]}, [3], {"b": "POLICY", "end": "POLICY"}),
    ],
)
def test_options_have_their_effect_and_the_result_stays(
    options: dict[str, Any], expected: list[int], left: dict[str, str]
) -> None:
    model = built(diamonds(), NamedDelegate(), **options)
    assert sizes(model) == expected
    assert {name: code for name, (code, _) in reasons(model).items()} == left
    for got, want in zip(predict(model), predict(built(diamonds(), None)), strict=True):
        np.testing.assert_array_equal(got, want)
    assert model_violations(model, built(diamonds(), NamedDelegate(), **options)) == []


def test_options_hold_after_a_resize() -> None:
    model = built(diamonds(), NamedDelegate(), deny_names={"b"})
    model.resize(model.get_inputs(), [[4, 3]])
    assert reasons(model) == {"b": ("POLICY", "node 'b' is in deny_names")}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"deny_names": {"ennd"}}, "deny_names: expected names of nodes, found 'ennd'. Did you mean 'end'"),
        (
            {"deny_types": {"AddFusio"}},
            "deny_types: expected names of operator types, found 'AddFusio'. Did you mean 'AddFus",
        ),
        ({"groups": [{"a", "z"}]}, "groups: expected names of nodes, found 'z'"),
    ],
)
def test_unknown_names_fail_the_build(options: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=text):
        built(diamonds(), NamedDelegate(), **options)


def test_a_type_that_the_model_does_not_have_is_fine() -> None:
    assert sizes(built(diamonds(), NamedDelegate(), deny_types={"Conv2DFusion"})) == [5]


def test_a_delegate_without_claims_keeps_what_is_denied_and_the_rest_is_said() -> None:
    model = built(chain(3), WalkingDelegate(), deny_names={"n1"}, min_kernels=2, connected=True)
    assert sizes(model) == [1, 1]
    assert reasons(model) == {"n1": ("POLICY", "node 'n1' is in deny_names")}
    assert model.get_partition().notes == (
        "Delegate 'walking' does not state its claims: no effect on it has min_kernels, connected.",
    )
    assert [v.property for v in model_violations(model)] == [Property.LIMITS, Property.LIMITS]


def test_a_group_of_several_graphs_is_rejected() -> None:
    graph = if_else(lambda x: unary("then", x), lambda x: unary("else", x, "TANH"))
    with pytest.raises(InputError, match=r"a group must be of one graph of the model, found 'else' in '.*', 'then' in"):
        built(graph, NamedDelegate(), groups=[{"then", "else"}])


@pytest.mark.parametrize("denied", [(), ("b",), ("b", "d"), ("a", "end"), ("a", "b", "c", "d", "end")])
def test_the_partitioner_counts_the_bytes_that_the_report_shows(
    denied: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    def counting(*args: Any, **kwargs: Any) -> Partition:
        found = partition(*args, **kwargs)
        counted.append(found.boundary_bytes)
        return found

    monkeypatch.setattr("lite_delegate.runtime.planning.claims.partitioning.partition", counting)
    record = built(diamonds(), NamedDelegate(), deny_names=denied).get_partition()
    assert counted[-1] == sum(s.boundary_bytes for s in record.subgraphs)


def test_a_second_model_with_another_partition_is_noticed() -> None:
    first, second = built(diamonds(), NamedDelegate()), built(diamonds(), NamedDelegate(["a"]))
    assert [v.property for v in model_violations(first, second)] == [Property.SAME]


def test_the_recorded_graph_is_what_ran() -> None:
    graph = recorded_graph(built(diamonds(), NamedDelegate(["a", "b"])).get_partition())
    number = {name: i for i, name in enumerate(graph.names)}
    assert {graph.names[p] for p in graph.predecessors[number["end"]]} == {"b", "d"}
    assert [name for name, claimed in zip(graph.names, graph.claimed, strict=True) if claimed] == ["a", "b"]
    assert dict(zip(graph.names, graph.types, strict=True))["end"] == "AddFusion"
