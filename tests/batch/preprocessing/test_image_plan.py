"""What the options leave to the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate.batch.preprocessing.image_options import ImageOptions
from lite_delegate.batch.preprocessing.image_plan import ImagePlan, image_plan
from lite_delegate.batch.rows.row_type import RowType
from lite_delegate.errors import InputError


def plan(shape: tuple[int | None, ...], dtype: str = "float32", **options: Any) -> ImagePlan:
    return image_plan(RowType("x", np.dtype(dtype), shape), ImageOptions(**options))


@pytest.mark.parametrize(
    ("shape", "options", "expected"),
    [
        ((3, 8, 9), {}, ((8, 9), "rgb", (2, 0, 1))),
        ((8, 9, 3), {}, ((8, 9), "rgb", (0, 1, 2))),
        ((8, 9, 1), {}, ((8, 9), "gray", (0, 1, 2))),
        ((1, 8, 9), {}, ((8, 9), "gray", (2, 0, 1))),
        ((8, 9), {}, ((8, 9), "gray", (0, 1))),
        ((3, None, None), {}, (None, "rgb", (2, 0, 1))),
        ((3, None, None), {"size": (4, 5), "colour": "bgr"}, ((4, 5), "bgr", (2, 0, 1))),
        ((3, 8, 3), {"layout": "nhwc"}, ((3, 8), "rgb", (0, 1, 2))),
        ((None, 8, 8), {"layout": "nchw", "colour": "gray"}, ((8, 8), "gray", (2, 0, 1))),
        ((60,), {"layout": "nhwc", "size": (4, 5)}, ((4, 5), "rgb", (0, 1, 2))),
    ],
)
def test_size_colour_and_layout(shape: Any, options: dict[str, Any], expected: Any) -> None:
    found = plan(shape, **options)
    assert (found.size, found.colour, found.axes) == expected


@pytest.mark.parametrize(
    ("shape", "options", "said"),
    [
        ((3, 8, 3), {}, "does not show where the channels are; say layout"),
        ((4, 8, 8), {}, "does not show where the channels are"),
        ((4, 8, 8), {"layout": "nchw"}, "has 4 channels, and colour rgb has 3"),
        ((3, 8, 8), {"colour": "gray"}, "has 3 channels, and colour gray has 1"),
        ((3, 8, 8), {"size": (9, 9)}, r"takes images of 8 x 8, not of size \[9, 9\]"),
        ((3, 8, None), {}, "leaves the images' size open; say size"),
        ((3, None, None), {"fit": "crop"}, 'leaves the images\' size open; fit = "crop" needs size'),
        ((192,), {"layout": "nchw"}, "leaves the images' size open; say size"),
        ((1, 8, 8), {"mean": (1.0, 2.0, 3.0)}, "mean has 3 numbers, expected one or 1"),
        ((), {}, "has 0 dimensions for a row"),
        ((2, 3, 8, 8), {}, "has 4 dimensions for a row"),
    ],
)
def test_refusals(shape: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        plan(shape, **options)


def test_strings_are_no_images() -> None:
    with pytest.raises(InputError, match="takes no images"):
        plan((3, 8, 8), "O")


def test_values_of_pixels() -> None:
    found = plan((3, 8, 8), scale=1 / 255, mean=(0.5, 0.25, 0.0), std=(0.5, 1.0, 2.0)).values
    assert found.dtype == np.float32
    for channel, (mean, std) in enumerate([(0.5, 0.5), (0.25, 1.0), (0.0, 2.0)]):
        assert found[channel].tolist() == [float(np.float32((pixel * (1 / 255) - mean) / std)) for pixel in range(256)]


def test_whole_numbers_are_rounded_and_limited() -> None:
    assert plan((3, 8, 8), "int8", mean=(128.0,)).values[0].tolist() == list(range(-128, 128))
    assert plan((3, 8, 8), "uint8", scale=0.5).values[2, :6].tolist() == [0, 0, 1, 2, 2, 2]
    assert plan((3, 8, 8), "uint8", scale=2.0).values.max() == 255
