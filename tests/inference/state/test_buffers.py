"""Buffers of states: separate ones for what goes in and what comes out, or one for both."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Core, Delegate, make_stateful
from lite_delegate.inference import InferRequest, StateInfo, compile_graph
from lite_delegate.inference.state.state import COPIED_IN, COPIED_OUT
from lite_delegate.ir import DataType, Graph, Value, constant
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.runtime.settings import Settings
from tests.inference.reusing import ReusingDelegate
from tests.inference.state.cells import START, UNITS, R, W, recurrent_cell, steps
from tests.runtime import control_graphs as control
from tests.runtime.graphs import chain


def request_of(graph: Graph, shared: bool, *delegates: Delegate) -> InferRequest:
    settings = Settings(delegates=delegates, shared_state_buffers=shared)
    return compile_graph(graph, settings).create_infer_request()


def cell(shared: bool, *delegates: Delegate) -> InferRequest:
    return request_of(make_stateful(recurrent_cell(), {"before": "after"}, {"before": START}), shared, *delegates)


def state_copies(request: InferRequest) -> list[tuple[str, int, str]]:
    return [(c.port.name, c.nbytes, c.reason) for c in request.copies if isinstance(c.port, StateInfo)]


@pytest.mark.parametrize("delegate", [None, NPUDelegate], ids=["cpu", "npu"])
def test_results_are_the_same(delegate: type[Delegate] | None) -> None:
    separate, shared = (cell(each, *([delegate()] if delegate else [])) for each in (False, True))
    for x in steps(10):
        np.testing.assert_array_equal(separate.infer([x])[0], shared.infer([x])[0])
        np.testing.assert_array_equal(separate.query_state()[0].value, shared.query_state()[0].value)


def test_separate_buffers_cost_a_copy_in_and_one_out() -> None:
    request = cell(False)
    request.infer([steps(1)[0]])
    size = 4 * UNITS
    assert state_copies(request) == [("before", size, COPIED_IN), ("before", size, COPIED_OUT)]


def test_shared_buffers_cost_no_copy() -> None:
    request = cell(True)
    request.infer([steps(1)[0]])
    assert state_copies(request) == []


def memory_of_a_graph_kernel() -> Graph:
    """n0, a graph kernel that writes to the same memory each time, gives what the state becomes, and the output."""
    graph = chain(1)
    return make_stateful(Graph("main", graph.inputs, graph.outputs, graph.nodes), {"x": graph.outputs[0].name})


@pytest.mark.parametrize("shared", [False, True])
def test_the_memory_of_a_graph_kernel_is_copied_in_any_case(shared: bool) -> None:
    request = request_of(memory_of_a_graph_kernel(), shared, ReusingDelegate(["n0"]))
    given: list[Array] = []
    for _ in range(3):
        request.infer([])
        given.append(request.query_state()[0].value)
    want = request_of(memory_of_a_graph_kernel(), False, ReusingDelegate(["n0"]))
    for each in given:
        want.infer([])
        np.testing.assert_array_equal(want.query_state()[0].value, each)
    assert not np.array_equal(given[0], given[1])
    if shared:
        assert state_copies(request) == [("x", 24, "a graph kernel writes to its memory again")]


def test_an_input_that_becomes_a_state_is_copied_with_shared_buffers_too() -> None:
    x, kept = Value("x", DataType.FLOAT32, (2,)), constant("kept", np.zeros(2, np.float32))
    node = control.node("set", "Assign", [kept, x], Value("y", DataType.FLOAT32, (2,)))
    request = request_of(Graph("main", [x], [control.out(node)], [node]), True)
    given = np.ones(2, np.float32)
    request.infer([given])
    assert [reason for _, _, reason in state_copies(request)] == [
        "an input, an output or another state has the same memory"
    ]
    given[:] = 5
    np.testing.assert_array_equal(request.query_state()[0].value, [1, 1])


@pytest.mark.parametrize("buffers", ["SEPARATE", "SHARED"])
def test_the_device_program_has_the_states_among_its_inputs_and_outputs(buffers: str) -> None:
    graph = make_stateful(recurrent_cell(), {"before": "after"}, {"before": START})
    compiled = Core().compile_model(graph, "NPU", {"STATE_BUFFERS": buffers})
    (kernel,) = compiled.graph_kernels
    assert isinstance(kernel, NPUGraph)
    (part,) = kernel.models
    assert (len(compiled.inputs), len(compiled.states), len(compiled.outputs)) == (1, 1, 1)
    assert (len(part.program.inputs), len(part.program.outputs)) == (2, 2)
    request = compiled.create_infer_request()
    before = START.astype(np.float64)
    for x in steps(4):
        before = np.tanh(x @ W + before @ R)
        np.testing.assert_allclose(request.infer([x])[0], 2 * before, atol=2e-2)
    assert (state_copies(request) == []) == (buffers == "SHARED")
