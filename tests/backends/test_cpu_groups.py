"""Groups of the CPU on ONNX Runtime and OpenVINO, however small: in random graphs, in loops, with states, by an NPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from lite_delegate import Context, Delegate, Model, PartitionOptions, make_stateful
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.devices.core import Core
from lite_delegate.ir import Graph, Node, custom_primitive
from lite_delegate.npu import NPUDelegate
from lite_delegate.testing.delegates import NamedDelegate
from tests.inference.state.cells import START, recurrent_cell, steps
from tests.passes.random_graphs import graphs, random_inputs, run
from tests.runtime.control_graphs import add, if_else, multiply, predict, while_loop
from tests.runtime.graphs import chain, value

BACKENDS = ("onnxruntime", "openvino")
X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture(autouse=True, scope="module")
def however_small() -> Any:
    """Every group is worth a call."""
    with pytest.MonkeyPatch.context() as patch:
        for each in ("may_pay", "pays"):
            patch.setattr(
                f"lite_delegate.runtime.planning.rest.rest.{each}", lambda kernels, runtime: bool(list(kernels))
            )
        yield


def built(graph: Graph, backends: str, delegate: Delegate | None = None, threads: int = 0, **more: Any) -> Model:
    context, model = Context(), Model()
    context.cpu.backends, context.cpu.thread_num = backends, threads
    context.set_delegate(delegate)
    for name, wanted in more.items():
        setattr(context, name, wanted)
    model.build_from_graph(graph, context)
    return model


def groups(model: Model) -> list[tuple[str, ...]]:
    return [each.kernels for each in model.get_partition().cpu_groups]


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=12, deadline=None, derandomize=True)
@given(graph=graphs())
def test_random_graphs_give_what_numpy_gives(backend: str, graph: Graph) -> None:
    pytest.importorskip(backend)
    inputs = random_inputs(graph)
    delegate = NamedDelegate([node.name for node in graph.nodes[::3]])
    model = built(graph, backend, delegate)
    alone = built(graph, "none", NamedDelegate(delegate.names)).get_partition()
    found = model.get_partition()
    assert ([each.kernels for each in found.subgraphs], found.minimum_proof) == (
        [each.kernels for each in alone.subgraphs],
        alone.minimum_proof,
    )
    assert groups(model)
    for want, got in zip(run(graph, inputs), model.predict(inputs), strict=True):
        np.testing.assert_allclose(got.get_data_to_numpy(), want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_groups_in_loops_and_choices(backend: str) -> None:
    pytest.importorskip(backend)
    loop = built(while_loop(lambda i, x: [multiply("twice", x, 2.0)]), backend)
    assert ("twice", "count") in groups(loop) or ("twice",) in groups(loop)
    for count in (0, 1, 5):
        np.testing.assert_array_equal(predict(loop, n=count, x=[1, 2, 3, 4])[0], np.array([1, 2, 3, 4]) * 2**count)
    choice = built(if_else(lambda x: add("plus", x, 1.0), lambda x: multiply("times", x, 3.0)), backend)
    assert {("plus",), ("times",)} <= {*groups(choice)}
    np.testing.assert_array_equal(predict(choice, c=True, x=X)[0], X + 1)
    np.testing.assert_array_equal(predict(choice, c=False, x=X)[0], X * 3)


def test_groups_that_read_and_write_states() -> None:
    pytest.importorskip("onnxruntime")
    model = make_stateful(recurrent_cell(), {"before": "after"}, {"before": START})
    found = []
    for backends in ("NONE", "ONNXRUNTIME"):
        compiled = Core().compile_model(model, "CPU", {"CPU_BACKENDS": backends})
        assert bool(compiled.partition.cpu_groups) == (backends != "NONE")
        request = compiled.create_infer_request()
        found.append([np.array(request.infer([x])[0]) for x in steps(4)])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6, atol=1e-6)


def test_beside_the_npu() -> None:
    pytest.importorskip("onnxruntime")
    options = PartitionOptions(deny_names=frozenset({"n2", "n3"}))
    alone = built(chain(6), "none", NPUDelegate(), partition=options).get_partition()
    model = built(chain(6), "onnxruntime", NPUDelegate(), partition=options)
    found = model.get_partition()
    assert groups(model) == [("n2", "n3")]
    assert replace(found, cpu_groups=()) == alone
    np.testing.assert_allclose(predict(model, x=X)[0], X + 21, rtol=1e-2)


def test_other_shapes_have_groups_of_their_own() -> None:
    pytest.importorskip("onnxruntime")
    delegate = NamedDelegate(["n1"])
    model = built(chain(3), "onnxruntime", delegate)
    model.resize(model.get_inputs(), [[4, 3]])
    assert groups(model) == [("n0",), ("n2",)]
    wide = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(predict(model, x=wide)[0], wide + 6)


def test_the_users_own_kernel_runs_its_nodes() -> None:
    pytest.importorskip("onnxruntime")
    x, y = value("x"), value("y")
    node = Node("n", custom_primitive("ai.onnx.Acos", {}), [x], [y])
    graph = Graph("main", [x], [y], [node])
    assert groups(built(graph, "onnxruntime")) == [("n",)]
    context, model = Context(), Model()
    context.cpu.backends = "onnxruntime"
    context.register_custom("ai.onnx.Acos", lambda arrays, attributes: np.asarray(arrays[0]) + 1)
    model.build_from_graph(graph, context)
    assert groups(model) == []
    np.testing.assert_array_equal(predict(model, x=X)[0], X + 1)


def test_what_is_only_planned_names_its_groups() -> None:
    pytest.importorskip("onnxruntime")
    assert groups(built(chain(3), "onnxruntime", plan_only=True)) == [("n0", "n1", "n2")]


@pytest.mark.parametrize(("delegate", "spins"), [(None, True), (NamedDelegate(["n1"]), False)])
def test_threads_are_the_contexts_and_spin_only_where_a_group_is_the_whole_model(
    delegate: Delegate | None, spins: bool
) -> None:
    pytest.importorskip("onnxruntime")
    model = built(chain(3), "onnxruntime", delegate, threads=2)
    for options in _session_options(model):
        assert options.intra_op_num_threads == 2
        key = "session.intra_op.allow_spinning"
        if spins:
            with pytest.raises(RuntimeError):
                options.get_session_config_entry(key)
        else:
            assert options.get_session_config_entry(key) == "0"


def _session_options(model: Model) -> Sequence[Any]:
    kernels = [each for each in model.compiled.plan.cpu_groups if isinstance(each, OnnxRuntimeGraph)]
    assert kernels
    return [each.shared.session.get_session_options() for each in kernels]
