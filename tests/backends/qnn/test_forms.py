"""Forms for the HTP: what they write gives what the operators mean, in ONNX Runtime's CPU kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from lite_delegate.backends.lowering import Spec, Term
from lite_delegate.backends.onnxruntime.emitting.emitter import OnnxEmitter
from lite_delegate.backends.qnn.forms import (
    count_places,
    give_own_weights,
    move_signs,
    order_equals,
    reach_bounds,
    write_blocks,
    write_error_functions,
    write_hard_sigmoids,
)
from lite_delegate.backends.rewriting import Recorder, Rewrite, constant_term
from lite_delegate.tensors.tensor import Array

REAL, PLACES = np.dtype(np.float32), np.dtype(np.int64)


class Written:
    """A record of operators on one input.

    Args:
        x: the input's contents.
    """

    def __init__(self, x: Array) -> None:
        self.x, self.record = x, Recorder(OnnxEmitter("forms"))
        self.term = Term(self.record.input("x", x.dtype, x.shape), x.dtype, x.shape)

    def write(self, op: str, operands: Sequence[Term], *specs: Spec, **attributes: Any) -> list[Term]:
        """The results of one more operator."""
        handles = self.record.node(op, operands, specs, attributes)
        return [Term(handle, *spec) for handle, spec in zip(handles, specs, strict=True)]

    def rewritten(self, form: Rewrite, outputs: Sequence[Term]) -> tuple[list[str], list[Array]]:
        """The operators that a form leaves, and their results."""
        assert form(self.record) == 1
        return self.run(outputs)

    def run(self, outputs: Sequence[Term]) -> tuple[list[str], list[Array]]:
        """The operators of the record, and their results."""
        emitter = self.record.emitter
        assert isinstance(emitter, OnnxEmitter)
        content = emitter.finish(self.record.replay(outputs))
        session = ort.InferenceSession(content, providers=["CPUExecutionProvider"])
        operators = [node.op_type for node in onnx.load_from_string(content).graph.node if node.op_type != "Identity"]
        return operators, session.run(None, {session.get_inputs()[0].name: self.x})


def test_the_error_function() -> None:
    x = np.concatenate([np.linspace(-6, 6, 1201), [0, 1e-30, -1e-6, 1e-3, 1e30, -1e30]]).astype(np.float32)
    written = Written(x)
    operators, (y,) = written.rewritten(write_error_functions, written.write("Erf", [written.term], (REAL, x.shape)))
    assert set(operators) == {"Clip", "Mul", "Add", "Tanh"}
    expected = np.array([math.erf(each) for each in x.tolist()])
    np.testing.assert_allclose(y, expected, rtol=5e-7, atol=0)
    assert (y[x >= 4] == 1).all()


def test_hard_sigmoids() -> None:
    x = np.array([-100, -3, -2.9, -1, 0, 0.5, 2.9, 3, 100], np.float32)
    written = Written(x)
    results = written.write("HardSigmoid", [written.term], (REAL, x.shape), alpha=1 / 6, beta=0.5)
    operators, (y,) = written.rewritten(write_hard_sigmoids, results)
    assert operators == ["Mul", "Add", "Clip"]
    np.testing.assert_allclose(y, [min(max(each / 6 + 0.5, 0), 1) for each in x.tolist()], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("shape", "block"), [((2, 3, 4, 6), 2), ((1, 5, 3, 6), 3), ((3, 1, 2, 2), 2)])
def test_blocks(shape: tuple[int, ...], block: int) -> None:
    n, c, h, w = shape
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    written = Written(x)
    made = (n, c * block * block, h // block, w // block)
    operators, (y,) = written.rewritten(
        write_blocks, written.write("SpaceToDepth", [written.term], (REAL, made), blocksize=block)
    )
    assert "SpaceToDepth" not in operators
    for at in np.ndindex(*made):
        place, channel = divmod(at[1], c)
        down, right = divmod(place, block)
        assert y[at] == x[at[0], channel, at[2] * block + down, at[3] * block + right]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("largest", [0, 1])
def test_elements_are_picked_backwards(axis: int, largest: int) -> None:
    """How devices order equal elements is a test of tests/vendors."""
    x = np.random.default_rng(6).permutation(54).astype(np.float32).reshape(6, 9)
    written = Written(x)
    made = (3, 9) if axis == 0 else (6, 3)
    count = constant_term(np.array([3], np.int64))
    results = written.write("TopK", [written.term, count], (REAL, made), (PLACES, made), axis=axis, largest=largest)
    operators, (values, places) = written.rewritten(order_equals, results)
    assert operators == ["Gather", "TopK", "Sub"]
    expected = np.take(np.argsort(-x if largest else x, axis), range(3), axis)
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(x, expected, axis))


def test_places_are_counted_from_the_start() -> None:
    places = np.array([[-1, 0], [1, -4]], np.int32)
    written = Written(places)
    zeros, updates = (constant_term(each.astype(np.float32)) for each in (np.zeros((4, 2)), np.array([[1, 2], [3, 4]])))
    results = written.write("ScatterElements", [zeros, written.term, updates], (REAL, (4, 2)), axis=0, reduction="none")
    operators, (y,) = written.rewritten(count_places, results)
    assert operators == ["Less", "Add", "Where", "ScatterElements"]
    np.testing.assert_array_equal(y, [[0, 4], [3, 0], [0, 0], [1, 0]])
    (where,) = (node for node in written.record.nodes if node.op == "Where")
    assert written.record.nodes[-1].operands[1] is where.results[0]


@pytest.mark.parametrize(("source", "target", "step"), [("int8", "uint8", 128), ("uint8", "int8", -128)])
def test_signs(source: str, target: str, step: int) -> None:
    x = np.arange(np.iinfo(source).min, np.iinfo(source).max + 1).astype(source)
    written, wide = Written(x), np.dtype(np.int32)
    (y,) = written.write("Cast", [written.term], (wide, x.shape))
    (y,) = written.write("Add", [y, constant_term(np.array(step, wide))], (wide, x.shape))
    results = written.write("Cast", [y], (np.dtype(target), x.shape))
    operators, (found,) = written.rewritten(move_signs, results)
    assert operators == ["DequantizeLinear", "QuantizeLinear"]
    np.testing.assert_array_equal(found, x.astype(np.int32) + step)
    assert found.dtype == target


def test_other_steps_of_integers_stay() -> None:
    written, wide = Written(np.zeros(3, np.int8)), np.dtype(np.int32)
    (y,) = written.write("Cast", [written.term], (wide, (3,)))
    (y,) = written.write("Add", [y, constant_term(np.array(127, wide))], (wide, (3,)))
    written.write("Cast", [y], (np.dtype(np.uint8), (3,)))
    assert move_signs(written.record) == 0


def test_products_have_weights_of_their_own() -> None:
    x, weight = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(9, dtype=np.float32).reshape(3, 3)
    written = Written(x)
    shared, alone = constant_term(weight), constant_term(weight)
    results = [
        *written.write("Gemm", [written.term, shared], (REAL, (2, 3)), transA=0, transB=0),
        *written.write("Gemm", [written.term, shared], (REAL, (2, 3)), transA=0, transB=1),
        *written.write("Gemm", [written.term, alone], (REAL, (2, 3)), transA=0, transB=0),
    ]
    assert give_own_weights(written.record) == 2
    read = [node.operands[1] for node in written.record.nodes]
    assert len({term.handle for term in read if term is not None}) == 3
    assert read[2] is alone
    _, found = written.run(results)
    for y, expected in zip(found, [x @ weight, x @ weight.T, x @ weight], strict=True):
        np.testing.assert_array_equal(y, expected)


SCALE, ZERO = 0.01, 3


@pytest.mark.parametrize(
    ("low", "high", "moved"),
    [
        (0.0, 6.0, (0.0, 1.24 - 0.0025)),
        (0.0, 1.24, (0.0, 1.24 - 0.0025)),
        (-9.0, 1.0, (-1.31 + 0.0025, 1.0)),
        (-1.0, 1.0, None),
        (-9.0, 9.0, None),
    ],
)
def test_bounds_are_reached(low: float, high: float, moved: tuple[float, float] | None) -> None:
    x = np.arange(-128, 128).astype(np.int8)
    written = Written(x)
    parameters = [constant_term(np.array(SCALE, np.float32)), constant_term(np.array(ZERO, np.int8))]
    (real,) = written.write("DequantizeLinear", [written.term, *parameters], (REAL, x.shape))
    bounds = [constant_term(np.array(each, np.float32)) for each in (low, high)]
    (held,) = written.write("Clip", [real, *bounds], (REAL, x.shape))
    results = written.write("QuantizeLinear", [held, *parameters], (x.dtype, x.shape))
    clip = written.record.nodes[1]
    if moved is None:
        assert reach_bounds(written.record) == 0
        assert clip.operands[1:] == bounds
        return
    _, (y,) = written.rewritten(reach_bounds, results)
    assert [float(term.constant) for term in clip.operands[1:]] == pytest.approx(moved)  # type: ignore[union-attr, arg-type]
    least, most = (round(each / SCALE) + ZERO for each in (low, high))
    np.testing.assert_array_equal(y, np.clip(np.arange(-128, 128), max(least, -128), min(most, 127)))


def test_bounds_of_real_numbers_stay() -> None:
    written = Written(np.zeros(3, np.float32))
    bounds = [constant_term(np.array(each, np.float32)) for each in (0, 6)]
    written.write("Clip", [written.term, *bounds], (REAL, (3,)))
    assert reach_bounds(written.record) == 0
