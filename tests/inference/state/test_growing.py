"""States that grow: the keys or values of all steps so far."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Context, InputError, Model, ShapeError, make_stateful
from lite_delegate.inference import InferRequest
from lite_delegate.npu import NPUDelegate
from tests.inference.state.cells import onnx

WIDTH = 3
EMPTY = np.zeros((1, 0, WIDTH), np.float32)


def attention() -> bytes:
    """present = past and x behind it; y = softmax(x present') present: an ONNX file."""
    helper, f32 = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [
        helper.make_node("Concat", ["past", "x"], ["present"], axis=1),
        helper.make_node("Transpose", ["present"], ["keys"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["x", "keys"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["weights"], axis=-1),
        helper.make_node("MatMul", ["weights", "present"], ["y"]),
    ]
    inputs = [
        helper.make_tensor_value_info("x", f32, [1, 1, WIDTH]),
        helper.make_tensor_value_info("past", f32, [1, "steps", WIDTH]),
    ]
    outputs = [
        helper.make_tensor_value_info("y", f32, [1, 1, WIDTH]),
        helper.make_tensor_value_info("present", f32, [1, "total", WIDTH]),
    ]
    graph = helper.make_graph(nodes, "attention", inputs, outputs)
    return bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())


def by_hand(xs: list[Array]) -> list[Array]:
    given, past = [], EMPTY
    for x in xs:
        past = np.concatenate([past, x], axis=1)
        scores = x @ past.transpose(0, 2, 1)
        weights = np.exp(scores - scores.max())
        given.append(weights / weights.sum() @ past)
    return given


def sequence(count: int) -> list[Array]:
    rng = np.random.default_rng(3)
    return [rng.standard_normal((1, 1, WIDTH)).astype(np.float32) for _ in range(count)]


def request_of(*, npu: bool = False) -> InferRequest:
    context, model = Context(), Model()
    if npu:
        context.set_delegate(NPUDelegate())
    model.build_from_graph(make_stateful(attention(), {"past": "present"}, {"past": EMPTY}), context)
    return model.compiled.create_infer_request()


@pytest.mark.parametrize("npu", [False, True])
@pytest.mark.filterwarnings("ignore::lite_delegate.DelegateWarning")
def test_steps_are_the_steps_of_a_loop_by_hand(npu: bool) -> None:
    request, xs = request_of(npu=npu), sequence(7)
    (state,) = request.query_state()
    assert (state.info.shape, state.value.shape) == ((1, -1, WIDTH), (1, 0, WIDTH))
    for x, want in zip(xs, by_hand(xs), strict=True):
        np.testing.assert_allclose(request.infer([x])[0], want, rtol=1e-2 if npu else 1e-5, atol=1e-2 if npu else 1e-6)
    np.testing.assert_array_equal(state.value, np.concatenate(xs, axis=1))
    request.reset_state()
    assert state.value.shape == (1, 0, WIDTH)


def test_snapshots_have_any_length() -> None:
    request, other, xs = request_of(), request_of(), sequence(5)
    for x in xs[:3]:
        request.infer([x])
    other.restore(request.snapshot())
    for x in xs[3:]:
        np.testing.assert_array_equal(other.infer([x])[0], request.infer([x])[0])


def test_nothing_grows_that_must_not_grow() -> None:
    request = request_of()
    (state,) = request.query_state()
    state.value = np.ones((1, 4, WIDTH), np.float32)
    request.infer([sequence(1)[0]])
    assert state.value.shape == (1, 5, WIDTH)
    with pytest.raises(InputError, match=r"State 'past': expected FLOAT32 \[1, -1, 3\], got float32 \[1, 4, 4\]"):
        state.value = np.ones((1, 4, WIDTH + 1), np.float32)


def test_a_state_of_a_length_that_is_given_does_not_grow() -> None:
    two = np.ones((1, 2, WIDTH), np.float32)
    model = Model()
    with pytest.raises(ShapeError, match=r"value must have shape \[1, 2, 3\], got \[1, 3, 3\]"):
        model.build_from_graph(make_stateful(attention(), {"past": "present"}, {"past": two}))
