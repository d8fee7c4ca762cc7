"""Signatures of kernels, and models of several kernels side by side."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper

from lite_delegate.backends.onnxruntime.trials.trial_model import signed, trial_model
from lite_delegate.tensors.tensor import Array
from tests.backends.onnxruntime.trials.kernels import kernels_of, unary

RNG = np.random.default_rng(7)


def product(weight: Array, name: str = "product", shape: tuple[int, int] = (2, 32)) -> str:
    """The signature of a product with a constant."""
    (kernel,) = kernels_of([helper.make_node("MatMul", ["x", "w"], ["y"], name)], shape, w=weight)
    return signed(kernel, ())


def test_kernels_that_are_alike_have_one_signature_whatever_their_names() -> None:
    exp, other, again = unary("Exp", "Sin", "Exp")
    assert exp.name != again.name
    assert signed(exp, ()) == signed(again, ())
    assert signed(exp, ()) != signed(other, ())
    assert signed(unary("Exp", shape=(4, 4))[0], ()) != signed(exp, ())


def test_the_elements_of_large_constants_do_not_count() -> None:
    one, two = (RNG.standard_normal((32, 64)).astype(np.float32) for _ in range(2))
    assert product(one) == product(two, "another name")
    assert product(one) != product(RNG.standard_normal((32, 65)).astype(np.float32)), "another shape"


def test_the_elements_of_small_constants_count() -> None:
    one, two = (np.full((4, 4), value, np.float32) for value in (1, 2))
    assert product(one, shape=(2, 4)) == product(one.copy(), shape=(2, 4))
    assert product(one, shape=(2, 4)) != product(two, shape=(2, 4))


def test_attributes_count() -> None:
    first, second = (
        signed(kernels_of([helper.make_node("Softmax", ["x"], ["y"], axis=axis)], (4, 4))[0], ()) for axis in (0, 1)
    )
    assert first != second


def test_kernels_stand_side_by_side_and_are_named_by_position() -> None:
    """What one kernel of the model gives, the next does not read."""
    model = trial_model(unary("Exp", "Sin"), ())
    parsed = onnx.load_model_from_string(model.content)
    assert len(parsed.graph.input) == len(parsed.graph.output) == 2
    computing = [node for node in parsed.graph.node if node.op_type != "Identity"]
    assert [(node.op_type, node.name.partition("/")[0]) for node in computing] == [("Exp", "k0"), ("Sin", "k1")]
    x = RNG.standard_normal((2, 8)).astype(np.float32)
    session = ort.InferenceSession(model.content, providers=["CPUExecutionProvider"])
    first, second = session.run(None, {each.name: x for each in session.get_inputs()})
    np.testing.assert_allclose(first, np.exp(x), rtol=1e-5)
    np.testing.assert_allclose(second, np.sin(x), rtol=1e-5, atol=1e-6)


def test_large_constants_are_beside_the_model_and_counted() -> None:
    weight = RNG.standard_normal((32, 64)).astype(np.float32)
    model = trial_model(kernels_of([helper.make_node("MatMul", ["x", "w"], ["y"])], (2, 32), w=weight), ())
    (held,) = model.outside.values()
    assert held.nbytes == weight.nbytes
    assert model.nbytes == len(model.content) + weight.nbytes
    assert len(model.content) < weight.nbytes


@pytest.mark.parametrize("count", [1, 2])
def test_an_operand_that_is_read_twice_is_one_input(count: int) -> None:
    kernels = kernels_of([helper.make_node("Mul", ["x", "x"], ["y"])], (2, 8)) * count
    assert len(onnx.load_model_from_string(trial_model(kernels, ()).content).graph.input) == count
