import math

import numpy as np
import pytest

from lite_delegate.errors import DelegateExecuteError
from lite_delegate.npu.device.instructions.crop import CropAndResample, Sampling
from lite_delegate.npu.device.programs.instruction import Work
from tests.npu.graphs import half

BOXES = np.array(
    [
        [0, 0, 1, 1],
        [0.25, 0.5, 0.75, 1],
        [1, 0, 0, 1],  # upside down
        [-0.5, 0.1, 0.5, 1.2],  # beyond the image
        [0.3, 0.3, 0.3, 0.3],
    ],
    np.float32,
)
IMAGES = np.array([0, 1, 1, 0, 1], np.int32)


def sample(plane, y, x, sampling, outside):
    """One element of a plane (H, W) at a place between pixels."""
    height, width = plane.shape
    if not (0 <= y <= height - 1 and 0 <= x <= width - 1):
        return outside
    if sampling is Sampling.NEAREST:
        return float(plane[math.floor(y + 0.5), math.floor(x + 0.5)])
    total = 0.0
    for row, down in ((math.floor(y), 1 - y % 1), (math.ceil(y), y % 1)):
        for column, across in ((math.floor(x), 1 - x % 1), (math.ceil(x), x % 1)):
            if math.floor(y) != math.ceil(y) or row == math.floor(y):
                total += down * across * float(plane[row, column])
    return total


def place(first, last, pixels, count, number):
    if count == 1:
        return (float(first) + float(last)) / 2 * (pixels - 1)
    return (float(first) + (float(last) - float(first)) * number / (count - 1)) * (pixels - 1)


@pytest.mark.parametrize("sampling", Sampling)
@pytest.mark.parametrize("size", [(1, 1), (2, 3), (5, 4)])
def test_each_box_is_sampled(sampling, size):
    x = half((2, 3, 4, 5), 0)
    got = CropAndResample(sampling, size, 9.0).run([x, BOXES, IMAGES])
    assert got.shape == (5, 3, *size)
    assert got.dtype == np.float32
    for n, c, i, j in np.ndindex(got.shape):
        y1, x1, y2, x2 = BOXES[n]
        y, across = place(y1, y2, 4, size[0], i), place(x1, x2, 5, size[1], j)
        want = sample(x[IMAGES[n], c], y, across, sampling, 9.0)
        assert got[n, c, i, j] == pytest.approx(want, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("sampling", Sampling)
def test_a_box_that_is_not_a_number_gives_the_value_outside(sampling):
    boxes = np.array([[0, np.nan, 1, np.nan]], np.float32)
    got = CropAndResample(sampling, (2, 2), -1.0).run([half((1, 1, 3, 3), 1), boxes, np.zeros(1, np.int32)])
    np.testing.assert_array_equal(got, np.full((1, 1, 2, 2), -1.0))


@pytest.mark.parametrize(("inside", "outside"), [(1, 2), (0, -1)])
def test_a_box_of_no_image_stops_the_run(inside, outside):
    x, boxes = half((2, 1, 3, 3), 2), BOXES[:1]
    crop = CropAndResample(Sampling.LINEAR, (2, 2))
    crop.run([x, boxes, np.array([inside], np.int32)])
    with pytest.raises(DelegateExecuteError, match=f"one of 2 images, got {outside}"):
        crop.run([x, boxes, np.array([outside], np.int32)])


def test_work_is_a_multiply_add_for_each_pixel_read():
    operands, output = [(2, 3, 4, 5), (5, 4), (5,)], (5, 3, 2, 2)
    assert CropAndResample(Sampling.LINEAR, (2, 2)).work(operands, output) == Work(vector=240)
    assert CropAndResample(Sampling.NEAREST, (2, 2)).work(operands, output) == Work(vector=60)


def test_its_axes_have_a_fixed_meaning():
    assert CropAndResample(Sampling.LINEAR, (2, 2)).reordered((0, 2, 3, 1)) is None
