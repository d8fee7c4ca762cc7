"""The user's own plan: each named node runs on the named device, or building fails with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate import (
    Context,
    Delegate,
    DelegateUnavailable,
    DelegateWarning,
    InputError,
    Kernel,
    Model,
    PartitionOptions,
    PlacementError,
    RejectCode,
)
from lite_delegate.ir import Graph
from lite_delegate.testing.delegates import NamedDelegate, WalkingDelegate
from tests.runtime import control_graphs as control
from tests.runtime.graphs import chain
from tests.runtime.planning.claims.test_several_delegates import Absent, assert_same_as_cpu, devices, named


def built(graph: Graph, plan: Mapping[str, str], *delegates: Delegate, **options: object) -> Model:
    context = Context()
    context.set_delegates(delegates)
    context.partition = PartitionOptions(affinity=plan, **options)  # type: ignore[arg-type]
    model = Model()
    model.build_from_graph(graph, context)
    return model


@pytest.mark.parametrize("kind", [NamedDelegate, WalkingDelegate])
def test_each_node_is_where_the_plan_puts_it(kind: type[NamedDelegate]) -> None:
    graph, plan = chain(5), {"n0": "b", "n2": "CPU", "n4": "a"}
    model = built(graph, plan, named("a", None, kind), named("b", None, kind))
    assert devices(model) == {"n0": "b", "n1": "a", "n2": "CPU", "n3": "a", "n4": "a"}
    node = model.get_partition().nodes[2]
    assert (node.code, node.reason) == (RejectCode.POLICY, "its affinity is to CPU")
    assert_same_as_cpu(graph, model)


def test_a_delegate_is_not_asked_for_what_is_not_its() -> None:
    class Noting(NamedDelegate):
        def supports(self, kernel: Kernel) -> object:  # type: ignore[override]
            asked.append(kernel.name)
            return super().supports(kernel)

    asked: list[str] = []
    built(chain(3), {"n0": "b", "n1": "cpu"}, named("a", None, Noting), named("b", None))
    assert asked == ["n2"]


def test_what_a_delegate_rejects_is_an_error_with_its_code_and_text() -> None:
    with pytest.raises(
        PlacementError,
        match=r"affinity: node 'n1' \(AddFusion\) cannot run on 'b': OPERATOR: 'n1' is not in the list\. Take",
    ):
        built(chain(3), {"n1": "b"}, named("a", None), named("b", ["n0"]))


def test_all_that_cannot_be_met_is_counted() -> None:
    with pytest.raises(PlacementError, match=r"'n0'.*; 'n1'.*; 'n2' .*; and 2 more\. Take"):
        built(chain(5), {f"n{i}": "a" for i in range(5)}, named("a", []))


def test_a_model_that_does_not_compile_is_an_error() -> None:
    class Broken(NamedDelegate):
        def create_graph_kernel(self, run: Sequence[Kernel], model: object) -> Kernel:
            raise MemoryError("scratchpad is full")

    with (
        pytest.warns(DelegateWarning),
        pytest.raises(
            PlacementError, match=r"'n0' .* cannot run on 'a': COMPILE_FAILED: MemoryError: scratchpad is full"
        ),
    ):
        built(chain(2), {"n0": "a"}, named("a", None, Broken))


def test_a_device_that_is_not_there_is_an_error() -> None:
    with pytest.warns(DelegateWarning), pytest.raises(PlacementError, match=r"'n0' .* cannot run on 'a': NO_DEVICE"):
        built(chain(2), {"n0": "a"}, named("a", None, Absent))
    assert issubclass(DelegateUnavailable, Exception)


def test_limits_that_contradict_the_plan_are_named() -> None:
    with pytest.raises(PlacementError, match=r"'n0' .* cannot run on 'a': POLICY: .*deny_names"):
        built(chain(2), {"n0": "a"}, named("a", None), deny_names=frozenset({"n0"}))


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"n11": "a"}, "affinity: expected names of nodes, found 'n11'. Did you mean 'n1'"),
        ({"quite else": "a"}, "affinity: expected names of nodes, found 'quite else'."),
        ({"n1": "aa"}, "affinity: node 'n1': expected one of the devices 'a', 'b', 'CPU', found 'aa'."),
    ],
    ids=["node", "far", "device"],
)
def test_unknown_words_are_errors(plan: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        built(chain(2), plan, named("a", None), named("b", None))
    assert message in str(caught.value)


def test_the_plan_reaches_subgraphs_of_control_flow_and_leaves_the_rest_to_the_runtime() -> None:
    graph = control.if_else(lambda x: control.add("plus", x, 10), lambda x: control.multiply("times", x, 3))
    model = built(graph, {"plus": "b", "run": "CPU"}, named("a", None), named("b", None))
    found = devices(model)
    assert (found["plus"], found["times"], found["run"]) == ("b", "a", "CPU")
    with pytest.raises(PlacementError, match=r"'run' \(Call\) cannot run on 'a': OPERATOR"):
        built(graph, {"run": "a"}, named("a", None))


def test_a_plan_for_the_cpu_needs_no_delegate() -> None:
    assert devices(built(chain(1), {"n0": "CPU"})) == {"n0": "CPU"}


def test_the_plan_holds_for_other_shapes_too() -> None:
    model = built(chain(3), {"n1": "CPU"}, named("a", None))
    model.resize(model.get_inputs(), [[7, 3]])
    assert devices(model) == {"n0": "a", "n1": "CPU", "n2": "a"}


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from([f"n{i}" for i in range(7)]), st.sampled_from(["a", "b", "CPU"])))
def test_any_plan_that_the_delegates_can_follow_is_followed(plan: dict[str, str]) -> None:
    graph = chain(7)
    model = built(graph, plan, named("a", None), named("b", None))
    assert devices(model) == {f"n{i}": plan.get(f"n{i}", "a") for i in range(7)}
    assert_same_as_cpu(graph, model)
