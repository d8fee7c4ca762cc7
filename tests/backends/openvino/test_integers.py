"""Integers of all sizes, over their whole range: what is claimed gives what ONNX's reference evaluator gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from lite_delegate.backends.lowering import Term
from lite_delegate.backends.openvino.emitting.emitter import OpenVINOEmitter
from lite_delegate.backends.openvino.models.compiled import CompileSettings, SharedCompiledModel
from tests.backends.openvino.test_operators import Array, ints, reference, written
from tests.backends.openvino.test_operators import computed as computed_by

pytest.importorskip("openvino", reason="the package openvino is not installed")
RNG = np.random.default_rng(11)
ARITHMETIC = ("Add", "Sub", "Mul", "Max", "Min")
COMPARISONS = ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
NARROW = ("int8", "uint8", "int16", "uint16")
Given = tuple[str, list[Array], dict[str, Any]]


def full(dtype: str, *shape: int) -> Array:
    limits = np.iinfo(dtype)
    return RNG.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def computed(dtype: str) -> Iterator[Given]:
    x, y = full(dtype, 30, 40), full(dtype, 40)
    near = np.where(RNG.random(x.shape) > 0.5, x, x ^ np.array(1, dtype))
    for op in ("Abs", "Neg", "Sign", "Relu"):
        yield op, [x], {}
    for op in (*ARITHMETIC, "BitwiseXor"):
        yield op, [x, y], {}
    bits = (np.arange(40) % (8 * x.itemsize)).astype(dtype)
    for direction in ("LEFT", "RIGHT"):
        yield "BitShift", [x, bits], {"direction": direction}
    for op in COMPARISONS:
        yield op, [x, near], {}
    yield "Clip", [x, np.array(1, dtype), np.array(100, dtype)], {}
    yield "TopK", [x, ints(4)], {"axis": 1}
    yield "TopK", [x, ints(40)], {"axis": 1, "largest": 0}
    yield "ArgMax", [x], {"axis": 1}
    if dtype in NARROW:
        yield "ReduceMax", [x, ints(1)], {"keepdims": 0}
        yield "ReduceMin", [x, ints(0)], {"keepdims": 1}
    for name in ("INT8", "UINT8", "INT16", "UINT16", "INT32", "INT64", "FLOAT", "BOOL"):
        yield "Cast", [x], {"to": TensorProto.DataType.Value(name)}


def moved(dtype: str) -> Iterator[Given]:
    x, one = full(dtype, 3, 4), np.array(1, dtype)
    yield "Where", [RNG.random((3, 4)) > 0.5, x, full(dtype, 4)], {}
    yield "Slice", [x, ints(4), ints(-100), ints(1), ints(-2)], {}
    yield "Tile", [x, ints(2, 1)], {}
    yield "Expand", [full(dtype, 3, 1), ints(2, 3, 4)], {}
    yield "Gather", [x, ints([0, -1], [2, 1])], {"axis": 1}
    yield "GatherElements", [x, ints([0, 2, -1, 1])], {"axis": 0}
    yield "GatherND", [x, ints([0, 1], [2, 3])], {}
    yield "ScatterElements", [x, ints([0, 2, 1, 1]), full(dtype, 1, 4)], {"axis": 0}
    yield "ScatterND", [x, ints([0], [2]), full(dtype, 2, 4)], {}
    yield "Trilu", [x, np.array(1, np.int64)], {"upper": 1}
    yield "Pad", [x, ints(1, 0, 2, 3), one], {}
    yield "Concat", [x, full(dtype, 3, 1)], {"axis": 1}
    yield "Transpose", [x], {}
    yield "DepthToSpace", [full(dtype, 1, 8, 2, 3)], {"blocksize": 2}


@pytest.mark.parametrize("dtype", [*NARROW, "int32"])
@pytest.mark.parametrize("cases", [computed, moved])
def test_integers_of_their_whole_range_are_right(cases: Any, dtype: str) -> None:
    given: list[Given] = list(cases(dtype))
    expected = [reference(*each) for each in given]
    emitter = OpenVINOEmitter()
    outputs: list[Term] = []
    for (op, operands, attributes), wanted in zip(given, expected, strict=True):
        outputs += written(emitter, op, operands, attributes, wanted)
    prepared = SharedCompiledModel(
        emitter.finish("m", outputs), CompileSettings(config={"INFERENCE_PRECISION_HINT": "f32"})
    )
    prepared.load()
    inputs = [operands[0] for _, operands, _ in given]
    found = iter(computed_by(prepared, inputs, [(term.dtype, term.shape) for term in outputs]))
    for (op, *_), wanted in zip(given, expected, strict=True):
        for each in wanted:
            np.testing.assert_array_equal(next(found), each, err_msg=op)
