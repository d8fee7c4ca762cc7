"""Shape inference of the operators that move data, where something is not known before the model runs."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, Array, ArraySpec, KernelInputError, KernelRegistry, spec_of

REGISTRY = KernelRegistry(ALL_KERNELS)
FLOAT, INT = np.dtype(np.float32), np.dtype(np.int32)
Shape: TypeAlias = tuple[int, ...] | None


def _c(*values: int) -> ArraySpec:
    """A constant int32 input."""
    return spec_of(np.array(values, dtype=np.int32))


def _n(*shape: int) -> ArraySpec:
    """An int32 input that is not constant, of known shape."""
    return ArraySpec(INT, shape)


NOTHING = ArraySpec(INT, None)

# operator, input 0, the other inputs, attributes, the expected output shape
ONE_OUTPUT: list[tuple[str, Shape, tuple[ArraySpec, ...], dict[str, Any], Shape]] = [
    ("BroadcastTo", (-1, 1), (), {"shape": (2, 3)}, (2, 3)),
    ("BroadcastTo", None, (), {"shape": (2, 3)}, (2, 3)),
    ("BroadcastTo", (-1, 1), (_c(-1, 3),), {}, (-1, 3)),
    ("BroadcastTo", None, (_c(-1, 3),), {}, (-1, 3)),
    ("BroadcastTo", (3, 1), (_n(3),), {}, (-1, 3, -1)),
    ("BroadcastTo", (3, 1), (_n(2),), {}, (3, -1)),
    ("BroadcastTo", None, (_n(2),), {}, (-1, -1)),
    ("BroadcastTo", (3, 1), (NOTHING,), {}, None),
    ("ExpandDims", (-1, 3), (_c(1),), {}, (-1, 1, 3)),
    ("ExpandDims", (2, 3), (_n(),), {}, (-1, -1, -1)),
    ("ExpandDims", None, (_c(0),), {}, None),
    ("Flatten", (-1, 3, 4), (), {"axis": 1}, (-1, 12)),
    ("Flatten", (2, -1, 4), (), {"axis": 1}, (2, -1)),
    ("Flatten", (0, -1, 4), (), {"axis": 2}, (0, 4)),
    ("Flatten", None, (), {"axis": 0}, (-1, -1)),
    ("Gather", (-1, 8), (_n(2, 3), _c(0)), {}, (2, 3, 8)),
    ("Gather", (5, -1), (_n(-1), _c(0)), {}, (-1, -1)),
    ("Gather", (5, 8), (_n(2), _n()), {}, (-1, -1)),
    ("Gather", None, (_n(2), _c(0)), {}, None),
    ("Gather", (5, 8), (NOTHING, _c(0)), {}, None),
    ("Gather", (-1, 8), (_c(99), _c(0)), {}, (1, 8)),
    ("Gather", (4, 8), (_c(-4, 3), _c(0)), {}, (2, 8)),
    ("PadFusion", (-1, 3), (_c(1, 2, 0, 1),), {}, (-1, 4)),
    ("PadFusion", (-1, 3), (_c(9, 9, 0, 1),), {"padding_mode": "REFLECT"}, (-1, 4)),
    ("PadFusion", (2, 3), (_n(4),), {}, (-1, -1)),
    ("PadFusion", None, (_n(3, 2),), {}, (-1, -1, -1)),
    ("PadFusion", None, (NOTHING,), {}, None),
    ("Reshape", (-1, 3, 4), (_c(0, -1),), {}, (-1, 12)),
    ("Reshape", (-1, 3, 4), (_c(-1, 12),), {}, (-1, 12)),
    ("Reshape", (-1, 3, 4), (_c(6, 4),), {}, (6, 4)),
    ("Reshape", (2, -1), (_c(0, 0, 1),), {}, (2, -1, 1)),
    ("Reshape", (0, -1), (_c(-1, 5),), {}, (0, 5)),
    ("Reshape", None, (_c(0, -1, 5),), {}, (-1, -1, 5)),
    ("Reshape", (2, 3), (_n(3),), {}, (-1, -1, -1)),
    ("Reshape", (2, 3), (_n(-1),), {}, None),
    ("Resize", (-1, -1, -1, 3), (), {"new_height": 5, "new_width": 6}, (-1, 5, 6, 3)),
    ("Resize", (1, -1, 4, 3), (spec_of(np.array([2, 2], dtype=np.float32)),), {}, (1, -1, 8, 3)),
    ("Resize", (1, 4, -1, 3), (_c(2),), {}, (1, 7, -1, 3)),
    ("Resize", (1, 4, 4, 3), (_n(2),), {}, (1, -1, -1, 3)),
    ("Resize", None, (_c(7, 8),), {}, (-1, 7, 8, -1)),
    ("SliceFusion", (-1, 5), (_c(1, 2), _c(2, -1)), {}, (2, 3)),
    ("SliceFusion", (-1, 5), (_c(1, 2), _c(-1, 1)), {}, (-1, 1)),
    ("SliceFusion", (4, 5), (_n(2), _c(2, -1)), {}, (2, -1)),
    ("SliceFusion", (4, 5), (_c(1, 2), _n(2)), {}, (-1, -1)),
    ("SliceFusion", None, (_c(1, 2), _c(2, -1)), {}, None),
    ("Squeeze", (-1, 1, 3), (), {"axis": (1,)}, (-1, 3)),
    ("Squeeze", (-1, 1, 3), (), {"axis": (0,)}, (1, 3)),
    ("Squeeze", (-1, 1, 3), (), {}, None),
    ("Squeeze", None, (), {"axis": (0,)}, None),
    ("Squeeze", (-1, 1, 3), (_n(2),), {}, (-1,)),
    ("Squeeze", (2, 1, 3), (_n(-1),), {}, None),
    ("Squeeze", (1, 1), (_n(2),), {}, ()),
    ("StridedSlice", (-1, 8), (_c(1, 2), _c(4, 6), _c(1, 2)), {}, (3, 2)),
    ("StridedSlice", (-1,), (_c(-3), _c(-1), _c(1)), {}, (2,)),
    ("StridedSlice", (-1,), (_c(1), _c(-1), _c(1)), {}, (-1,)),
    ("StridedSlice", (-1,), (_c(1), _c(9), _c(1)), {"end_mask": 1}, (-1,)),
    ("StridedSlice", (-1,), (_c(-1), _c(3), _c(1)), {"begin_mask": 1}, (3,)),
    ("StridedSlice", (-1, 8), (_c(5), _c(6), _c(1)), {"shrink_axis_mask": 1}, (8,)),
    ("StridedSlice", (3, 8), (_n(2), _n(2), _n(2)), {}, (-1, -1)),
    ("StridedSlice", (3, 8), (_n(1), _n(1), _n(1)), {}, (-1, 8)),
    ("StridedSlice", (3, 8), (_n(2), _n(2), _n(2)), {"new_axis_mask": 1, "shrink_axis_mask": 2}, (1, 8)),
    ("StridedSlice", (-1,), (_c(2), _c(0), _c(-1)), {}, (2,)),
    ("StridedSlice", (3,), (_n(1), _c(2), _c(1)), {}, (-1,)),
    ("StridedSlice", (3,), (_c(1), _n(1), _c(1)), {}, (-1,)),
    ("StridedSlice", (3,), (_c(1), _c(2), _n(1)), {}, (-1,)),
    ("StridedSlice", (3, 8), (NOTHING, NOTHING, NOTHING), {}, None),
    ("StridedSlice", None, (_c(0), _c(1), _c(1)), {}, None),
    ("StridedSlice", (-1, 8), (_c(1), _c(4), _c(0), _c(1)), {}, (-1, 8)),
    ("StridedSlice", (-1, 8), (_c(1), _c(4), _c(1), _c(1)), {}, (-1, 3)),
    ("StridedSlice", (3, 8), (_n(1), _c(4), _c(1), _c(1)), {}, (3, -1)),
    ("StridedSlice", (3, 8), (_n(1), _c(4), _c(), _c(1)), {}, (-1, 8)),
    ("StridedSlice", (3, 8), (_n(1), _c(4), _n(1), _c(1)), {}, (-1, -1)),
    ("StridedSlice", (3, 8), (NOTHING, _c(4), _c(), _c(1)), {}, (-1, -1)),
    ("TileFusion", (-1, 3), (_c(2, 2),), {}, (-1, 6)),
    ("TileFusion", (-1, 3), (_c(0, 2),), {}, (0, 6)),
    ("TileFusion", (2, 3), (_n(1),), {}, (-1, 3)),
    ("TileFusion", (0, 3), (_n(2),), {}, (0, -1)),
    ("TileFusion", (2, 3), (_n(1),), {"dims": (1,)}, (2, -1)),
    ("TileFusion", (2, 3), (NOTHING,), {}, (-1, -1)),
    ("TileFusion", (2, 3), (NOTHING,), {"dims": (1,)}, (2, -1)),
    ("TileFusion", None, (_c(2),), {}, None),
    ("Transpose", (-1, 3, 5), (_c(2, 0, 1),), {}, (5, -1, 3)),
    ("Transpose", (2, 3), (_n(2),), {}, (-1, -1)),
    ("Transpose", None, (_c(1, 0),), {}, None),
    ("Unsqueeze", (-1, 3), (), {"axis": (-1,)}, (-1, 3, 1)),
    ("Unsqueeze", None, (), {"axis": (0,)}, None),
    ("Shape", None, (), {}, (-1,)),
    ("Shape", (-1, 3), (), {}, (2,)),
]


def _kernel_infer(op: str, *specs: ArraySpec, **attributes: Any) -> Any:
    kernel = REGISTRY.find(op)
    assert kernel is not None
    return kernel.infer(*specs, **attributes)


@pytest.mark.parametrize(("op", "x", "others", "attributes", "expected"), ONE_OUTPUT)
def test_what_is_known_of_the_shape(
    op: str, x: Shape, others: tuple[ArraySpec, ...], attributes: dict[str, Any], expected: Shape
) -> None:
    spec = _kernel_infer(op, ArraySpec(FLOAT, x), *others, **attributes)
    assert spec.shape == expected
    assert spec.dtype == (INT if op == "Shape" else FLOAT)


@pytest.mark.parametrize(
    ("shapes", "axis", "expected"),
    [
        (((-1, 3), (2, 3)), 0, (-1, 3)),
        (((-1, 3), (2, 4)), 1, (2, 7)),
        (((2, -1), None), 0, (-1, -1)),
        ((None, (2, 3)), 1, (2, -1)),
        ((None, None), 0, None),
    ],
)
def test_concat_learns_from_every_input(shapes: tuple[Shape, ...], axis: int, expected: Shape) -> None:
    assert _kernel_infer("Concat", *(ArraySpec(FLOAT, s) for s in shapes), axis=axis).shape == expected


@pytest.mark.parametrize(
    ("shapes", "axis", "expected"),
    [
        (((-1, 3), (2, -1)), 1, (2, 2, 3)),
        (((-1,), (-1,)), -1, (-1, 2)),
        ((None, (2, 3)), 0, (2, 2, 3)),
        ((None, None), 0, None),
    ],
)
def test_stack_learns_from_every_input(shapes: tuple[Shape, ...], axis: int, expected: Shape) -> None:
    assert _kernel_infer("Stack", *(ArraySpec(FLOAT, s) for s in shapes), axis=axis).shape == expected


@pytest.mark.parametrize(
    ("x", "others", "attributes", "expected"),
    [
        ((-1, 3), (), {"output_num": 2}, [(-1, 3), (-1, 3)]),
        ((-1, 3), (), {"size_splits": (1, -1)}, [(1, 3), (-1, 3)]),
        ((-1, 4), (), {"output_num": 2, "axis": 1}, [(-1, 2), (-1, 2)]),
        ((6, 4), (_n(2),), {}, [(-1, 4), (-1, 4)]),
        ((6, 4), (NOTHING,), {"output_num": 3}, [(-1, 4)] * 3),
        ((6, 4), (NOTHING,), {"output_count": 2}, [(-1, 4)] * 2),
        ((6, 4), (), {"output_count": 3}, [(2, 4)] * 3),
        (None, (), {"output_num": 2}, [None, None]),
    ],
)
def test_split(x: Shape, others: tuple[ArraySpec, ...], attributes: dict[str, Any], expected: list[Shape]) -> None:
    specs = _kernel_infer("Split", ArraySpec(FLOAT, x), *others, **attributes)
    assert [s.shape for s in specs] == expected


def test_split_cuts_as_many_equal_parts_as_the_node_has_outputs() -> None:
    kernel = REGISTRY.find("Split")
    assert kernel is not None
    assert [part.shape for part in kernel.run(np.zeros((6, 2)), output_count=3)] == [(2, 2)] * 3


@pytest.mark.parametrize(
    ("x", "attributes", "expected"),
    [
        ((-1, 3), {"axis": 1}, [(-1,)] * 3),
        ((-1, 3), {"axis": 0, "output_count": 2}, [(3,), (3,)]),
        (None, {"output_count": 2}, [None, None]),
    ],
)
def test_unstack(x: Shape, attributes: dict[str, Any], expected: list[Shape]) -> None:
    assert [s.shape for s in _kernel_infer("Unstack", ArraySpec(FLOAT, x), **attributes)] == expected


@pytest.mark.parametrize("x", [(-1, 3), None])
def test_unstack_of_an_unknown_dimension_needs_the_output_count(x: Shape) -> None:
    with pytest.raises(KernelInputError, match="the number of outputs is not known"):
        _kernel_infer("Unstack", ArraySpec(FLOAT, x), axis=0)


def test_shape_gives_its_value_when_every_dimension_is_known() -> None:
    known = _kernel_infer("Shape", ArraySpec(FLOAT, (2, 0, 3)))
    np.testing.assert_array_equal(known.value, np.array([2, 0, 3], dtype=np.int32), strict=True)
    assert _kernel_infer("Shape", ArraySpec(FLOAT, (2, -1))).value is None
    assert _kernel_infer("Shape", ArraySpec(FLOAT, None)).value is None


@pytest.mark.parametrize(
    ("op", "x", "others", "message"),
    [
        ("Reshape", (-1, 4), (_c(3, 5),), "the element counts differ"),
        ("Reshape", (-1, 4), (_c(0, 4, 0),), "copies a dimension"),
        ("Reshape", None, (_c(-1, -1),), "at most one -1"),
        ("BroadcastTo", (-1, 2), (_c(3, 4),), "cannot be broadcast"),
        ("BroadcastTo", (2, 3, 4), (_n(2),), "cannot be broadcast to rank 2"),
        ("BroadcastTo", None, (_c(-2),), "target must hold sizes"),
        ("SliceFusion", (-1, 4), (_c(0, 3), _c(1, 2)), "leaves a dimension of 4"),
        ("PadFusion", (-1, 4), (_n(3),), "paddings must hold two values per dimension, got 3"),
        ("PadFusion", None, (_n(3),), "paddings must hold two values per dimension, got 3"),
        ("StridedSlice", (-1, 4), (_c(0, 0), _c(1, 5), _c(1, 1)), "out of range for a dimension of 4"),
        ("StridedSlice", (3,), (_n(2), _n(2), _n(2)), "2 entries are too many"),
        ("SliceFusion", (3, 4), (_n(2), _c(-2, 4)), "size not below -1"),
        ("SliceFusion", (3, 4), (_n(2), _c(-1, 5)), "leaves a dimension of 4"),
        ("Squeeze", (1, 1), (_n(3),), "3 axes are too many for rank 2"),
        ("TileFusion", (2,), (_n(2),), "2 multiples are too many for rank 1"),
        ("Split", (-1, 4), (_c(-1, 2),), "must not be negative"),
    ],
)
def test_what_is_certainly_wrong_is_rejected(op: str, x: Shape, others: tuple[ArraySpec, ...], message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        _kernel_infer(op, ArraySpec(FLOAT, x), *others)


VIEWS: list[tuple[str, tuple[Array, ...], dict[str, Any]]] = [
    ("Reshape", (np.array([3, 2], dtype=np.int32),), {}),
    ("Transpose", (np.array([1, 0], dtype=np.int32),), {}),
    ("Split", (), {"output_num": 2}),
    ("Unsqueeze", (), {"axis": (0,)}),
]


@pytest.mark.parametrize(("op", "others", "attributes"), VIEWS)
def test_moving_without_copying_gives_views(op: str, others: tuple[Array, ...], attributes: dict[str, Any]) -> None:
    kernel = REGISTRY.find(op)
    assert kernel is not None
    x = np.zeros((2, 3), dtype=np.float32)
    result = kernel.run(x, *others, **attributes)
    assert all(np.shares_memory(x, y) for y in (result if isinstance(result, tuple) else (result,)))
