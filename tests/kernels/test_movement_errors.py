"""What the operators that move data reject, and what they say then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, Array, ArraySpec, KernelInputError, KernelRegistry, spec_of

REGISTRY = KernelRegistry(ALL_KERNELS)
Shapes = tuple[tuple[int, ...], ...]


def _ints(*values: int) -> Array:
    return np.array(values, dtype=np.int32)


def _floats(*shape: int) -> Array:
    return np.zeros(shape, dtype=np.float32)


X = _floats(2, 3)
IMAGE = _floats(1, 3, 4, 2)

# operator, inputs, attributes, message: rejected by run (with the data at hand) and by infer (inputs all constant)
WRONG: list[tuple[str, tuple[Array, ...], dict[str, Any], str]] = [
    ("BroadcastTo", (X,), {"shape": (2, 4)}, r"\(2, 3\) cannot be broadcast to \[2, 4\]"),
    ("BroadcastTo", (X,), {"shape": (3,)}, "ranks do not match"),
    ("BroadcastTo", (X,), {"shape": (2, -1)}, r"shape must hold sizes when it is not an input, got \[2, -1\]"),
    ("BroadcastTo", (X,), {}, "shape must hold sizes when it is not an input, got None"),
    ("BroadcastTo", (X, _ints(-1, 2, 3)), {}, "ranks do not match"),
    ("BroadcastTo", (X, _ints(2, -2)), {}, r"target must hold sizes and -1, got \[2, -2\]"),
    ("BroadcastTo", (X, np.array([2, 3.5])), {}, r"target must hold whole numbers, got \[2.0, 3.5\]"),
    ("BroadcastTo", (X, np.array([True, True])), {}, "target must hold integers or whole floats, got dtype bool"),
    ("ExpandDims", (X, _ints(3)), {}, "axis 3 is out of range for rank 3, expected -3..2"),
    ("ExpandDims", (X, _ints(0, 1)), {}, r"axis must hold exactly one value, got \[0, 1\]"),
    ("ExpandDims", (X, _floats(1)), {}, "axis must hold integers, got dtype float32"),
    ("Flatten", (X,), {"axis": 3}, "axis 3 is out of range for rank 2, expected -2..2"),
    ("Flatten", (X,), {"axis": -3}, "axis -3 is out of range"),
    ("Gather", (X, _ints(0, 3), _ints(1)), {}, "index 3 is out of range for a dimension of 3, expected -3..2"),
    ("Gather", (X, _ints(-3), _ints(0)), {}, "index -3 is out of range for a dimension of 2"),
    ("Gather", (_floats(0, 3), _ints(0), _ints(0)), {}, "index 0 is out of range for a dimension of 0"),
    ("Gather", (X, _ints(0), _ints(2)), {}, "axis 2 is out of range for rank 2"),
    ("Gather", (X, _ints(0), _ints()), {}, r"axis must hold exactly one value, got \[\]"),
    ("PadFusion", (X, _ints(1, 1)), {}, r"paddings must be 4 values >= 0 for rank 2, got \[1, 1\]"),
    ("PadFusion", (X, _ints(0, -1, 0, 0)), {}, "paddings must be 4 values >= 0"),
    ("PadFusion", (X, _ints(0, 0, 0, 0)), {"padding_mode": "MODE_RESERVED"}, "padding_mode must be one of CONSTANT"),
    ("PadFusion", (X, _ints(2, 0, 0, 0)), {"padding_mode": "REFLECT"}, r"REFLECT paddings \(2, 0\) are wider"),
    ("PadFusion", (X, _ints(0, 3, 0, 0)), {"padding_mode": "SYMMETRIC"}, r"SYMMETRIC paddings \(0, 3\) are wider"),
    ("PadFusion", (_floats(0), _ints(1, 0)), {"padding_mode": "REFLECT"}, "wider than a dimension of 0 can mirror"),
    ("PadFusion", (X, _ints(0, 0, 0, 0), _ints(1, 2)), {}, "constant must hold exactly one value"),
    ("PadFusion", (_ints(1), _ints(1, 0)), {"constant_value": 3e9}, "constant 3000000000.0 does not fit dtype int32"),
    ("PadFusion", (_ints(1), _ints(1, 0)), {"constant_value": float("nan")}, "constant nan does not fit dtype int32"),
    ("Reshape", (X, _ints(2, 4)), {}, r"\(2, 3\) cannot become \(2, 4\), the element counts differ"),
    ("Reshape", (X, _ints()), {}, "the element counts differ"),
    ("Reshape", (X, _ints(-1, -1)), {}, "shape must hold sizes, 0 and at most one -1"),
    ("Reshape", (X, _ints(-2, 3)), {}, "shape must hold sizes, 0 and at most one -1"),
    ("Reshape", (X, _ints(4, -1)), {}, r"6 elements do not fill shape \[4, -1\]"),
    ("Reshape", (X, _ints(2, 3, 0)), {}, "copies a dimension that input shape"),
    ("Reshape", (X, np.array([2.5, 1.0])), {}, "shape must hold whole numbers"),
    ("Resize", (IMAGE, _ints(0, 3)), {}, "height and width must be at least 1, got 0"),
    ("Resize", (IMAGE, _ints(-1, 3)), {}, "height and width must be at least 1, got -1"),
    ("Resize", (IMAGE,), {"new_height": 2}, "height and width must be at least 1, got 0"),
    ("Resize", (IMAGE,), {"new_height": -1, "new_width": 2}, "height and width must be at least 1, got -1"),
    ("Resize", (IMAGE, _ints(1, 2, 3)), {}, "size must hold 1, 2 or 4 values"),
    ("Resize", (IMAGE, np.array([2.0])), {}, "a single size must hold integers, got dtype float64"),
    ("Resize", (IMAGE, np.array([0.1, 1.0])), {}, "height and width must be at least 1, got 0"),
    ("Resize", (IMAGE, np.array([np.nan, 1.0])), {}, "scale factor nan of a size of 3 does not give a size"),
    ("Resize", (IMAGE, np.array([-1.0, 1.0])), {}, "scale factor -1.0 of a size of 3"),
    ("Resize", (IMAGE, _ints(-1)), {}, "height and width must be at least 1, got -1"),
    ("SliceFusion", (X, _ints(0, -1), _ints(1, 1)), {}, "begin must not be negative"),
    ("SliceFusion", (X, _ints(0, 0), _ints(1, -2)), {}, "size not below -1, got 0 and -2"),
    ("SliceFusion", (X, _ints(0, 2), _ints(1, 2)), {}, "begin 2 with size 2 leaves a dimension of 3"),
    ("SliceFusion", (X, _ints(3, 0), _ints(-1, 1)), {}, "begin 3 with size -1 leaves a dimension of 2"),
    ("SliceFusion", (X, _ints(0), _ints(1)), {}, "begin must hold one value for each of 2 dimensions"),
    ("SliceFusion", (X, _ints(0, 0), _ints(1)), {}, "size must hold one value for each of 2 dimensions"),
    ("SliceFusion", (X, _ints(0, 0), _ints(1, 1)), {"axes": (1,)}, r"on axes \[1\]"),
    ("SliceFusion", (X, _ints(0, 0), _ints(1, 1)), {"axes": (1, 1)}, "name one axis twice"),
    ("Split", (X,), {"axis": 2, "output_num": 2}, "axis 2 is out of range for rank 2"),
    ("Split", (X,), {"axis": 1, "output_num": 2}, "a dimension of 3 cannot be cut into 2 equal parts"),
    ("Split", (X,), {}, "output_num must be at least 1, or the sizes given, got 0"),
    ("Split", (X,), {"output_num": -1}, "output_num must be at least 1, or the sizes given, got -1"),
    ("Split", (X,), {"axis": 1, "output_num": 2, "size_splits": (1, 1, 1)}, "3 sizes .* are given for 2 outputs"),
    ("Split", (X,), {"axis": 1, "size_splits": (-1, 1)}, "must not be negative, except for a last -1"),
    ("Split", (X,), {"axis": 1, "size_splits": (3, -1, 1)}, "must not be negative, except for a last -1"),
    ("Split", (X,), {"axis": 1, "size_splits": (1, -2)}, "must not be negative, except for a last -1"),
    ("Split", (X,), {"axis": 1, "size_splits": (1, 1)}, "do not add up to the dimension 3"),
    ("Split", (X,), {"axis": 1, "size_splits": (2, 2)}, "do not add up to the dimension 3"),
    ("Split", (X,), {"axis": 1, "size_splits": (4, -1)}, "do not add up to the dimension 3"),
    ("Split", (X, _ints(3, 3)), {"axis": 1}, "do not add up to the dimension 3"),
    ("Squeeze", (X,), {"axis": (0,)}, r"dimension 0 of shape \(2, 3\) is not 1 and cannot be squeezed"),
    ("Squeeze", (X, _ints(2)), {}, "axis 2 is out of range for rank 2"),
    ("Squeeze", (_floats(1, 1),), {"axis": (0, -2)}, "name one axis twice"),
    ("StridedSlice", (X, _ints(0), _ints(3), _ints(1)), {}, "begin 0 and end 3 are out of range for a dimension of 2"),
    ("StridedSlice", (X, _ints(3), _ints(2), _ints(1)), {}, "begin 3 and end 2 are out of range"),
    ("StridedSlice", (X, _ints(-3), _ints(2), _ints(1)), {}, "begin -3 and end 2 are out of range"),
    ("StridedSlice", (X, _ints(0), _ints(-4), _ints(1)), {}, "begin 0 and end -4 are out of range"),
    ("StridedSlice", (X, _ints(2), _ints(0), _ints(-1)), {}, "begin 2 is past the end of a dimension of 2"),
    ("StridedSlice", (X, _ints(0), _ints(2), _ints(0)), {}, r"strides must not be 0, got \[0\]"),
    ("StridedSlice", (X, _ints(0, 0), _ints(2), _ints(1)), {}, r"must have one length, got lengths \[2, 1, 1\]"),
    ("StridedSlice", (X, *[_ints(0, 0, 1)] * 2, _ints(1, 1, 1)), {}, "3 entries are too many for input shape"),
    ("StridedSlice", (X, _ints(0), _ints(2), _ints(1)), {"end_mask": -1}, "masks must not be negative"),
    ("StridedSlice", (X, _ints(2), _ints(2), _ints(1)), {"shrink_axis_mask": 1}, "begin 2 is out of range"),
    ("StridedSlice", (X, _ints(0), _ints(1), _ints(2), _ints(1)), {}, "axis 2 is out of range for rank 2"),
    ("StridedSlice", (X, *[_ints(0, 1)] * 2, _ints(0, -2), _ints(1, 1)), {}, "name one axis twice"),
    ("StridedSlice", (X, *[_ints(0, 1)] * 2, _ints(0), _ints(1, 1)), {}, r"got lengths \[2, 2, 2, 1\]"),
    ("StridedSlice", (X, *[_ints(0, 0, 1)] * 2, _ints(), _ints(1, 1, 1)), {}, "3 entries are too many for rank 2"),
    ("TileFusion", (X, _ints(1, 2, 3)), {}, "3 multiples are too many for rank 2"),
    ("TileFusion", (X, _ints(1, -1)), {}, r"multiples must not be negative, got \[1, -1\]"),
    ("TileFusion", (X, _ints(1)), {"dims": (0, 1)}, "must name one axis for each of 1 multiples"),
    ("TileFusion", (X, _ints(1)), {"dims": (2,)}, "axis 2 is out of range for rank 2"),
    ("Transpose", (X, _ints(0, 2)), {}, "axis 2 is out of range for rank 2"),
    ("Transpose", (X, _ints(1, 1)), {}, "name one axis twice"),
    ("Unsqueeze", (X,), {"axis": (3,)}, "axis 3 is out of range for rank 3"),
    ("Unsqueeze", (X,), {"axis": (0, -4)}, "name one axis twice"),
    ("Unstack", (X,), {"axis": 2}, "axis 2 is out of range for rank 2"),
    ("Unstack", (X,), {"output_count": 3}, "a dimension of 2 gives 2 outputs, but the node has 3"),
]

# rejected before the model runs, whoever runs it trusts that
WRONG_SHAPES: list[tuple[str, Shapes, dict[str, Any], str]] = [
    ("Concat", (), {}, "at least one input is needed, got none"),
    ("Concat", ((2, 3), (2, 3, 1)), {"axis": 0}, r"inputs must have one rank, got shapes \(2, 3\), \(2, 3, 1\)"),
    ("Concat", ((2, 3), (2, 4)), {"axis": 0}, "inputs must agree on axis 1"),
    ("Concat", ((2, 3), (2, 4)), {"axis": 2}, "axis 2 is out of range for rank 2"),
    ("Concat", ((), ()), {"axis": 0}, "axis 0 is out of range for rank 0"),
    ("Stack", (), {}, "at least one input is needed, got none"),
    ("Stack", ((2, 3), (2, 4)), {"axis": 0}, "inputs must agree on axis 1"),
    ("Stack", ((2, 3), (3,)), {"axis": 0}, "inputs must have one rank"),
    ("Stack", ((2, 3), (2, 3)), {"axis": 3}, "axis 3 is out of range for rank 3"),
    ("Resize", ((2, 3, 4),), {"new_height": 1, "new_width": 1}, r"input must be \(N, H, W, C\)"),
    (
        "Resize",
        ((2, 0, 4, 1),),
        {"new_height": 1, "new_width": 1},
        r"with H and W at least 1, got shape \(2, 0, 4, 1\)",
    ),
    ("Resize", ((1, 2, 2, 1),), {"preserve_aspect_ratio": True}, "preserve_aspect_ratio must be false"),
    ("Resize", ((1, 2, 2, 1),), {"method": "UNKNOWN"}, "method must be one of LINEAR, NEAREST, CUBIC, got UNKNOWN"),
    ("Resize", ((1, 2, 2, 1),), {"coordinate_transform_mode": "X"}, "must be one of ASYMMETRIC, ALIGN_CORNERS"),
]


@pytest.mark.parametrize(("op", "inputs", "attributes", "message"), WRONG)
def test_run_rejects(op: str, inputs: tuple[Array, ...], attributes: dict[str, Any], message: str) -> None:
    kernel = REGISTRY.find(op)
    assert kernel is not None
    with pytest.raises(KernelInputError, match=message):
        kernel.run(*inputs, **attributes)


@pytest.mark.parametrize(("op", "inputs", "attributes", "message"), WRONG)
def test_infer_rejects_the_same(op: str, inputs: tuple[Array, ...], attributes: dict[str, Any], message: str) -> None:
    kernel = REGISTRY.find(op)
    assert kernel is not None
    specs = [spec_of(np.asarray(x)) for x in inputs]
    with pytest.raises(KernelInputError, match=message):
        kernel.infer(*specs, **attributes)


@pytest.mark.parametrize(("op", "shapes", "attributes", "message"), WRONG_SHAPES)
def test_infer_rejects_shapes_and_attributes(op: str, shapes: Shapes, attributes: dict[str, Any], message: str) -> None:
    kernel = REGISTRY.find(op)
    assert kernel is not None
    with pytest.raises(KernelInputError, match=message):
        kernel.infer(*(ArraySpec(np.dtype(np.float32), s) for s in shapes), **attributes)


@pytest.mark.parametrize("op", ["Concat", "Stack"])
def test_joined_inputs_have_one_dtype(op: str) -> None:
    kernel = REGISTRY.find(op)
    assert kernel is not None
    with pytest.raises(KernelInputError, match="inputs must have one dtype, got float32, int8"):
        kernel.infer(ArraySpec(np.dtype(np.float32), (2,)), ArraySpec(np.dtype(np.int8), (2,)), axis=0)


def test_resize_interpolates_floats_only() -> None:
    kernel = REGISTRY.find("Resize")
    assert kernel is not None
    with pytest.raises(KernelInputError, match="method LINEAR must be one of float32, float16, float64, got int8"):
        kernel.infer(ArraySpec(np.dtype(np.int8), (1, 2, 2, 1)), new_height=1, new_width=1, method="LINEAR")


def test_gather_takes_integer_indices_of_a_vector_at_least() -> None:
    kernel = REGISTRY.find("Gather")
    assert kernel is not None
    x, axis = spec_of(X), spec_of(_ints(0))
    with pytest.raises(KernelInputError, match="indices must be integers, got float32"):
        kernel.infer(x, ArraySpec(np.dtype(np.float32), (1,)), axis)
    with pytest.raises(KernelInputError, match="input must have at least one dimension"):
        kernel.infer(spec_of(_floats()), spec_of(_ints(0)), axis)


def test_pad_takes_rank_6_and_not_7() -> None:
    kernel = REGISTRY.find("PadFusion")
    assert kernel is not None
    six, seven = (ArraySpec(np.dtype(np.float32), (1,) * rank) for rank in (6, 7))
    assert kernel.infer(six, spec_of(np.zeros(12, np.int32))) == ArraySpec(np.dtype(np.float32), (1,) * 6)
    with pytest.raises(KernelInputError, match="input must have at most 6 dimensions"):
        kernel.infer(seven, spec_of(np.zeros(14, np.int32)))
