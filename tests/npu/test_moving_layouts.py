"""Operators that move and resample between two convolutions: the model's axes are meant, and no permute is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pytest

from lite_delegate.npu.device.instructions.movement import Permute
from lite_delegate.tensors.tensor import Tensor
from tests.npu.graphs import (
    Array,
    HostKernel,
    const,
    graph_of,
    ints,
    node,
    node_with_outputs,
    out,
    predict,
    small_ints,
    variable,
)
from tests.npu.operators.limits import UNLIMITED, delegate_on
from tests.npu.test_layouts import X_SHAPE, C, Middle, pointwise
from tests.present import present

FREE = delegate_on(UNLIMITED)


def cut(index: tuple[slice, ...], *positions: Sequence[int], **masks: Any) -> Middle:
    def make(x: Tensor) -> HostKernel:
        return node("StridedSlice", [x, *(ints(*p) for p in positions)], np.empty(x.shape)[index].shape, **masks)

    return Middle(make, lambda v: v[index])


def box(begin: Sequence[int], size: Sequence[int]) -> Middle:
    index = tuple(slice(b, b + n) for b, n in zip(begin, size, strict=True))
    return Middle(lambda x: node("SliceFusion", [x, ints(*begin), ints(*size)], size), lambda v: v[index])


def pad(*pads: int, **attributes: Any) -> Middle:
    pairs = list(zip(pads[::2], pads[1::2], strict=True))
    mirrored: dict[str, Literal["reflect", "symmetric"]] = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}
    mode = mirrored.get(str(attributes.get("padding_mode")))

    def compute(v: Array) -> Array:
        if mode is None:
            return np.asarray(np.pad(v, pairs, constant_values=attributes.get("constant_value", 0)))
        return np.asarray(np.pad(v, pairs, mode=mode))

    def make(x: Tensor) -> HostKernel:
        shape = [d + sum(pair) for d, pair in zip(x.shape, pairs, strict=True)]
        return node("PadFusion", [x, ints(*pads)], shape, **attributes)

    return Middle(make, compute)


def tile(*counts: int) -> Middle:
    def make(x: Tensor) -> HostKernel:
        return node("TileFusion", [x, ints(*counts)], [c * d for c, d in zip(counts, x.shape, strict=True)])

    return Middle(make, lambda v: np.tile(v, counts))


def take(axis: int, indices: Array) -> Middle:
    def make(x: Tensor) -> HostKernel:
        return node("Gather", [x, const("i", indices), ints(axis)], np.empty(x.shape).take(indices, axis).shape)

    return Middle(make, lambda v: v.take(indices, axis))


def resize(method: str, height: int, width: int) -> Middle:
    """Twice or half as many rows and columns, where ASYMMETRIC copies or skips; LINEAR has halves between."""

    def make(x: Tensor) -> HostKernel:
        return node("Resize", [x, ints(height, width)], (x.shape[0], height, width, x.shape[3]), method=method)

    def compute(v: Array) -> Array:
        rows, columns = np.arange(height) * v.shape[1] / height, np.arange(width) * v.shape[2] / width
        if method == "NEAREST":
            return v[:, rows.astype(int)][:, :, columns.astype(int)]
        return between(between(v, 1, rows), 2, columns)

    return Middle(make, compute)


def between(v: Array, axis: int, places: Array) -> Array:
    lower = places.astype(int)
    upper = np.minimum(lower + 1, v.shape[axis] - 1)
    share = (places - lower).reshape((-1,) + (1,) * (3 - axis))
    return np.asarray(v.take(lower, axis) * (1 - share) + v.take(upper, axis) * share)


FOLLOWING = {
    "slice_channels": box((0, 0, 0, 1), (2, 5, 4, 2)),
    "slice_rows": box((1, 1, 0, 0), (1, 3, 4, 3)),
    "strided": cut(np.s_[:, ::2, 3:0:-1, :], (0, 0, 3, 0), (2, 5, 0, 3), (1, 2, -1, 1)),
    "strided_masks": cut(np.s_[0:1, :, 1:, 1:], (0, 4, 1, 1), (1, 1, 2, 2), (1,) * 4, begin_mask=2, end_mask=0b1110),
    "strided_axes": cut(np.s_[:, :, 1:3, :2], (0, 1), (2, 3), (3, 2), (1, 1)),
    "pad": pad(0, 0, 1, 2, 3, 0, 0, 1),
    "pad_value": pad(0, 0, 1, 0, 0, 0, 0, 1, constant_value=2.0),
    "pad_reflect": pad(0, 0, 2, 1, 0, 3, 0, 0, padding_mode="REFLECT"),
    "pad_symmetric": pad(0, 0, 2, 1, 0, 3, 1, 0, padding_mode="SYMMETRIC"),
    "tile": tile(1, 2, 1, 2),
    "gather_channels": take(3, np.array([2, 0, 2], np.int32)),
    "gather_rows": take(1, np.array([4, 4, 0], np.int32)),
    "nearest": resize("NEAREST", 10, 2),
    "linear": resize("LINEAR", 10, 8),
}


def between_convolutions(middle: Middle) -> tuple[list[HostKernel], Tensor, Callable[[Array], tuple[Array, Array]]]:
    """The kernels, their input, and what they compute: after the operator, and after the last convolution."""
    x = variable("x", X_SHAPE)
    first, left = pointwise(x, C, 1)
    inner = middle.make(out(first))
    last, right = pointwise(out(inner), 4, 2)

    def compute(fed: Array) -> tuple[Array, Array]:
        found = middle.compute((fed @ left).astype(np.float32))
        return found, found @ right

    return [first, inner, last], x, compute


@pytest.mark.parametrize("name", FOLLOWING)
def test_between_convolutions(name):
    kernels, x, compute = between_convolutions(FOLLOWING[name])
    fed = small_ints(X_SHAPE, 3)
    got, inner = predict(kernels, {x: fed}, out(kernels[2]), out(kernels[1]), delegate=FREE)
    want_inner, want = compute(fed)
    np.testing.assert_array_equal(inner, want_inner)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", FOLLOWING)
def test_no_permute_is_left_between_convolutions(name):
    kernels, _, _ = between_convolutions(FOLLOWING[name])
    graph = graph_of(kernels, kernels[-1].outputs, FREE)
    steps = [step for model in graph.models for step in present(model.loaded).program.steps]
    assert not [step.name for step in steps if isinstance(step.instruction, Permute)]


def test_parts_of_channels_go_separate_ways_and_meet_again():
    x = variable("x", X_SHAPE)
    first, left = pointwise(x, 4, 1)
    split = node_with_outputs("Split", [out(first)], [(2, 5, 4, 1), (2, 5, 4, 3)], size_splits=(1, -1), axis=-1)
    upper, right = pointwise(split.outputs[1], 2, 2)
    joined = node("Concat", [out(upper), split.outputs[0]], (2, 5, 4, 3), axis=3)
    last, final = pointwise(out(joined), 4, 3)
    fed = small_ints(X_SHAPE, 4)
    (got,) = predict([first, split, upper, joined, last], {x: fed})
    middle = fed @ left
    want = np.concatenate([middle[..., 1:] @ right, middle[..., :1]], axis=3) @ final
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("axis", [0, 1, 2, 3])
def test_unstacked_and_stacked_again_after_a_convolution(axis):
    x = variable("x", X_SHAPE)
    first, left = pointwise(x, 3, 1)
    rest = [d for a, d in enumerate(X_SHAPE) if a != axis]
    parts = node_with_outputs("Unstack", [out(first)], [rest] * X_SHAPE[axis], axis=axis)
    back = node("Stack", list(reversed(parts.outputs)), X_SHAPE, axis=axis)
    last, right = pointwise(out(back), 4, 2)
    fed = small_ints(X_SHAPE, 5)
    (got,) = predict([first, parts, back, last], {x: fed})
    np.testing.assert_array_equal(got, np.flip(fed @ left, axis) @ right)


def test_a_table_of_rows_after_a_convolution():
    x = variable("x", X_SHAPE)
    first, left = pointwise(x, C, 1)
    pooled = node("StridedSlice", [out(first), ints(0, 2), ints(2, 3), ints(1, 1)], (2, 4, C), shrink_axis_mask=0b10)
    table = node("Gather", [out(pooled), const("i", np.array([[0, 1], [3, 2]], np.int32)), ints(1)], (2, 2, 2, C))
    last, right = pointwise(out(table), 4, 2)
    fed = small_ints(X_SHAPE, 6)
    (got,) = predict([first, pooled, table, last], {x: fed})
    want = (fed @ left)[:, 2][:, [[0, 1], [3, 2]]] @ right
    np.testing.assert_array_equal(got, want)


def test_broadcast_over_a_convolution():
    x = variable("x", (2, 1, 1, 3))
    first, left = pointwise(x, C, 1)
    wide = node("BroadcastTo", [out(first)], X_SHAPE, shape=X_SHAPE)
    last, right = pointwise(out(wide), 4, 2)
    fed = small_ints((2, 1, 1, 3), 7)
    (got,) = predict([first, wide, last], {x: fed})
    np.testing.assert_array_equal(got, np.broadcast_to(fed @ left, X_SHAPE) @ right)


def test_crops_between_convolutions():
    x, images = variable("x", X_SHAPE), const("i", np.array([1, 0, 1], np.int32))
    first, left = pointwise(x, C, 1)
    boxes = const("boxes", np.array([[0, 0, 1, 1], [0.5, 0, 0.75, 1], [1, 1, 0, 0]], np.float32))
    crop = node("CropAndResize", [out(first), boxes, images, ints(5, 4)], (3, 5, 4, C), method="NEAREST")
    last, right = pointwise(out(crop), 4, 2)
    fed = small_ints(X_SHAPE, 8)
    (got,) = predict([first, crop, last], {x: fed})
    middle = fed @ left
    # 0.5 to 0.75 of the rows 0 to 4: 2, 2.25, 2.5, 2.75, 3, of which halves round up
    want = np.stack([middle[1], middle[0][[2, 2, 3, 3, 3]], middle[1][::-1, ::-1]]) @ right
    np.testing.assert_array_equal(got, want)
