"""Operators that move and resample, alone on the device, against loops over every element."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.errors import DelegateExecuteError
from lite_delegate.ir import DataType, to_numpy
from lite_delegate.ir.types.enums import CoordinateTransformMode
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.device.instructions.crop import Sampling
from lite_delegate.npu.device.instructions.gathering import Take
from lite_delegate.npu.device.instructions.resize import Coordinates
from lite_delegate.npu.device.programs.program import ProgramStep
from lite_delegate.npu.execution.graph import NPUGraph
from tests.npu.device.test_crop import BOXES, IMAGES, place, sample
from tests.npu.device.test_resize import coordinate
from tests.npu.graphs import Array, const, graph_of, half, ints, node, node_with_outputs, out, predict, variable
from tests.npu.operators.limits import UNLIMITED, delegate_on

FREE = delegate_on(UNLIMITED)
DTYPES = [DataType.FLOAT32, DataType.FLOAT16, DataType.INT32, DataType.BOOL]


def elements(shape: Sequence[int], dtype: DataType = DataType.FLOAT32) -> Array:
    """Different elements of a type, as far as it has them; all are float16 numbers."""
    return (np.arange(np.prod(shape)).reshape(shape) % 7 - 3).astype(to_numpy(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_split(axis, dtype):
    x, fed, sizes = variable("x", (4, 4, 4), dtype), elements((4, 4, 4), dtype), (1, 2, -1)
    shapes = [[size if a == axis % 3 else 4 for a in range(3)] for size in (1, 2, 1)]
    kernel = node_with_outputs("Split", [x], shapes, dtype, size_splits=sizes, axis=axis)
    parts = predict([kernel], {x: fed}, *kernel.outputs)
    for start, shape, part in zip((0, 1, 3), shapes, parts, strict=True):
        assert part.dtype == fed.dtype
        for index in np.ndindex(*shape):
            source = list(index)
            source[axis] += start
            assert part[index] == fed[tuple(source)]


def test_split_sizes_as_an_input_and_one_output():
    x, fed = variable("x", (5,)), elements((5,))
    kernel = node_with_outputs("Split", [x, ints(2, 3)], [(2,), (3,)], size_splits=(1, 4))
    first, second = predict([kernel], {x: fed}, *kernel.outputs)
    assert (first.tolist(), second.tolist()) == (fed[:2].tolist(), fed[2:].tolist())
    whole = node_with_outputs("Split", [x], [(5,)])
    assert not any(graph_steps(graph_of([whole], whole.outputs)))
    np.testing.assert_array_equal(predict([whole], {x: fed})[0], fed)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, 2, -2])
def test_unstack(axis, dtype):
    x, fed = variable("x", (2, 3, 4), dtype), elements((2, 3, 4), dtype)
    rest = [d for a, d in enumerate((2, 3, 4)) if a != axis % 3]
    kernel = node_with_outputs("Unstack", [x], [rest] * fed.shape[axis], dtype, axis=axis)
    for number, part in enumerate(predict([kernel], {x: fed}, *kernel.outputs)):
        for index in np.ndindex(*rest):
            source = list(index)
            source.insert(axis % 3, number)
            assert part[index] == fed[tuple(source)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_some_outputs_of_a_split_are_used(dtype):
    x, fed = variable("x", (6, 2), dtype), elements((6, 2), dtype)
    cut = node_with_outputs("Split", [x], [(2, 2)] * 3, dtype)
    turned = node("Transpose", [cut.outputs[2], ints(1, 0)], (2, 2), dtype)
    middle, last = predict([cut, turned], {x: fed}, cut.outputs[1], out(turned))
    np.testing.assert_array_equal(middle, fed[2:4])
    np.testing.assert_array_equal(last, fed[4:].T)


@pytest.mark.parametrize(
    ("begin", "size", "axes", "want"),
    [
        ((0, 1, 2), (2, 2, 1), None, np.s_[0:2, 1:3, 2:3]),
        ((1, 0, 0), (-1, 3, -1), (), np.s_[1:2, 0:3, 0:4]),
        ((2, 1, 0), (1, 1, 2), (2, 0, -2), np.s_[1:2, 0:2, 2:3]),
    ],
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_slice_fusion(begin, size, axes, want, dtype):
    x, fed = variable("x", (2, 3, 4), dtype), elements((2, 3, 4), dtype)
    kernel = node("SliceFusion", [x, ints(*begin), ints(*size)], fed[want].shape, dtype, axes=axes)
    (got,) = predict([kernel], {x: fed})
    np.testing.assert_array_equal(got, fed[want])


STRIDED = [
    ("all", [(0, 0, 0), (2, 3, 4), (1, 1, 1)], {}, np.s_[:, :, :]),
    ("strides", [(0, 0, 1), (2, 3, 4), (1, 2, 2)], {}, np.s_[0:2, 0:3:2, 1:4:2]),
    ("backwards", [(1, 2, 3), (-3, -4, 0), (-1, -2, -1)], {}, np.s_[1::-1, 2::-2, 3:0:-1]),
    ("from_the_end", [(-1, -2), (2, -1), (1, 1)], {}, np.s_[-1:, -2:-1]),
    ("few_entries", [(1,), (2,), (1,)], {}, np.s_[1:2]),
    ("begin_mask", [(1, 1, 1), (2, 3, 4), (1, 1, 1)], {"begin_mask": 0b101}, np.s_[:2, 1:3, :4]),
    ("end_mask", [(1, 1, 1), (2, 2, 2), (1, 1, 1)], {"end_mask": 0b110}, np.s_[1:2, 1:, 1:]),
    ("ellipsis_mask", [(1, 1, 1), (2, 2, 2), (1, 1, 1)], {"ellipsis_mask": 0b110}, np.s_[1:2, :, 1:2]),
    ("shrink", [(1, 2, 0), (2, 3, 4), (1, 1, 2)], {"shrink_axis_mask": 0b011}, np.s_[1, 2, 0:4:2]),
    ("shrink_last", [(0, 0, -1), (2, 3, 9), (1, 1, 1)], {"shrink_axis_mask": 0b100}, np.s_[:, :, -1]),
    ("new_axis", [(9, 1, 0), (9, 2, 2), (1, 1, 1)], {"new_axis_mask": 0b001}, np.s_[None, 1:2, 0:2]),
    (
        "new_and_shrunk",
        [(1, 0, 9), (2, 3, 9), (1, 1, 1)],
        {"new_axis_mask": 0b100, "shrink_axis_mask": 1},
        np.s_[1, :, None],
    ),
    ("axes", [(3, 1), (0, 2), (2, 0), (-1, 1)], {}, np.s_[1:2, :, 3:0:-1]),
    ("axes_cut_off", [(-9, 1), (9, 99), (1, -1), (1, 1)], {}, np.s_[:, :, 1:]),
    ("axes_backwards", [(9,), (-9,), (2,), (-2,)], {}, np.s_[:, :, ::-2]),
    ("axes_empty", [(1,), (9,), (), (1,)], {}, np.s_[1:]),
    ("axes_masks", [(2, 1), (3, 2), (2, 0), (1, 1)], {"begin_mask": 0b100, "shrink_axis_mask": 1}, np.s_[1, :, :3]),
]


@pytest.mark.parametrize(("positions", "masks", "want"), [c[1:] for c in STRIDED], ids=[c[0] for c in STRIDED])
@pytest.mark.parametrize("dtype", DTYPES)
def test_strided_slice(positions, masks, want, dtype):
    x, fed = variable("x", (2, 3, 4), dtype), elements((2, 3, 4), dtype)
    kernel = node("StridedSlice", [x, *(ints(*p) for p in positions)], fed[want].shape, dtype, **masks)
    (got,) = predict([kernel], {x: fed})
    np.testing.assert_array_equal(got, fed[want])


@given(data=st.data(), shape=st.lists(st.integers(1, 5), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_strided_slice_of_any_positions(data, shape):
    entries = [
        (data.draw(st.integers(-d, d - 1)), data.draw(st.integers(-d, d)), data.draw(st.sampled_from([1, 2, 3])))
        for d in shape
    ]
    want = np.empty(shape)[tuple(slice(*entry) for entry in entries)]
    if 0 in want.shape:
        return
    x, fed = variable("x", shape), elements(shape)
    begin, end, strides = zip(*entries, strict=True)
    kernel = node("StridedSlice", [x, ints(*begin), ints(*end), ints(*strides)], want.shape)
    (got,) = predict([kernel], {x: fed})
    np.testing.assert_array_equal(got, fed[tuple(slice(*entry) for entry in entries)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("given_value", [True, False])
def test_pad_with_a_value(dtype, given_value):
    x, fed = variable("x", (2, 3), dtype), elements((2, 3), dtype)
    border = [const("c", np.array([2.75], np.float32))] if given_value else []
    attributes = {"constant_value": 9.0 if given_value else 2.75}
    (got,) = predict([node("PadFusion", [x, ints(1, 0, 2, 1), *border], (3, 6), dtype, **attributes)], {x: fed})
    value = {DataType.INT32: 2, DataType.BOOL: True}.get(dtype, 2.75)
    for i, j in np.ndindex(3, 6):
        inside = i >= 1 and 2 <= j < 5
        assert got[i, j] == (fed[i - 1, j - 2] if inside else value)


@pytest.mark.parametrize(("mode", "columns"), [("REFLECT", (2, 1, 0, 1, 2, 1)), ("SYMMETRIC", (1, 0, 0, 1, 2, 2))])
def test_pad_with_a_mirror(mode, columns):
    x, fed = variable("x", (2, 3)), elements((2, 3))
    kernel = node("PadFusion", [x, ints(0, 0, 2, 1)], (2, 6), padding_mode=mode)
    (got,) = predict([kernel], {x: fed}, delegate=FREE)
    for i, j in np.ndindex(2, 6):
        assert got[i, j] == fed[i, columns[j]]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("multiples", "dims", "counts"), [((2, 3), None, (2, 3, 1)), ((3, 2), (-1, 0), (2, 1, 3))])
def test_tile(multiples, dims, counts, dtype):
    x, fed = variable("x", (2, 1, 2), dtype), elements((2, 1, 2), dtype)
    shape = [c * d for c, d in zip(counts, fed.shape, strict=True)]
    (got,) = predict([node("TileFusion", [x, ints(*multiples)], shape, dtype, dims=dims)], {x: fed})
    for index in np.ndindex(*shape):
        assert got[index] == fed[tuple(i % d for i, d in zip(index, fed.shape, strict=True))]


@pytest.mark.parametrize("dtype", DTYPES)
def test_broadcast_to(dtype):
    x, fed = variable("x", (3, 1), dtype), elements((3, 1), dtype)
    by_input = node("BroadcastTo", [x, ints(2, -1, 4)], (2, 3, 4), dtype)
    by_attribute = node("BroadcastTo", [x], (2, 3, 4), dtype, shape=(2, 3, 4))
    for kernel in (by_input, by_attribute):
        (got,) = predict([kernel], {x: fed})
        for i, j, k in np.ndindex(2, 3, 4):
            assert got[i, j, k] == fed[j, 0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack(axis, dtype):
    x, y = variable("x", (2, 3), dtype), variable("y", (2, 3), dtype)
    fed = elements((2, 2, 3), dtype)
    shape = [2, 3]
    shape.insert(axis if axis >= 0 else 2, 2)
    (got,) = predict([node("Stack", [x, y], shape, dtype, axis=axis)], {x: fed[0], y: fed[1]})
    for index in np.ndindex(*shape):
        which = index[axis]
        rest = [i for a, i in enumerate(index) if a != axis % 3]
        assert got[index] == fed[(which, *rest)]


INDICES = [np.int32(1), np.array([2], np.int32), np.array([0, 2, -1], np.int32), np.array([[1, -3], [0, 2]], np.int64)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("indices", INDICES, ids=lambda i: str(i.tolist()))
@pytest.mark.parametrize("known", [True, False])
def test_gather(indices, axis, known, dtype):
    x, fed, wanted = variable("x", (3, 3), dtype), elements((3, 3), dtype), np.asarray(indices)
    positions = const("i", wanted) if known else variable("i", wanted.shape, DataType.INT32)
    feeds = {x: fed} if known else {x: fed, positions: wanted.astype(np.int32)}
    shape = (*wanted.shape, 3) if axis == 0 else (3, *wanted.shape)
    (got,) = predict([node("Gather", [x, positions, ints(axis)], shape, dtype)], feeds)
    for index in np.ndindex(*shape):
        inner, other = (index[:-1], index[-1]) if axis == 0 else (index[1:], index[0])
        found = int(wanted[inner])
        assert got[index] == (fed[found, other] if axis == 0 else fed[other, found])


def test_a_computed_index_outside_stops_the_run():
    x, positions = variable("x", (3, 2)), variable("i", (2,), DataType.INT32)
    kernel = node("Gather", [x, positions, ints(0)], (2, 2))
    with pytest.raises(DelegateExecuteError, match="index 3 is out of range for a dimension of 3"):
        predict([kernel], {x: elements((3, 2)), positions: np.array([0, 3], np.int32)})


@pytest.mark.parametrize("mode", CoordinateTransformMode)
@pytest.mark.parametrize("size", [(3, 4), (6, 8), (5, 7), (7, 4), (2, 3), (1, 1)])
@pytest.mark.parametrize("method", ["LINEAR", "NEAREST"])
def test_resize(method, size, mode):
    x, fed = variable("x", (2, 3, 4, 2)), half((2, 3, 4, 2), 0).astype(np.float32)
    attributes = {"method": method, "coordinate_transform_mode": mode, "new_height": size[0], "new_width": size[1]}
    (got,) = predict([node("Resize", [x], (2, *size, 2), **attributes)], {x: fed}, delegate=FREE)
    coordinates = Coordinates(mode.name.lower())
    for n, i, j, c in np.ndindex(2, *size, 2):
        row, column = coordinate(i, 3, size[0], coordinates), coordinate(j, 4, size[1], coordinates)
        if method == "NEAREST":
            up = Fraction(1, 2) if mode == CoordinateTransformMode.ALIGN_CORNERS else Fraction(0)
            assert got[n, i, j, c] == fed[n, (row + up).__floor__(), (column + up).__floor__(), c]
        else:
            want = bilinear(fed[n, :, :, c], row, column)
            assert abs(got[n, i, j, c] - want) <= 2.0**-10 * np.abs(fed[n, :, :, c]).max()


def bilinear(plane: Array, row: Fraction, column: Fraction) -> float:
    """A plane (H, W) between its pixels; the last row and column repeat."""
    total = 0.0
    for i, down in ((row.__floor__(), 1 - row % 1), (row.__floor__() + 1, row % 1)):
        for j, across in ((column.__floor__(), 1 - column % 1), (column.__floor__() + 1, column % 1)):
            pixel = plane[min(i, plane.shape[0] - 1), min(j, plane.shape[1] - 1)]
            total += float(down) * float(across) * float(pixel)
    return total


@pytest.mark.parametrize("dtype", [DataType.INT32, DataType.BOOL, DataType.FLOAT16])
def test_nearest_neighbors_of_any_type(dtype):
    x, fed = variable("x", (1, 2, 2, 1), dtype), elements((1, 2, 2, 1), dtype)
    (got,) = predict([node("Resize", [x, ints(4, 4)], (1, 4, 4, 1), dtype, method="NEAREST")], {x: fed})
    for i, j in np.ndindex(4, 4):
        assert got[0, i, j, 0] == fed[0, i // 2, j // 2, 0]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("method", ["LINEAR", "NEAREST"])
def test_crop_and_resize(method, known):
    fed, x = half((2, 4, 5, 3), 1).astype(np.float32), variable("x", (2, 4, 5, 3))
    boxes, images = variable("boxes", (5, 4)), variable("images", (5,), DataType.INT32)
    operands = [const("boxes", BOXES), const("images", IMAGES)] if known else [boxes, images]
    feeds = {x: fed} if known else {x: fed, boxes: BOXES, images: IMAGES}
    kernel = node("CropAndResize", [x, *operands, ints(3, 4)], (5, 3, 4, 3), method=method, extrapolation_value=0.5)
    (got,) = predict([kernel], feeds)
    sampling = Sampling(method.lower())
    for n, i, j, c in np.ndindex(got.shape):
        y1, x1, y2, x2 = BOXES[n]
        row, column = place(y1, y2, 4, 3, i), place(x1, x2, 5, 4, j)
        want = sample(fed[IMAGES[n], :, :, c], row, column, sampling, 0.5)
        assert got[n, i, j, c] == pytest.approx(want, rel=2.0**-10, abs=2.0**-10)


def test_boxes_keep_the_digits_that_float16_has_not():
    """Two boxes that float16 would round to the edge of the image: one inside, one beyond."""
    x, boxes, images = variable("x", (1, 3, 3, 1)), variable("boxes", (2, 4)), variable("i", (2,), DataType.INT32)
    kernel = node("CropAndResize", [x, boxes, images, ints(2, 2)], (2, 2, 2, 1), extrapolation_value=7.0)
    corners = np.array([[0, 0, 0.9999, 0.9999], [0, 0, 1.0001, 1.0001]], np.float32)
    doubled = node("AddFusion", [boxes, boxes], (2, 4))  # reads the same tensor as any other number
    feeds = {x: np.ones((1, 3, 3, 1), np.float32), boxes: corners, images: np.zeros(2, np.int32)}
    got, sums = predict([doubled, kernel], feeds, out(kernel), out(doubled))
    assert got[0, :, :, 0].tolist() == [[1, 1], [1, 1]]
    assert got[1, :, :, 0].tolist() == [[1, 7], [7, 7]]
    np.testing.assert_array_equal(sums, 2 * corners.astype(np.float16))


def test_boxes_that_the_device_computed():
    x, half_boxes, images = variable("x", (1, 3, 3, 1)), variable("b", (1, 4)), variable("i", (1,), DataType.INT32)
    doubled = node("AddFusion", [half_boxes, half_boxes], (1, 4))
    kernel = node("CropAndResize", [x, out(doubled), images, ints(1, 2)], (1, 1, 2, 1))
    fed = elements((1, 3, 3, 1))
    feeds = {x: fed, half_boxes: np.array([[0.25, 0, 0.25, 0.5]], np.float32), images: np.zeros(1, np.int32)}
    (got,) = predict([doubled, kernel], feeds)
    assert got.ravel().tolist() == [fed[0, 1, 0, 0], fed[0, 1, 2, 0]]


def test_a_box_of_no_image_stops_the_run():
    x, boxes, images = variable("x", (1, 3, 3, 1)), variable("boxes", (1, 4)), variable("i", (1,), DataType.INT32)
    kernel = node("CropAndResize", [x, boxes, images, ints(2, 2)], (1, 2, 2, 1))
    feeds = {
        x: np.ones((1, 3, 3, 1), np.float32),
        boxes: np.array([[0, 0, 1, 1]], np.float32),
        images: np.array([1], np.int32),
    }
    with pytest.raises(DelegateExecuteError, match="box_index must name one of 1 images, got 1"):
        predict([kernel], feeds)


@pytest.mark.parametrize(
    "kernel",
    [
        node("PadFusion", [variable("x", (2, 3)), ints(0, 0, 0, 0)], (2, 3)),
        node("TileFusion", [variable("x", (2, 3)), ints(1, 1)], (2, 3)),
        node("BroadcastTo", [variable("x", (2, 3))], (2, 3), shape=(2, 3)),
        node("SliceFusion", [variable("x", (2, 3)), ints(0, 0), ints(2, -1)], (2, 3)),
        node("Resize", [variable("x", (1, 2, 3, 1)), ints(2, 3)], (1, 2, 3, 1)),
    ],
    ids=lambda kernel: kernel.type,
)
def test_what_changes_nothing_costs_nothing(kernel):
    graph = graph_of([kernel], kernel.outputs)
    fed = elements(kernel.inputs[0].shape)
    kernel.inputs[0].data = fed
    graph.execute()
    np.testing.assert_array_equal(out(kernel).data, fed)
    assert not any(graph_steps(graph))


def graph_steps(graph: NPUGraph) -> list[tuple[ProgramStep, ...]]:
    """The steps of every program of a prepared graph."""
    return [model.loaded.program.steps for model in graph.models if model.loaded is not None]


@pytest.mark.parametrize("target", [DataType.INT32, DataType.BOOL])
def test_float32_that_is_kept_as_float32_becomes_integers(target):
    npu = NPUDelegate("npu4000", options={"INFERENCE_PRECISION_HINT": "f32"})
    x, fed = variable("x", (4,)), np.array([2049.0, -2049.9, 1e-9, 0], np.float32)
    (got,) = predict([node("Cast", [x, ints(target)], (4,), target)], {x: fed}, delegate=npu)
    assert got.tolist() == ([2049, -2049, 0, 0] if target == DataType.INT32 else [True, True, True, False])


@pytest.mark.parametrize("method", ["LINEAR", "NEAREST"])
def test_moving_keeps_float32_where_the_device_has_it(method):
    npu = NPUDelegate("npu4000", options={"INFERENCE_PRECISION_HINT": "f32"})
    x, fed = variable("x", (1, 2, 2, 1)), np.array([[[[1.0001], [1e6]], [[-1e-9], [3]]]], np.float32)
    resize = node("Resize", [x, ints(4, 4)], (1, 4, 4, 1), method=method)
    parts = node_with_outputs("Split", [out(resize)], [(1, 4, 2, 1)] * 2, axis=2)
    first, second = predict([resize, parts], {x: fed}, *parts.outputs, delegate=npu)
    np.testing.assert_array_equal(first[:, ::2, ::2], fed[:, :, :1])
    np.testing.assert_array_equal(second[:, ::2, ::2], fed[:, :, 1:])


def test_constant_indices_are_counted_from_the_front_when_compiled():
    kernel = node("Gather", [variable("x", (3, 2)), const("i", np.array([-1, 0, -3], np.int32)), ints(0)], (3, 2))
    ((step,),) = graph_steps(graph_of([kernel], kernel.outputs))
    assert step.instruction == Take(0, (2, 0, 0))
