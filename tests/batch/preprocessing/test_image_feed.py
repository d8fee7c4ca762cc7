"""Images as values of inputs, against loops over pixels and against Pillow."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pytest

from lite_delegate.batch.preprocessing.image_feed import ImageFeed
from lite_delegate.batch.preprocessing.image_options import ImageOptions
from lite_delegate.batch.preprocessing.image_plan import image_plan
from lite_delegate.batch.rows.column_values import NO_VALUE
from lite_delegate.batch.rows.row_type import RowType

pa = pytest.importorskip("pyarrow", reason="data sets are read by pyarrow")
Image = pytest.importorskip("PIL.Image", reason="images are read by Pillow")

from .pictures import encoded, picture  # noqa: E402


def made(data: list[Any], shape: Any, dtype: str = "float32", kind: Any = None, **options: Any) -> Any:
    """The values and the errors of a column of images."""
    wanted = RowType("x", np.dtype(dtype), shape)
    feed = ImageFeed(wanted, "image", image_plan(wanted, ImageOptions(**options)), "")
    found = pickle.loads(pickle.dumps(feed)).values(pa.table({"image": pa.array(data, kind or pa.binary())}))["x"]
    return [value for group in found.groups for value in group.values], found.errors


def test_pixels_scale_mean_std_and_layout_by_a_loop() -> None:
    array = picture(5, 7)
    mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    (values,), errors = made([encoded(array)], (3, 5, 7), scale=1 / 255, mean=mean, std=std)
    assert not errors
    for row in range(5):
        for column in range(7):
            for channel in range(3):
                expected = (int(array[row, column, channel]) / 255 - mean[channel]) / std[channel]
                assert values[channel, row, column] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("shape", [(5, 7, 3), (3, 5, 7)])
def test_bgr(shape: Any) -> None:
    array = picture(5, 7)
    (values,), _ = made([encoded(array)], shape, "uint8", colour="bgr", mean=(0.0, 1.0, 2.0))
    planes = [np.clip(array[..., channel].astype(int) - (2 - channel), 0, 255) for channel in (2, 1, 0)]
    assert values.tolist() == np.stack(planes, axis=0 if shape[0] == 3 else -1).tolist()


def test_gray_by_the_luma_of_the_standard() -> None:
    array = picture(5, 7)
    luma = array.astype(float) @ (0.299, 0.587, 0.114)
    (values,), _ = made([encoded(array)], (5, 7))
    assert np.abs(values - luma).max() <= 0.51
    (planes,), _ = made([encoded(array)], (1, 5, 7), "uint8")
    assert planes[0].tolist() == values.tolist()
    (flat,), _ = made([encoded(array)], (35,), "uint8", size=(5, 7), layout="nchw", colour="gray")
    assert flat.tolist() == planes.reshape(-1).tolist()


def test_area_is_the_mean_of_whole_pixels() -> None:
    array = picture(8, 12)
    (values,), _ = made([encoded(array)], (2, 3, 3), resize="area", layout="nhwc")
    expected = array.reshape(2, 4, 3, 4, 3).mean(axis=(1, 3))
    assert np.abs(values - expected).max() <= 1


def test_nearest_takes_the_middle_pixel() -> None:
    array = picture(9, 6)
    (values,), _ = made([encoded(array)], (3, 3, 2), resize="nearest", layout="nchw")
    assert values.tolist() == array[1::3, 1::3][:, :2].transpose(2, 0, 1).tolist()


@pytest.mark.parametrize("resize", ["nearest", "bilinear", "bicubic", "lanczos", "area"])
@pytest.mark.parametrize("size", [(6, 5), (40, 30)])
def test_methods_are_those_of_pillow(resize: str, size: tuple[int, int]) -> None:
    array = picture(20, 24)
    method = Image.Resampling["BOX" if resize == "area" else resize.upper()]
    expected = np.asarray(Image.fromarray(array).resize(size[::-1], method))
    (values,), _ = made([encoded(array)], (*size, 3), "uint8", resize=resize)
    assert values.tolist() == expected.tolist()


@pytest.mark.parametrize(("height", "width"), [(100, 63), (63, 100), (64, 64)])
def test_crop_of_the_shorter_side(height: int, width: int) -> None:
    """224 out of 256, in small: 28 out of 32."""
    array = picture(height, width)
    short = min(height, width)
    resized = (int(32 * width / short), int(32 * height / short))
    whole = np.asarray(Image.fromarray(array).resize(resized, Image.Resampling.BILINEAR))
    top, left = round((whole.shape[0] - 28) / 2), round((whole.shape[1] - 28) / 2)
    (values,), _ = made([encoded(array)], (28, 28, 3), "uint8", fit="crop", crop_fraction=0.875)
    assert values.tolist() == whole[top : top + 28, left : left + 28].tolist()


def test_crop_to_a_size_that_is_no_square_covers_it() -> None:
    for height, width in ((50, 50), (10, 90), (90, 10)):
        (values,), _ = made([encoded(np.full((height, width, 3), 9, np.uint8))], (20, 30, 3), "uint8", fit="crop")
        assert (values == 9).all()


def test_pad_keeps_the_shape_and_fills() -> None:
    array = np.full((10, 20, 3), 200, np.uint8)
    (values,), _ = made([encoded(array)], (20, 20, 3), "uint8", fit="pad", fill=(1.0, 2.0, 3.0), colour="bgr")
    assert (values[5:15] == 200).all()
    assert (values[:5] == [1, 2, 3]).all()
    assert (values[15:] == [1, 2, 3]).all()
    (gray,), _ = made([encoded(array)], (20, 20), "uint8", fit="pad", fill=(114.0,))
    assert (gray[:5] == 114).all()


def test_images_keep_their_sizes_where_the_model_leaves_them_open() -> None:
    data = [encoded(picture(4, 5)), encoded(picture(6, 5)), encoded(picture(4, 5, 1))]
    values, errors = made(data, (None, None, 3), "uint8")
    assert not errors
    assert sorted(value.shape for value in values) == [(4, 5, 3), (4, 5, 3), (6, 5, 3)]


def test_modes() -> None:
    gray = picture(4, 5, channels=1)
    alpha = np.dstack([picture(4, 5), np.full((4, 5), 7, np.uint8)])
    palette = io.BytesIO()
    Image.fromarray(gray).convert("P").save(palette, "PNG")
    deep = gray.astype(np.uint16) * 257
    values, errors = made([encoded(gray), encoded(alpha), palette.getvalue(), encoded(deep)], (4, 5, 3), "uint8")
    assert not errors
    for value, expected in zip(values, (gray, alpha[..., :3], gray, gray), strict=True):
        assert (value == (expected if expected.ndim == 3 else expected[..., None])).all()


def test_orientation() -> None:
    array = picture(4, 6)
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: the image has to be turned to the right
    data = encoded(array, exif=exif)
    (turned,), _ = made([data], (None, None, 3), "uint8")
    assert turned.tolist() == np.rot90(array, -1).tolist()
    (stored,), _ = made([data], (None, None, 3), "uint8", orientation="ignore")
    assert stored.tolist() == array.tolist()


def test_bad_images_are_errors_of_their_rows() -> None:
    good = encoded(picture(40, 50), "JPEG")
    values, errors = made([good, b"", None, good[: len(good) // 2], b"no image", good], (40, 50, 3), "uint8")
    assert len(values) == 2
    assert sorted(errors) == [1, 2, 3, 4]
    assert errors[1] == errors[4] == "has no image of a format that Pillow reads"
    assert errors[2] == NO_VALUE
    assert errors[3].startswith("has an image that cannot be read: image file is truncated")


def test_structs_as_data_sets_of_hugging_face_have_them() -> None:
    data = encoded(picture(4, 5))
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    rows = [{"bytes": data, "path": None}, None, {"bytes": None, "path": "a.png"}]
    values, errors = made(rows, (4, 5, 3), "uint8", kind)
    assert len(values) == 1
    assert errors == {1: NO_VALUE, 2: NO_VALUE}
