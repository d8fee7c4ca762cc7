"""The TOML file about images."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite_delegate.batch.preprocessing.image_file import read_image_file
from lite_delegate.batch.preprocessing.image_options import ImageOptions
from lite_delegate.errors import InputError


def options(tmp_path: Path, text: str) -> dict[str, ImageOptions]:
    (tmp_path / "p.toml").write_text(text)
    return read_image_file(str(tmp_path / "p.toml"), ["data", "input.1"])


def test_all_keys(tmp_path: Path) -> None:
    found = options(
        tmp_path,
        """
        ["input.1"]
        column = "photo"
        size = [224, 192]
        resize = "bicubic"
        fit = "crop"
        crop_fraction = 0.875
        fill = 114
        colour = "bgr"
        scale = "1/255"
        mean = [0.485, 0.456, 0.406]
        std = 0.5
        layout = "nhwc"
        dtype = "float16"
        orientation = "ignore"
        [data]
        size = 32
        """,
    )
    assert found["input.1"] == ImageOptions(
        "photo", (224, 192), "bicubic", "crop", 0.875, (114.0,), "bgr", 1 / 255, (0.485, 0.456, 0.406), (0.5,), "nhwc",
        "float16", "ignore",
    )  # fmt: skip
    assert found["data"] == ImageOptions(size=(32, 32))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty, expected a table .data. for"),
        ("a = ", "is no TOML"),
        ("[dta]", "p.toml', .dta.: expected a table for one of the inputs 'data', 'input.1'. Did you mean 'data'"),
        ("size = 3", "p.toml', key 'size': expected a table for one of the inputs"),
        ("data = 3", "'data': expected a table .data. with keys, got 3"),
        ("[data]\nresise = 1", ".data.: there is no key 'resise'; the keys are column, size, .*Did you mean 'resize'"),
        ('[data]\nresize = "bicubik"', "resize: expected one of nearest, .*, got 'bicubik'. Did you mean 'bicubic'"),
        ("[data]\nresize = 3", "resize: expected one of nearest, .*, got 3"),
        ("[data]\nsize = [1, 2, 3]", r"size: expected \[height, width\] or one number of pixels, got \[1, 2, 3\]"),
        ("[data]\nsize = 0", "size: expected"),
        ("[data]\nsize = true", "size: expected"),
        ("[data]\ncrop_fraction = 1.5", "crop_fraction: expected a number over 0, at most 1, got 1.5"),
        ('[data]\nscale = "1/0"', "scale: expected a number, or \"1/255\", got '1/0'"),
        ("[data]\nstd = [1, 0, 1]", "std: expected a number or one for each channel, not 0"),
        ("[data]\nmean = [1, 2]", "mean: expected a number or one for each channel"),
        ('[data]\ncolour = "grey"', "colour: expected one of rgb, bgr, gray, got 'grey'. Did you mean 'gray'"),
        ("[data]\ncolumn = 1", "column: expected a name, got 1"),
    ],
)
def test_refusals(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        options(tmp_path, text)
