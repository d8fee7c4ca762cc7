"""make_stateful: pairs of inputs and outputs of a model as states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Context, Core, GraphError, InputError, Model, make_stateful
from lite_delegate.formats import read_model_buffer
from lite_delegate.formats.ms import ms_bytes
from lite_delegate.inference import InferRequest
from lite_delegate.ir import DataType, Graph, Node, Value, constant, difference, make_primitive
from lite_delegate.npu import NPUDelegate
from tests.inference.state.cells import FEATURES, START, UNITS, recurrent_cell, steps
from tests.runtime import control_graphs as control

PAIR = {"before": "after"}


def model_of(graph: Graph, *, npu: bool = False) -> Model:
    context, model = Context(), Model()
    if npu:
        context.set_delegate(NPUDelegate())
    model.build_from_graph(graph, context)
    return model


def request_of(graph: Graph, *, npu: bool = False) -> InferRequest:
    return model_of(graph, npu=npu).compiled.create_infer_request()


def unrolled(xs: list[Array], *, npu: bool = False) -> list[Array]:
    """What the model without states gives when the caller passes on what it gave."""
    runner, state, given = request_of(read_model_buffer(recurrent_cell()), npu=npu), START, []
    for x in xs:
        y, state = (np.array(a) for a in runner.infer({"x": x, "before": state}))
        given.append(y)
    return given


@pytest.mark.parametrize("npu", [False, True])
def test_steps_equal_the_unrolled_model_bit_for_bit(npu: bool) -> None:
    xs = steps(12)
    request = request_of(make_stateful(recurrent_cell(), PAIR, {"before": START}), npu=npu)
    np.testing.assert_array_equal([request.infer([x])[0] for x in xs], unrolled(xs, npu=npu))


def test_a_device_takes_and_gives_states_like_inputs_and_outputs() -> None:
    model = model_of(make_stateful(recurrent_cell(), PAIR), npu=True)
    (kernel,) = model.compiled.graph_kernels
    varying = [t.name for t in kernel.inputs if not t.is_const]
    assert sorted(varying) == ["before", "x"]
    assert sorted(t.name for t in kernel.outputs) == ["after", "y"]
    assert [t.name for t in model.get_inputs()] == ["x"]
    assert [t.name for t in model.get_outputs()] == ["y"]


def test_every_form_of_a_model_is_taken(tmp_path: Path) -> None:
    graph = read_model_buffer(recurrent_cell())
    (tmp_path / "cell.onnx").write_bytes(recurrent_cell())
    (tmp_path / "cell.ms").write_bytes(ms_bytes(graph))
    xs = steps(3)
    want = unrolled(xs)
    for given in (graph, tmp_path / "cell.onnx", str(tmp_path / "cell.ms"), (tmp_path / "cell.ms").read_bytes()):
        request = request_of(make_stateful(given, PAIR, {"before": START}))
        np.testing.assert_array_equal([request.infer([x])[0] for x in xs], want)


def test_the_given_graph_stays() -> None:
    graph, same = read_model_buffer(recurrent_cell()), read_model_buffer(recurrent_cell())
    make_stateful(graph, PAIR)
    assert difference(graph, same) is None


def test_states_survive_a_ms_file() -> None:
    made = make_stateful(recurrent_cell(), PAIR, {"before": START})
    request, again = request_of(made), request_of(read_model_buffer(ms_bytes(made)))
    for x in steps(3):
        np.testing.assert_array_equal(request.infer([x])[0], again.infer([x])[0])


def test_states_start_from_zeros_where_nothing_is_given() -> None:
    (state,) = request_of(make_stateful(recurrent_cell(), PAIR)).query_state()
    np.testing.assert_array_equal(state.value, np.zeros((1, UNITS), np.float32))


def registers() -> Graph:
    """first, second, y = x, first, first + second; what goes in last comes out two runs later."""
    shape = (2,)
    x, first, second = (Value(name, DataType.FLOAT32, shape) for name in ("x", "first", "second"))
    moved, kept = control.node("moved", "Depend", [first], Value("moved", DataType.FLOAT32, shape)), control.out
    total = control.binary("total", "AddFusion", first, second)
    return Graph("main", [x, first, second], [kept(total), x, kept(moved)], [moved, total])


def test_all_states_change_together() -> None:
    request = request_of(make_stateful(registers(), {"first": "x", "second": "moved"}))
    given = [float(request.infer([np.full(2, n, np.float32)])[0][0]) for n in (1, 2, 4, 8)]
    assert given == [0, 1, 3, 6]


def test_states_may_change_places_and_be_outputs() -> None:
    shape = (2,)
    x, a, b = (Value(name, DataType.FLOAT32, shape) for name in ("x", "a", "b"))
    total = control.binary("total", "AddFusion", a, x)
    start = {"a": np.full(2, 1, np.float32), "b": np.full(2, 2, np.float32)}
    graph = Graph("main", [x, a, b], [control.out(total), b, a], [total])
    request = request_of(make_stateful(graph, {"a": "b", "b": "a"}, start))
    zero = np.zeros(2, np.float32)
    assert [float(request.infer([zero])[0][0]) for _ in range(4)] == [1, 2, 1, 2]
    seen = Graph("main", [x, a], [a, control.out(control.binary("sum", "AddFusion", a, x))], [])
    seen.nodes.append(control.binary("more", "AddFusion", a, x))
    seen.outputs[1] = control.out(seen.nodes[0])
    request = request_of(make_stateful(seen, {"a": seen.outputs[1].name}, {"a": zero}))
    ones = np.ones(2, np.float32)
    assert [float(request.infer([ones])[0][0]) for _ in range(3)] == [0, 1, 2]


def other(after: Value) -> Graph:
    x = Value("x", DataType.FLOAT32, (2,))
    node = control.node("n", "ExpFusion", [x])
    return Graph("main", [x, Value("h", DataType.FLOAT32, (2,))], [control.out(node), after], [node])


@pytest.mark.parametrize(
    ("pairs", "initial", "message"),
    [
        ({}, None, "pairs must name at least one input"),
        ({"befor": "after"}, None, r"no input 'befor'; the model's inputs are 'x', 'before'. Did you mean 'before'"),
        (
            {"before": "afterwards"},
            None,
            r"no output 'afterwards'; the model's outputs are 'y', 'after'. Did you mean 'after'",
        ),
        ({"x": "after"}, None, r"input 'x' and output 'after' must have one shape, found \[1, 3\] and \[1, 4\]"),
        ({"before": "after", "x": "after"}, None, "output 'after' is paired with input 'before' and 'x'"),
        (PAIR, {"after": START}, "initial names 'after'; expected one of the inputs of pairs, 'before'"),
        (PAIR, {"before": START[0]}, r"initial of 'before' must be FLOAT32 \[1, 4\], got float32 \[4\]"),
        (PAIR, {"before": START.astype(np.float64)}, r"must be FLOAT32 \[1, 4\], got float64 \[1, 4\]"),
    ],
)
def test_what_does_not_fit_is_rejected(pairs: Any, initial: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_stateful(recurrent_cell(), pairs, initial)


def test_other_types_and_names_that_several_have_are_rejected() -> None:
    wide = constant("h2", np.zeros(2, np.float64))
    with pytest.raises(InputError, match="must be numbers of one type, found FLOAT32 and FLOAT64"):
        make_stateful(other(wide), {"h": "h2"})
    twice = other(Value("x", DataType.FLOAT32, (2,)))
    twice.inputs[1].name = "x"
    twice.outputs[1] = twice.inputs[1]
    with pytest.raises(InputError, match="2 inputs of the model are named 'x'"):
        make_stateful(twice, {"x": "x"})
    with pytest.raises(TypeError, match="model must be Graph, path or bytes, but got int"):
        make_stateful(3, PAIR)  # type: ignore[arg-type]
    with pytest.raises(GraphError):
        make_stateful(Graph("main", [], [Value("lost", DataType.FLOAT32, ())], []), {"a": "lost"})


def test_open_dimensions_need_an_initial_value() -> None:
    graph = other(Value("h2", DataType.FLOAT32, (-1,)))
    graph.inputs[1].shape = (-1,)
    graph.outputs[1] = graph.inputs[1]
    with pytest.raises(InputError, match=r"leaves dimensions open, \[-1\] and \[-1\]; give an initial value"):
        make_stateful(graph, {"h": "h"})
    made = make_stateful(graph, {"h": "h"}, {"h": np.ones(5, np.float32)})
    assert [info.shape for info in model_of(made).compiled.states] == [(5,)]


def test_inputs_are_checked_as_before() -> None:
    request = request_of(make_stateful(recurrent_cell(), PAIR))
    with pytest.raises(InputError):
        request.infer({"x": np.zeros((1, FEATURES), np.float32), "before": START})


def test_an_output_that_is_a_copy_of_another_is_a_state_that_a_device_takes() -> None:
    x, s, y, after = (Value(name, DataType.FLOAT32, (2,)) for name in ("x", "s", "y", "after"))
    add = Node("add", make_primitive("AddFusion"), [x, s], [y])
    copy = Node("after/copy", make_primitive("Depend"), [y], [after])
    graph = make_stateful(Graph("sum", [x, s], [y, after], [add, copy]), {"s": "after"})
    request = Core().compile_model(graph, "NPU").create_infer_request()
    ones = np.ones(2, np.float32)
    assert [request.infer([ones])[0].tolist() for _ in range(3)] == [[1, 1], [2, 2], [3, 3]]
    used = Graph(
        "sum",
        [x, s],
        [y, after],
        [add, copy, Node("abs", make_primitive("Abs"), [after], [Value("z", DataType.FLOAT32, (2,))])],
    )
    assert "after/copy" in [node.name for node in make_stateful(used, {"s": "after"}).nodes]
