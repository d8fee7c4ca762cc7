"""Integers that move between DequantizeLinear and QuantizeLinear are the integers that moved by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.backends.lowering import Term
from lite_delegate.backends.onnxruntime.emitting.emitter import OnnxEmitter
from lite_delegate.backends.onnxruntime.emitting.moved_integers import move_as_real, wants_parameters
from lite_delegate.backends.rewriting import Recorder, constant_term
from lite_delegate.tensors.tensor import Array

REAL = np.dtype(np.float32)
STORED = [np.dtype(each) for each in (np.int8, np.uint8, np.int16, np.uint16)]
SHAPE = (2, 3, 4)
Choose = Callable[[int], int]


class Growing:
    """A record that grows from one input by quantizing, dequantizing, moving and computing.

    Args:
        choose: a number below another one.
        dtype: the element type of the input.
    """

    def __init__(self, choose: Choose, dtype: np.dtype[Any]) -> None:
        self.choose, self.record = choose, Recorder(OnnxEmitter("moves"))
        self.terms = [Term(self.record.input("x", dtype, SHAPE), dtype, SHAPE)]

    def grow(self) -> None:
        """Writes one more operator, behind any term."""
        x = self.terms[-1 - self.choose(min(3, len(self.terms)))]
        stored = x.dtype != REAL
        kinds = [self.transpose, self.reshape, self.dequantize if stored else self.quantize]
        kinds[self.choose(3) if stored or self.choose(4) else 0](x)
        if not stored and not self.choose(3):
            self.write("Abs", [x], REAL, x.shape)

    def quantize(self, x: Term) -> None:
        dtype = STORED[self.choose(len(STORED))]
        self.write("QuantizeLinear", [x, *self.parameters(dtype)], dtype, x.shape)

    def dequantize(self, x: Term) -> None:
        self.write("DequantizeLinear", [x, *self.parameters(x.dtype)], REAL, x.shape)

    def parameters(self, dtype: np.dtype[Any]) -> list[Term]:
        """A scale and mostly a zero point."""
        scale = constant_term(np.array((0.5, 0.37, 0.001, 3.0)[self.choose(4)], np.float32))
        middle = 0 if dtype.kind == "i" else int(np.iinfo(dtype).max) // 2 + 1
        zero = constant_term(np.array(middle + (0, 3, -7)[self.choose(3)], dtype))
        return [scale, zero] if dtype != np.uint8 or self.choose(5) else [scale]

    def transpose(self, x: Term) -> None:
        order = ((1, 2, 0), (2, 0, 1), (0, 2, 1))[self.choose(3)]
        self.write("Transpose", [x], x.dtype, tuple(x.shape[axis] for axis in order), perm=list(order))

    def reshape(self, x: Term) -> None:
        shape = ((4, 3, 2), (1, 6, 4), (2, 3, 4))[self.choose(3)]
        self.write("Reshape", [x, constant_term(np.array(shape, np.int64))], x.dtype, shape)

    def write(
        self, op: str, operands: list[Term], dtype: np.dtype[Any], shape: tuple[int, ...], **attributes: Any
    ) -> None:
        (handle,) = self.record.node(op, operands, [(dtype, shape)], attributes)
        self.terms.append(Term(handle, dtype, shape))


def results(record: Recorder, outputs: list[Term], x: Array) -> list[Array]:
    """The outputs of a record by ONNX Runtime, which optimizes nothing."""
    emitter = OnnxEmitter("moves")
    record.emitter = emitter
    content = emitter.finish(record.replay(outputs))
    onnx.checker.check_model(content, full_check=True)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return list(session.run(None, {session.get_inputs()[0].name: x}))


@settings(max_examples=150)
@given(data=st.data(), seed=st.integers(0, 1000))
def test_results_are_those_of_the_record_as_it_was(data: st.DataObject, seed: int) -> None:
    rng = np.random.default_rng(seed)
    dtype = data.draw(st.sampled_from([REAL, *STORED]))
    growing = Growing(lambda below: data.draw(st.integers(0, below - 1)), dtype)
    for _ in range(data.draw(st.integers(2, 8))):
        growing.grow()
    outputs = [growing.terms[-1], *data.draw(st.lists(st.sampled_from(growing.terms), max_size=3, unique_by=id))]
    info = None if dtype == REAL else np.iinfo(dtype)
    x = rng.normal(0, 40, SHAPE) if info is None else rng.integers(info.min, info.max + 1, SHAPE)
    expected = results(growing.record, outputs, x.astype(dtype))
    move_as_real(growing.record)
    for found, wanted in zip(results(growing.record, outputs, x.astype(dtype)), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def scalar(value: float | int, dtype: np.dtype[Any] = REAL) -> Term:
    return constant_term(np.array(value, dtype))


def operators(record: Recorder, outputs: list[Term]) -> list[str]:
    return [node.op for node in record.needed(outputs)]


def test_moved_integers_get_the_parameters_that_they_are_read_with() -> None:
    growing = Growing(lambda below: 0, STORED[0])
    growing.transpose(growing.terms[-1])
    growing.reshape(growing.terms[-1])
    growing.dequantize(growing.terms[-1])
    assert move_as_real(growing.record) == 2
    between = ["DequantizeLinear", "Transpose", "QuantizeLinear", "DequantizeLinear", "Reshape", "QuantizeLinear"]
    assert operators(growing.record, growing.terms[-1:]) == [*between, "DequantizeLinear"]


def test_numbers_that_become_integers_behind_a_move_become_them_before() -> None:
    growing = Growing(lambda below: 0, REAL)
    growing.transpose(growing.terms[-1])
    growing.quantize(growing.terms[-1])
    assert move_as_real(growing.record) == 1
    between = ["QuantizeLinear", "DequantizeLinear", "Transpose", "QuantizeLinear"]
    assert operators(growing.record, growing.terms[-1:]) == between
    assert operators(growing.record, growing.terms[1:]) == ["Transpose", *between], "another reader has the numbers"


def test_integers_without_parameters_move_by_themselves() -> None:
    growing = Growing(lambda below: 0, STORED[0])
    growing.transpose(growing.terms[-1])
    assert move_as_real(growing.record) == 0


@pytest.mark.parametrize("axis", [None, 0])
def test_parameters_that_are_computed_or_of_channels_are_not_taken(axis: int | None) -> None:
    """What is computed behind the move is not there before it."""
    growing = Growing(lambda below: 0, STORED[0])
    record = growing.record
    growing.transpose(growing.terms[-1])
    moved = growing.terms[-1]
    if axis is None:
        (handle,) = record.node("Abs", [scalar(0.5)], [(REAL, ())], {})
        scale, zero = Term(handle, REAL, ()), scalar(1, STORED[0])
    else:
        scale, zero = (constant_term(np.ones(moved.shape[0], dtype)) for dtype in (REAL, STORED[0]))
    attributes = {} if axis is None else {"axis": axis}
    (handle,) = record.node("DequantizeLinear", [moved, scale, zero], [(REAL, moved.shape)], attributes)
    outputs = [Term(handle, REAL, moved.shape)]
    x = np.arange(24, dtype=np.int8).reshape(SHAPE)
    expected = results(record, outputs, x)
    assert move_as_real(record) == 0
    np.testing.assert_array_equal(results(record, outputs, x), expected)


def test_only_qualcomms_provider_wants_it() -> None:
    assert wants_parameters("QNNExecutionProvider")
    assert not wants_parameters("CPUExecutionProvider")
