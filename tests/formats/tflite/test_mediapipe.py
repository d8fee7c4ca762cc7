"""The custom operators of MediaPipe's models: what becomes of their options, and what the runtime then gives.

Expected values are written out in loops by the public definitions. LiteRT judges the one operator that it has.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from flatbuffers import flexbuffers
from lite_delegate_kernels.built_in import built_in_kernels

from lite_delegate import Context, Model, ModelFormatError
from lite_delegate.formats.ms import ms_bytes, read_ms_buffer
from lite_delegate.formats.tflite import read_tflite_buffer
from lite_delegate.ir import custom_attributes, custom_type, difference
from lite_delegate.npu import NPUDelegate

from .models import G, Op, assert_same, const, floats, litert, model_bytes, ours, out, single

SAME, VALID = 1, 2
RELU = 1


def flexible(**options: Any) -> bytes:
    """Options as a flexbuffer whose lists are vectors of integers, as MediaPipe's converter writes them."""
    builder = flexbuffers.Builder()
    with builder.Map():
        for name, value in options.items():
            if isinstance(value, list):
                builder.Key(name)
                builder.TypedVectorFromElements(value)
            else:
                builder.Add(name, value)
    return bytes(builder.Finish())


def transposed_convolution(x: Any, weight: Any, bias: Any, padding: int, stride: tuple[int, int]) -> Any:
    """Every element of ``x`` times every one of the weight, added where it belongs."""
    batch, height, width, _ = x.shape
    count, kernel_h, kernel_w, _ = weight.shape
    cut = [0, 0]
    if padding == SAME:
        sizes = zip((kernel_h, kernel_w), (height, width), stride, strict=True)
        cut = [max(0, k - (n - 1) % s - 1) for k, n, s in sizes]
    shape = (batch, stride[0] * (height - 1) + kernel_h - cut[0], stride[1] * (width - 1) + kernel_w - cut[1], count)
    y = np.zeros(shape) + bias
    for n, line, column, down, across in np.ndindex(batch, height, width, kernel_h, kernel_w):
        at = line * stride[0] + down - cut[0] // 2, column * stride[1] + across - cut[1] // 2
        if 0 <= at[0] < shape[1] and 0 <= at[1] < shape[2]:
            y[n, at[0], at[1]] += weight[:, down, across].astype(np.float64) @ x[n, line, column]
    return y.astype(np.float32)


GEOMETRIES = {
    "as_in_selfie_segmentation": ((4, 5), (2, 2), (2, 2), SAME),
    "odd_kernel": ((4, 5), (3, 3), (2, 2), SAME),
    "stride_one": ((4, 5), (3, 4), (1, 1), SAME),
    "strides_differ": ((5, 4), (4, 3), (2, 3), SAME),
    "valid": ((4, 5), (3, 3), (2, 2), VALID),
    "kernel_below_stride": ((3, 3), (1, 2), (2, 3), VALID),
}


@pytest.mark.parametrize("name", sorted(GEOMETRIES))
def test_transposed_convolution_with_bias(name: str) -> None:
    size, kernel, stride, padding = GEOMETRIES[name]
    x = floats(1, 2, *size, 3)
    weight, bias = (const(floats(seed, *shape).data) for seed, shape in ((2, (4, *kernel, 3)), (3, (4,))))
    want = transposed_convolution(x.data, weight.data, bias.data, padding, stride)
    options = struct.pack("<3i", padding, stride[1], stride[0])
    content = single(
        "Convolution2DTransposeBias", [x, weight, bias], [out(shape=want.shape)], custom=True, raw_options=options
    )
    assert [node.op_type for node in read_tflite_buffer(content).nodes] == ["Conv2dTransposeFusion"]
    assert_same(ours(content, [x.data]), [want], rtol=1e-4, atol=1e-5)
    assert_same(litert(content, [x.data], plain=False, delegates=True), [want], rtol=1e-4, atol=1e-5)


def test_a_delegate_takes_the_transposed_convolution() -> None:
    x, weight, bias = floats(1, 1, 4, 4, 3), const(floats(2, 1, 2, 2, 3).data), const(floats(3, 1).data)
    options = struct.pack("<3i", SAME, 2, 2)
    content = single(
        "Convolution2DTransposeBias", [x, weight, bias], [out(shape=(1, 8, 8, 1))], custom=True, raw_options=options
    )
    context = Context()
    context.set_delegate(NPUDelegate())
    context.strict = True
    model = Model()
    model.build_from_graph(read_tflite_buffer(content), context)


def windows(padding: int, stride: tuple[int, int], window: tuple[int, int], activation: int = 0) -> bytes:
    """``TfLitePoolParams``, with what the interpreter works out itself."""
    return struct.pack("<10i", padding, stride[1], stride[0], window[1], window[0], activation, 0, 0, 0, 0)


def test_max_pool_with_places_and_back() -> None:
    """A pool is an operator of ours and its places a node of their own; unpooling puts the elements back."""
    x = floats(1, 1, 6, 4, 2)
    pool, unpool = (windows(SAME, (2, 2), (2, 2), each) for each in (RELU, 0))
    ops = [
        Op("MaxPoolingWithArgmax2D", [0], [1, 2], custom=True, raw_options=pool),
        Op("MaxUnpooling2D", [1, 2], [3], custom=True, raw_options=unpool),
    ]
    content = model_bytes([G([x, out(), out(), out()], ops, [0], [1, 2, 3])])
    graph = read_tflite_buffer(content)
    assert [(n.op_type, custom_type(n.primitive)) for n in graph.nodes] == [
        ("MaxPoolFusion", "MaxPoolFusion"),
        ("Custom", "mediapipe.MaxPoolingArgmax2D"),
        ("Custom", "mediapipe.MaxUnpooling2D"),
    ]
    assert difference(graph, read_ms_buffer(ms_bytes(graph))) is None
    pooled, places = np.zeros((1, 3, 2, 2), np.float32), np.zeros((1, 3, 2, 2), np.float32)
    back = np.zeros((1, 6, 4, 2), np.float32)
    for _, line, column, channel in np.ndindex(pooled.shape):
        block = x.data[0, 2 * line : 2 * line + 2, 2 * column : 2 * column + 2, channel].ravel()
        place = int(np.argmax(block))
        pooled[0, line, column, channel] = max(block[place], 0)
        places[0, line, column, channel] = place + 0.1
        back[0, 2 * line + place // 2, 2 * column + place % 2, channel] = max(block[place], 0)
    assert_same(ours(content, [x.data]), [pooled, places, back])


CROP: dict[str, Any] = {
    "left_rotation_idx": 1,
    "right_rotation_idx": 2,
    "output_height": 4,
    "output_width": 6,
    "scale_x": 1.5,
}
CROP |= {"scale_y": 1.25, "target_rotation_radians": 0.5, "subset_idxs": [0, 1, 2, 3]}
BOX: dict[str, Any] = {"dimensions": 3, "landmarks_range": 64, "bbox_size_multiplier": 1.5, "left_rotation_idx": 1}
BOX |= {"right_rotation_idx": 2, "input_hw": [32, 48], "output_hw": [8, 12], "subset": [0, 1, 3]}


@pytest.mark.parametrize("name", ["Landmarks2TransformMatrix", "Landmarks2TransformMatrixV2"])
def test_second_version_of_the_crop(name: str) -> None:
    content = single(name, [floats(1, 1, 5, 3)], [out()], custom=True, version=2, raw_options=flexible(**CROP))
    (node,) = read_tflite_buffer(content).nodes
    found = custom_attributes(node.primitive)
    assert custom_type(node.primitive) == "mediapipe.Landmarks2TransformMatrixV2"
    assert {k: v for k, v in found.items() if not k.startswith("@")} == CROP
    assert found["@version"] == 2
    assert ours(content, [floats(1, 1, 5, 3).data])[0].shape == (1, 4, 4)


def test_first_version_of_the_crop() -> None:
    landmarks = floats(1, 1, 1, 1, 15)
    content = single("Landmarks2TransformMatrix", [landmarks], [out()], custom=True, raw_options=flexible(**BOX))
    (node,) = read_tflite_buffer(content).nodes
    found = custom_attributes(node.primitive)
    assert custom_type(node.primitive) == "mediapipe.Landmarks2TransformMatrixV1"
    assert {k: v for k, v in found.items() if not k.startswith("@")} == {k: v for k, v in BOX.items() if k != "dimensions"}  # fmt: skip # noqa: E501
    assert ours(content, [landmarks.data])[0].shape == (1, 4, 4)


def test_landmarks_are_moved() -> None:
    matrix = np.array([[[2, 0, 9, 1], [0, 3, 9, -1], [9] * 4, [9] * 4]], np.float32)
    landmarks = floats(1, 1, 5, 3)
    want = landmarks.data * [2, 3, 1] + np.array([1, -1, 0])
    content = single("TransformLandmarks", [landmarks, const(matrix)], [out(shape=(1, 5, 3))], custom=True, version=2)
    assert_same(ours(content, [landmarks.data]), [want.astype(np.float32)])
    row, options = floats(1, 1, 1, 1, 15), flexible(dimensions=3, scale=10.0)
    want = (row.data.reshape(5, 3) * [2, 3, 1] + np.array([10, -10, 0])).reshape(1, 1, 1, 15)
    content = single("TransformLandmarks", [row, const(matrix)], [out()], custom=True, raw_options=options)
    assert_same(ours(content, [row.data]), [want.astype(np.float32)])


@pytest.mark.parametrize("version", [1, 2])
def test_a_crop_is_taken(version: int) -> None:
    """Twice as large: version 2 counts from the edges of elements, version 1 from their middles."""
    matrix = np.zeros((1, 4, 4), np.float32)
    matrix[0, 0, 0] = matrix[0, 1, 1] = 0.5
    x = floats(1, 1, 3, 3, 1)
    name = "TransformTensorBilinear" if version == 2 else "TransformTensor"
    sizes: dict[str, Any] = {"output_height": 2, "output_width": 2} if version == 2 else {"output_size": [2, 2]}
    content = single(name, [x, const(matrix)], [out()], custom=True, version=version, raw_options=flexible(**sizes))
    image = x.data[0, :, :, 0]
    places = (-0.25, 0.25) if version == 2 else (0.0, 0.5)
    want = np.zeros((1, 2, 2, 1), np.float32)
    for line, column in np.ndindex(2, 2):
        down, across = places[line], places[column]
        if min(down, across) >= 0:
            upper, lower = (image[i, 0] * (1 - across) + image[i, 1] * across for i in (0, 1))
            want[0, line, column, 0] = upper * (1 - down) + lower * down
    assert_same(ours(content, [x.data]), [want])


WRONG: dict[str, tuple[str, int, Mapping[str, Any] | bytes, str]] = {
    "short options": ("MaxUnpooling2D", 1, struct.pack("<5i", 1, 2, 2, 2, 2), "expected at least 24 bytes, found 20"),
    "no padding": ("MaxPoolingWithArgmax2D", 1, windows(0, (2, 2), (2, 2)), "expected 1 or 2, found 0"),
    "no stride": ("MaxUnpooling2D", 1, windows(SAME, (2, 0), (2, 2)), r"expected sizes of at least 1, found \[2, 0\]"),
    "a window below 1": ("MaxUnpooling2D", 1, windows(SAME, (2, 2), (-1, 2)), r"at least 1, found \[-1, 2\]"),
    "no activation": ("MaxPoolingWithArgmax2D", 1, windows(SAME, (2, 2), (2, 2), 77), "a known activation, found 77"),
    "no map": ("Landmarks2TransformMatrix", 2, b"\1\2\3\4", "custom_options"),
    "text": ("Landmarks2TransformMatrix", 2, {**CROP, "output_height": "4"}, "a whole number of 32 bits, found 4"),
    "a number for a vector": ("Landmarks2TransformMatrix", 2, {**CROP, "subset_idxs": 3}, "whole numbers of 32 bits"),
    "infinite": ("Landmarks2TransformMatrix", 2, {**CROP, "scale_x": float("inf")}, "a finite number, found inf"),
    "before the first": ("Landmarks2TransformMatrix", 2, {**CROP, "subset_idxs": [0, -1]}, "positions of landmarks"),
    "nothing inside": ("Landmarks2TransformMatrix", 1, {**BOX, "subset": []}, "positions of landmarks"),
    "one size": ("TransformTensor", 1, {"output_size": [4]}, r"height and width, found \[4\]"),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_damaged_options(name: str) -> None:
    op, version, options, message = WRONG[name]
    raw = options if isinstance(options, bytes) else flexible(**options)
    x = floats(1, 1, 4, 4, 2)
    content = single(op, [x, x], [out(), out()], custom=True, version=version, raw_options=raw)
    with pytest.raises(ModelFormatError, match=message):
        read_tflite_buffer(content)


LATER: dict[str, tuple[str, int, bytes, str]] = {
    "a landmark that is not there": (
        "Landmarks2TransformMatrix",
        2,
        flexible(**{**CROP, "subset_idxs": [99]}),
        "landmark 99 must be among",
    ),
    "no crop": (
        "Landmarks2TransformMatrix",
        2,
        flexible(**{**CROP, "output_width": 0}),
        "output_width must be above 0",
    ),
    "a crop of one line": ("Landmarks2TransformMatrix", 1, flexible(**{**BOX, "output_hw": [1, 4]}), "output_hw"),
    "a later version": ("TransformLandmarks", 3, b"", "version 3 of TransformLandmarks is not defined"),
    "another mode": (
        "TransformTensor",
        1,
        flexible(mode="nearest", output_size=[2, 2]),
        "mode 'nearest'; 'bilinear' is",
    ),
}


@pytest.mark.parametrize("name", sorted(LATER))
def test_what_no_kernel_takes_is_said_when_it_is_built(name: str) -> None:
    op, version, raw, message = LATER[name]
    operands = [floats(1, 1, 5, 3)] if op.startswith("Landmarks") else [floats(1, 1, 5, 3), floats(2, 1, 4, 4)]
    graph = read_tflite_buffer(single(op, operands, [out()], custom=True, version=version, raw_options=raw))
    with pytest.raises(Exception, match=message):
        Model().build_from_graph(graph)


def test_an_open_size_with_a_stride_is_a_custom_node() -> None:
    x = floats(1, 1, 4, 4, 3)
    open_ = type(x)(**{**x.__dict__, "signature": (1, -1, -1, 3)})
    weight, bias = const(floats(2, 1, 2, 2, 3).data), const(floats(3, 1).data)
    options = struct.pack("<3i", SAME, 2, 2)
    content = single("Convolution2DTransposeBias", [open_, weight, bias], [out()], custom=True, raw_options=options)
    (node,) = read_tflite_buffer(content).nodes
    assert custom_type(node.primitive) == "Convolution2DTransposeBias"
    assert "must be known" in custom_attributes(node.primitive)["@reason"]


def test_a_huge_window_takes_no_time() -> None:
    """The window of two billion lines is on four of them."""
    kernel = built_in_kernels().find("mediapipe.MaxPoolingArgmax2D")
    assert kernel is not None
    window = [(1 << 31) - 1, 3]
    x = floats(1, 1, 4, 4, 2).data
    places = np.asarray(kernel.run(x, kernel_size=window, strides=[4, 1], pad_mode="SAME"))
    assert places.shape == (1, 1, 4, 2)
