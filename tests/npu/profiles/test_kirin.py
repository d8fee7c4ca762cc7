"""The profile of the Kirin NPU against the original's conditions, row by row of its table of operators.

Each row has kernels that the original takes and kernels that it rejects. What its table leaves to chance (attributes it
ignores, a device that fails later) is in docs/npu/support.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lite_delegate.delegate import Kernel, RejectCode
from lite_delegate.errors import DelegateUnavailable
from lite_delegate.ir import DataType
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.options.options import Options
from lite_delegate.npu.profiles import load_profile
from tests.npu.graphs import const, ints, node, node_with_outputs, variable
from tests.npu.operators.limits import code_on

KIRIN = load_profile("kirin")
F16, F32, I32, I64, BOOL = DataType.FLOAT16, DataType.FLOAT32, DataType.INT32, DataType.INT64, DataType.BOOL
DTYPE, LIMIT, RANK, ATTRIBUTE = RejectCode.DTYPE, RejectCode.LIMIT, RejectCode.RANK, RejectCode.ATTRIBUTE
NOT_CONSTANT, OPERATOR, SHAPE = RejectCode.NOT_CONSTANT, RejectCode.OPERATOR, RejectCode.SHAPE
IMAGE = (1, 4, 4, 2)


def x(*shape: int, dtype: DataType = F32) -> Any:
    return variable("x", shape, dtype)


def y(*shape: int, dtype: DataType = F32) -> Any:
    return variable("y", shape, dtype)


def unary(op: str, dtype: DataType = F32, **attributes: Any) -> Kernel:
    return node(op, [x(2, 3, dtype=dtype)], (2, 3), dtype, **attributes)


def binary(op: str, a: tuple[int, ...], b: tuple[int, ...], dtype: DataType = F32, made: DataType = F32) -> Kernel:
    shape = np.broadcast_shapes(a, b)
    return node(op, [x(*a, dtype=dtype), y(*b, dtype=dtype)], shape, made)


def conv(**attributes: Any) -> Kernel:
    weight = const("w", np.zeros((2, 3, 3, 2), np.float32))
    return node("Conv2DFusion", [x(*IMAGE), weight], IMAGE, group=1, pad_mode="SAME", **attributes)


def pool(op: str, shape: tuple[int, ...] = IMAGE, dtype: DataType = F32, **attributes: Any) -> Kernel:
    return node(op, [x(*shape, dtype=dtype)], shape, dtype, kernel_size=(1, 1), strides=(1, 1), **attributes)


def transposed(perm: tuple[int, ...], shape: tuple[int, ...], dtype: DataType = F32) -> Kernel:
    return node("Transpose", [x(*shape, dtype=dtype), ints(*perm)], tuple(shape[a] for a in perm), dtype)


def scaled(axis: int, *, offset: bool, shape: tuple[int, ...] = (1, 4, 4, 4)) -> Kernel:
    vectors = [const(name, np.ones(shape[axis], np.float32)) for name in ("scale", "offset")[: 1 + offset]]
    return node("ScaleFusion", [x(*shape), *vectors], shape, axis=axis)


def gathered(indices: Any, shape: tuple[int, ...], dtype: DataType = F32) -> Kernel:
    return node("Gather", [x(4, 3, dtype=dtype), indices, ints(0)], (*shape, 3), dtype)


def resized(shape: tuple[int, ...], **attributes: Any) -> Kernel:
    height, width = shape
    return node("Resize", [x(*IMAGE)], (1, height, width, 2), new_height=height, new_width=width, **attributes)


def sliced(axes: tuple[int, ...] | None, dtype: DataType = F32) -> Kernel:
    ends = [ints(0, 0), ints(2, 3)]
    last = [ints(1, 1)] if axes is None else [ints(*axes), ints(1, 1)]
    return node("StridedSlice", [x(3, 3, dtype=dtype), *ends, *last], (2, 3) if axes != (1, 0) else (3, 2), dtype)


def reduced(mode: str, dtype: DataType = F32, **more: Any) -> Kernel:
    return node("ReduceFusion", [x(2, 3, dtype=dtype), ints(1)], (2,), dtype, mode=mode, **more)


def product(a: tuple[int, ...], b: tuple[int, ...]) -> Kernel:
    return node("MatMulFusion", [x(*a), const("w", np.zeros(b, np.float32))], (*a[:-1], b[-1]))


def spread(group: int) -> Kernel:
    weight = const("w", np.zeros((2, 1, 1, 2 // group), np.float32))
    return node("Conv2dTransposeFusion", [x(*IMAGE), weight], IMAGE, group=group, kernel_size=(1, 1), stride=(1, 1))


def normed(shape: tuple[int, ...], *, constant: bool = True) -> Kernel:
    ones = [const(n, np.ones(shape[-1], np.float32)) if constant else y(shape[-1]) for n in ("scale", "shift")]
    return node("InstanceNorm", [x(*shape), *ones], shape)


def cropped(method: str) -> Kernel:
    boxes, index = const("b", np.zeros((1, 4), np.float32)), const("i", np.zeros(1, np.int32))
    return node("CropAndResize", [x(*IMAGE), boxes, index, ints(2, 2)], (1, 2, 2, 2), method=method)


UNARY = [
    "Ceil",
    "Cos",
    "ExpFusion",
    "Floor",
    "Log",
    "Neg",
    "Reciprocal",
    "Round",
    "Rsqrt",
    "Sin",
    "Sqrt",
    "Square",
    "Abs",
]
ARITHMETIC = ["AddFusion", "SubFusion", "DivFusion", "FloorMod", "FloorDiv", "Maximum", "Minimum"]
COMPARISONS = ["NotEqual", "LessEqual", "Greater", "GreaterEqual", "Less", "Equal"]
ACTIVATIONS = {"RELU", "RELU6", "SIGMOID", "TANH", "HSIGMOID", "LEAKY_RELU", "SWISH", "ELU", "GELU"}
OTHERS = ["HARD_TANH", "SOFTPLUS", "HSWISH", "SOFTSIGN", "SELU", "RELU1", "ABS", "SIGN", "FAST_GELU", "THRESHOLDRELU"]
MOVING = {
    "ExpandDims": lambda d: node("ExpandDims", [x(2, 3, dtype=d), ints(0)], (1, 2, 3), d),
    "Unsqueeze": lambda d: node("Unsqueeze", [x(2, 3, dtype=d)], (1, 2, 3), d, axis=(0,)),
    "Squeeze": lambda d: node("Squeeze", [x(1, 3, dtype=d)], (3,), d, axis=(0,)),
    "Flatten": lambda d: node("Flatten", [x(2, 3, dtype=d)], (2, 3), d, axis=1),
    "Concat": lambda d: node("Concat", [x(2, 3, dtype=d), y(2, 3, dtype=d)], (4, 3), d, axis=0),
    "SliceFusion": lambda d: node("SliceFusion", [x(2, 3, dtype=d), ints(0, 0), ints(1, 3)], (1, 3), d, axes=(0, 1)),
    "PadFusion": lambda d: node(
        "PadFusion", [x(2, 3, dtype=d), const("p", np.array([[1, 0], [0, 0]], np.int32))], (3, 3), d
    ),
    "Transpose": lambda d: transposed((0, 3, 1, 2), IMAGE, d),
    "Gather": lambda d: gathered(ints(1), (1,), d),
}
"""Operators that move elements, which the original takes of floats alone."""

ROWS: list[tuple[str, Kernel, RejectCode | None]] = [
    *((f"{op} of floats", unary(op), None) for op in UNARY),
    *((f"{op} of int32", unary(op, I32), DTYPE) for op in UNARY),
    *((f"{op} of float16", unary(op, F16), None) for op in UNARY),
    *((f"Activation {name}", unary("Activation", activation_type=name), None) for name in sorted(ACTIVATIONS)),
    *((f"Activation {name}", unary("Activation", activation_type=name), ATTRIBUTE) for name in OTHERS),
    ("Activation RELU of int32", unary("Activation", I32, activation_type="RELU"), DTYPE),
    *((f"{op} of equal ranks", binary(op, (2, 3), (1, 3)), None) for op in ARITHMETIC),
    *((f"{op} with a scalar", binary(op, (2, 3), ()), None) for op in ARITHMETIC),
    *((f"{op} of other ranks", binary(op, (2, 3), (3,)), RANK) for op in ARITHMETIC),
    *((f"{op} of int32", binary(op, (2, 3), (2, 3), I32, I32), DTYPE) for op in ARITHMETIC[:2]),
    *((f"{op} of int32", binary(op, (2, 3), (2, 3), I32, I32), DTYPE) for op in ("Maximum", "Minimum", "MulFusion")),
    ("Eltwise of int32", node("Eltwise", [x(2, dtype=I32), y(2, dtype=I32)], (2,), I32, mode="SUM"), DTYPE),
    *((f"Eltwise {m}", node("Eltwise", [x(2), y(2)], (2,), mode=m), None) for m in ("PROD", "SUM", "MAXIMUM")),
    ("MulFusion of other ranks", binary("MulFusion", (2, 3), (3,)), None),
    ("MulFusion of the largest area", binary("MulFusion", (1, 64, 26, 1), (1, 1, 1, 2)), None),
    ("MulFusion beyond it", binary("MulFusion", (1, 64, 27, 1), (1, 1, 1, 2)), LIMIT),
    ("MulFusion of one factor's shape", binary("MulFusion", (1, 64, 27, 2), (1, 1, 1, 2)), None),
    *((f"{op} of equal ranks", binary(op, (2, 2, 3), (2, 2, 3), made=BOOL), None) for op in COMPARISONS),
    *((f"{op} of other ranks", binary(op, (2, 2, 3), (3,), made=BOOL), RANK) for op in COMPARISONS),
    *((f"{op} of int32", binary(op, (2, 2, 3), (2, 2, 3), I32, BOOL), DTYPE) for op in COMPARISONS),
    ("Equal of rank 2", binary("Equal", (2, 3), (2, 3), made=BOOL), RANK),
    ("Less of rank 1", binary("Less", (3,), (3,), made=BOOL), RANK),
    *((f"{op} of bool", binary(op, (2, 3), (2, 3), BOOL, BOOL), None) for op in ("LogicalAnd", "LogicalOr")),
    *((f"{op} of int32", binary(op, (2, 3), (2, 3), I32, I32), DTYPE) for op in ("LogicalAnd", "LogicalOr")),
    *((f"{op} of other ranks", binary(op, (2, 3), (3,), BOOL, BOOL), RANK) for op in ("LogicalAnd", "LogicalOr")),
    ("LogicalNot of bool", unary("LogicalNot", BOOL), None),
    ("LogicalNot of int32", unary("LogicalNot", I32), DTYPE),
    ("ArgMaxFusion", node("ArgMaxFusion", [x(2, 3)], (2, 1), I32, axis=1, top_k=1, keep_dims=True), None),
    (
        "ArgMaxFusion of int32",
        node("ArgMaxFusion", [x(2, 3, dtype=I32)], (2, 1), I32, axis=1, top_k=1, keep_dims=True),
        DTYPE,
    ),
    ("AvgPoolFusion", pool("AvgPoolFusion"), None),
    ("AvgPoolFusion of any area with this driver", pool("AvgPoolFusion", (1, 256, 256, 1)), None),
    ("AvgPoolFusion of int32", pool("AvgPoolFusion", dtype=I32), DTYPE),
    ("MaxPoolFusion", pool("MaxPoolFusion"), None),
    ("MaxPoolFusion of any area", pool("MaxPoolFusion", (1, 256, 256, 1)), None),
    ("Cast from float", node("Cast", [x(2), ints(int(F16))], (2,), F16), None),
    ("Cast from int32", node("Cast", [x(2, dtype=I32), ints(int(F32))], (2,)), None),
    ("Cast from bool", node("Cast", [x(2, dtype=BOOL), ints(int(F32))], (2,)), None),
    ("Cast from int8", node("Cast", [x(2, dtype=DataType.INT8), ints(int(F32))], (2,)), DTYPE),
    ("Conv2DFusion", conv(), None),
    ("Conv2DFusion, RELU6 fused", conv(activation_type="RELU6"), None),
    (
        "Conv2DFusion, computed weight",
        node("Conv2DFusion", [x(*IMAGE), y(2, 3, 3, 2)], IMAGE, group=1, pad_mode="SAME"),
        NOT_CONSTANT,
    ),
    ("Conv2dTransposeFusion", spread(1), None),
    ("Conv2dTransposeFusion in groups", spread(2), LIMIT),
    ("CropAndResize LINEAR", cropped("LINEAR"), None),
    ("CropAndResize NEAREST", cropped("NEAREST"), None),
    ("CropAndResize CUBIC", cropped("CUBIC"), ATTRIBUTE),
    *((f"{op} of floats", make(F32), None) for op, make in MOVING.items()),
    *((f"{op} of int32", make(I32), DTYPE) for op, make in MOVING.items()),
    *((f"{op} of bool", make(BOOL), DTYPE) for op, make in MOVING.items()),
    ("FullConnection", node("FullConnection", [x(2, 3), const("w", np.zeros((4, 3), np.float32))], (2, 4)), None),
    (
        "FusedBatchNorm",
        node("FusedBatchNorm", [x(*IMAGE), *(const(n, np.ones(2, np.float32)) for n in "abcd")], IMAGE),
        None,
    ),
    ("Gather with one int32 index", gathered(ints(1), (1,)), None),
    ("Gather with many", gathered(ints(1, 0), (2,)), None),
    ("Gather with int64", gathered(const("i", np.array([1])), (1,)), DTYPE),
    ("Gather with computed int32", gathered(y(2, dtype=I32), (2,)), None),
    ("InstanceNorm", normed(IMAGE), None),
    ("InstanceNorm of three dimensions", normed((1, 4, 2)), RANK),
    ("InstanceNorm, computed scale", normed(IMAGE, constant=False), NOT_CONSTANT),
    ("MatMulFusion of rank 2, any size", product((2, 2000), (2000, 2)), None),
    ("MatMulFusion of rank 3, the largest", product((1, 2, 1024), (1, 1024, 2)), None),
    ("MatMulFusion of rank 3, beyond", product((1, 2, 1025), (1, 1025, 2)), LIMIT),
    (
        "PadFusion, mirrored",
        node("PadFusion", [x(2, 3), const("p", np.array([[1, 0], [0, 0]], np.int32))], (3, 3), padding_mode="REFLECT"),
        LIMIT,
    ),
    *((f"ReduceFusion {m}", reduced(m), None) for m in ("ReduceMean", "ReduceSum")),
    *((f"ReduceFusion {m}", reduced(m), LIMIT) for m in ("ReduceMax", "ReduceMin", "ReduceProd", "ReduceSumSquare")),
    ("ReduceFusion of int32", reduced("ReduceSum", I32), None),
    ("ReduceFusion to the end", reduced("ReduceSum", reduce_to_end=True), LIMIT),
    (
        "ReduceFusion, computed axes",
        node("ReduceFusion", [x(2, 3), y(1, dtype=I32)], (2,), mode="ReduceSum"),
        NOT_CONSTANT,
    ),
    ("Reshape", node("Reshape", [x(2, 3), ints(3, 2)], (3, 2)), None),
    ("Reshape of int32", node("Reshape", [x(2, 3, dtype=I32), ints(3, 2)], (3, 2), I32), None),
    ("Reshape of bool", node("Reshape", [x(2, 3, dtype=BOOL), ints(3, 2)], (3, 2), BOOL), DTYPE),
    ("Reshape to five dimensions", node("Reshape", [x(2, 3), ints(1, 1, 1, 3, 2)], (1, 1, 1, 3, 2)), RANK),
    ("Reshape, computed shape", node("Reshape", [x(2, 3), y(2, dtype=I32)], (3, 2)), NOT_CONSTANT),
    *((f"Resize up {m}", resized((8, 4), method=m), None) for m in ("LINEAR", "NEAREST")),
    *((f"Resize down {m}", resized((2, 4), method=m), LIMIT) for m in ("LINEAR", "NEAREST")),
    ("Resize CUBIC", resized((8, 8), method="CUBIC"), ATTRIBUTE),
    *((f"ScaleFusion, axis {a}", scaled(a, offset=False), None) for a in (1, 2, 3)),
    *((f"ScaleFusion with offset, axis {a}", scaled(a, offset=True), None) for a in (1, 3)),
    ("ScaleFusion with offset, axis 2", scaled(2, offset=True), LIMIT),
    ("ScaleFusion with offset, the last of two", scaled(1, offset=True, shape=(2, 4)), None),
    ("Softmax", unary("Softmax", axis=(-1,)), None),
    ("Split", node_with_outputs("Split", [x(4, 3)], [(2, 3), (2, 3)], axis=0, output_num=2), None),
    ("StridedSlice", sliced(None), None),
    ("StridedSlice, axes 0 and 1", sliced((0, 1)), None),
    ("StridedSlice, axes 1 and 0", sliced((1, 0)), LIMIT),
    ("StridedSlice of int32", sliced(None, I32), None),
    ("StridedSlice of bool", sliced(None, BOOL), DTYPE),
    *(
        (f"TileFusion of {d.name}", node("TileFusion", [x(2, 3, dtype=d), ints(2, 1)], (4, 3), d, dims=(0, 1)), None)
        for d in (F32, BOOL)
    ),
    ("TileFusion of int32", node("TileFusion", [x(2, 3, dtype=I32), ints(2, 1)], (4, 3), I32, dims=(0, 1)), DTYPE),
    ("Transpose to NCHW", transposed((0, 3, 1, 2), IMAGE), None),
    ("Transpose to NHWC", transposed((0, 2, 3, 1), IMAGE), None),
    *(
        (f"Transpose {p}", transposed(p, IMAGE), LIMIT)
        for p in ((0, 2, 1, 3), (3, 2, 1, 0), (0, 1, 2, 3), (1, 0, 2, 3))
    ),
    ("Transpose of a matrix", transposed((1, 0), (2, 3)), LIMIT),
    ("Transpose of three dimensions", transposed((0, 2, 1), (1, 2, 3)), LIMIT),
    ("Unsqueeze of four dimensions", node("Unsqueeze", [x(*IMAGE)], (1, *IMAGE), axis=(0,)), RANK),
    ("Unstack", node_with_outputs("Unstack", [x(2, 3)], [(3,), (3,)], axis=0), None),
    *(
        (f"BroadcastTo of {d.name}", node("BroadcastTo", [x(1, 3, dtype=d), ints(2, 3)], (2, 3), d), None)
        for d in (F32, BOOL)
    ),
    ("BroadcastTo of int32", node("BroadcastTo", [x(1, 3, dtype=I32), ints(2, 3)], (2, 3), I32), DTYPE),
    ("five dimensions", node("Sqrt", [x(1, 1, 1, 2, 2)], (1, 1, 1, 2, 2)), RANK),
    ("an unknown shape", node("Sqrt", [x(-1, 3)], (-1, 3)), SHAPE),
    *((f"{op}, which it lacks", unary(op), OPERATOR) for op in ("Erf", "LogSoftmax", "Log1p", "Elu", "LeakyRelu")),
]


@pytest.mark.parametrize(("kernel", "code"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_each_row(kernel: Kernel, code: RejectCode | None) -> None:
    assert code_on(KIRIN, kernel) is code


def test_each_operator_has_a_row_that_is_claimed() -> None:
    claimed = {kernel.type for _, kernel, code in ROWS if code is None}
    assert KIRIN.operators is not None
    assert claimed >= KIRIN.operators


DRIVERS = [
    ("100.320.011.032", pool("AvgPoolFusion", (1, 256, 256, 1)), LIMIT),
    ("100.330.011.032", pool("AvgPoolFusion", (1, 256, 256, 1)), None),
    ("100.320.011.032", pool("AvgPoolFusion", (1, 255, 256, 1)), None),
    ("100.500.010.009", node("BroadcastTo", [x(1, 3), ints(2, 3)], (2, 3)), LIMIT),
    ("100.500.010.010", node("BroadcastTo", [x(1, 3), ints(2, 3)], (2, 3)), None),
    ("100.320.012.042", gathered(ints(1, 0), (2,)), LIMIT),
    ("100.320.012.043", gathered(ints(1, 0), (2,)), None),
    ("100.320.012.042", gathered(ints(1), (1,)), None),
    ("100.500.010.009", resized((8, 8), method="NEAREST", coordinate_transform_mode="ALIGN_CORNERS"), LIMIT),
    ("100.500.010.010", resized((8, 8), method="NEAREST", coordinate_transform_mode="ALIGN_CORNERS"), None),
]


@pytest.mark.parametrize(("version", "kernel", "code"), DRIVERS)
def test_older_drivers_have_less(version: str, kernel: Kernel, code: RejectCode | None) -> None:
    assert code_on(replace(KIRIN, driver_version=version), kernel) is code


def delegate(**changes: Any) -> NPUDelegate:
    made = NPUDelegate("kirin")
    version = changes.pop("driver_version", KIRIN.driver_version)
    changed = replace(KIRIN, driver_version=version, presence=replace(KIRIN.presence, **changes))
    made.options = Options.of(changed)
    return made


@pytest.mark.parametrize(
    "soc", ["kirin985", "kirin990", "kirin990E", "kirin9000", "kirin810", "kirin820", "kirin820EX"]
)
def test_systems_that_are_accepted(soc: str) -> None:
    made = delegate(soc=soc)
    made.init()
    made.close()


@pytest.mark.parametrize(
    "soc", ["kirin984", "kirin970", "kirin815", "kirin", "kirin990e", "exynos990", "", "kirin990 "]
)
def test_systems_that_are_not(soc: str) -> None:
    with pytest.raises(DelegateUnavailable, match=f"must be kirin985 or newer, kirin810, kirin820, is '{soc}'"):
        delegate(soc=soc).init()


@pytest.mark.parametrize("version", ["99.0.0.0", "100.320.011.018", "100.320.10.999"])
def test_older_drivers_are_not_accepted(version: str) -> None:
    with pytest.raises(DelegateUnavailable, match=f"must be 100.320.011.019 or newer, is {version}"):
        delegate(driver_version=version).init()


@pytest.mark.parametrize("version", ["100.320.011.019", "100.320.11.19.1", "101", ""])
def test_newer_drivers_are(version: str) -> None:
    made = delegate(driver_version=version)
    made.init()
    made.close()


def test_a_profile_may_say_that_nothing_is_there() -> None:
    with pytest.raises(DelegateUnavailable, match="NPU profile 'kirin': there is no device"):
        delegate(absent=True).init()
