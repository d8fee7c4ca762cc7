"""Resize and CropAndResize: what is claimed and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.delegate import RejectCode
from lite_delegate.ir import DataType
from lite_delegate.ir.types.enums import CoordinateTransformMode
from tests.npu.graphs import const, ints, node, variable
from tests.npu.operators.limits import UNLIMITED, code_on, driver, limited
from tests.npu.operators.test_gate import code_of

X = variable("x", (1, 3, 4, 2))
A, S, N, R, L = RejectCode.ATTRIBUTE, RejectCode.SHAPE, RejectCode.NOT_CONSTANT, RejectCode.RANK, RejectCode.LIMIT


def resize(shape, *size, x=X, dtype=DataType.FLOAT32, **attributes):
    return node("Resize", [x, *size], shape, dtype, **attributes)


def floats(*values):
    return const("factors", np.array(values, np.float32))


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (resize((1, 6, 8, 2), new_height=6, new_width=8), None),
        (resize((1, 6, 8, 2), new_height=6, new_width=7), S),
        (resize((1, 6, 8, 2), ints(6, 8)), None),
        (resize((1, 6, 8, 2), ints(6, 8), new_height=1), None),
        (resize((1, 6, 8, 2), ints(1, 6, 8, 2)), None),
        (resize((1, 6, 8, 2), ints(1, 6, 8)), A),
        (resize((1, 6, 8, 2), floats(2, 2)), None),
        (resize((1, 5, 6, 2), floats(1.5, 1.5)), None),  # 4.5 is 5
        (resize((1, 4, 6, 2), floats(1.5, 1.5)), S),
        (resize((1, 6, 8, 2), floats(1, 2, 2, 1)), None),
        (resize((1, 6, 8, 2), floats(-2, 2)), A),
        (resize((1, 6, 8, 2), floats(np.nan, 2)), A),
        (resize((1, 6, 8, 2), floats(2)), A),
        (resize((1, 5, 7, 2), ints(2)), None),  # every gap becomes two: 3 + 2, 4 + 3
        (resize((1, 6, 8, 2), ints(2)), S),
        (resize((1, 6, 8, 2), ints(0, 8)), A),
        (resize((1, 6, 8, 2), variable("s", (2,), DataType.INT32)), N),
        (resize((1, 6, 8, 2), new_height=6, new_width=8, method="NEAREST"), None),
        (resize((1, 6, 8, 2), new_height=6, new_width=8, method="CUBIC"), A),
        (resize((1, 6, 8, 2), new_height=6, new_width=8, method="UNKNOWN"), A),
        (resize((1, 6, 8, 2), new_height=6, new_width=8, preserve_aspect_ratio=True), A),
        (resize((3, 8, 2), new_height=3, new_width=8, x=variable("x", (3, 4, 2))), R),
        (resize((1, 6, 8, 2), ints(6, 8), ints(6, 8)), A),
    ],
    ids=str,
)
def test_sizes_and_attributes(kernel, code):
    assert code_of(kernel) is code


@pytest.mark.parametrize("method", ["LINEAR", "NEAREST"])
def test_no_side_becomes_smaller(method):
    same = resize((1, 3, 4, 2), new_height=3, new_width=4, method=method)
    lower = resize((1, 2, 8, 2), new_height=2, new_width=8, method=method)
    narrower = resize((1, 6, 3, 2), new_height=6, new_width=3, method=method)
    for profile in (driver(""), limited(resize_upscale_only=True)):
        assert code_on(profile, same) is None
        assert code_on(profile, lower) is L
        assert code_on(profile, narrower) is L
    assert code_on(UNLIMITED, lower) is None
    assert code_on(UNLIMITED, narrower) is None


@pytest.mark.parametrize("mode", CoordinateTransformMode)
def test_coordinates_of_nearest_neighbors_need_a_driver(mode):
    def kernel(method):
        return resize((1, 6, 8, 2), ints(6, 8), method=method, coordinate_transform_mode=mode)

    old, new = driver("100.500.010.009"), driver("100.500.010.010")
    assert code_on(old, kernel("LINEAR")) is None
    assert code_on(old, kernel("NEAREST")) is (None if mode == CoordinateTransformMode.ASYMMETRIC else L)
    assert code_on(new, kernel("NEAREST")) is None


@pytest.mark.parametrize("dtype", [DataType.INT32, DataType.BOOL, DataType.FLOAT16, DataType.INT64])
def test_element_types(dtype):
    x = variable("x", (1, 3, 4, 2), dtype)
    linear = None if dtype == DataType.FLOAT16 else RejectCode.DTYPE
    nearest = None if dtype != DataType.INT64 else RejectCode.DTYPE
    assert code_of(resize((1, 6, 8, 2), ints(6, 8), x=x, dtype=dtype)) is linear
    assert code_of(resize((1, 6, 8, 2), ints(6, 8), x=x, dtype=dtype, method="NEAREST")) is nearest


BOXES, IMAGES = variable("boxes", (3, 4)), variable("images", (3,), DataType.INT32)


def crop(*, x=X, boxes=BOXES, images=IMAGES, size=None, shape=(3, 5, 6, 2), dtype=DataType.FLOAT32, **attributes):
    return node("CropAndResize", [x, boxes, images, ints(5, 6) if size is None else size], shape, dtype, **attributes)


@pytest.mark.parametrize(
    ("kernel", "code"),
    [
        (crop(), None),
        (crop(method="NEAREST"), None),
        (crop(method="CUBIC"), A),
        (crop(boxes=variable("boxes", (3, 4), DataType.FLOAT16)), None),
        (crop(boxes=variable("boxes", (3, 4), DataType.FLOAT64)), RejectCode.DTYPE),
        (crop(boxes=variable("boxes", (3, 5))), A),
        (crop(boxes=variable("boxes", (2, 4))), A),
        (crop(boxes=variable("boxes", None)), S),
        (crop(images=variable("images", (3,), DataType.INT64)), RejectCode.DTYPE),
        (crop(images=variable("images", (3, 1), DataType.INT32)), A),
        (crop(images=ints(0, 0, 0)), None),
        (crop(images=ints(0, 0, 1)), A),
        (crop(images=ints(0, 0, -1)), A),
        (crop(size=variable("size", (2,), DataType.INT32)), N),
        (crop(size=ints(5)), A),
        (crop(size=ints(5, 0)), A),
        (crop(shape=(3, 5, 5, 2)), S),
        (crop(x=variable("x", (3, 4, 2)), shape=(3, 5, 2)), R),
        (crop(extrapolation_value=65504.0), None),
        (crop(extrapolation_value=65505.0), L),
        (crop(x=variable("x", (1, 3, 4, 2), DataType.INT32), dtype=DataType.INT32), RejectCode.DTYPE),
        (node("CropAndResize", [X, BOXES, IMAGES], (3, 5, 6, 2)), A),
    ],
    ids=str,
)
def test_crops(kernel, code):
    assert code_of(kernel) is code
