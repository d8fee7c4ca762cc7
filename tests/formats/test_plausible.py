"""Plausible sizes of open dimensions: the order in which they are tried."""

from __future__ import annotations

from lite_delegate.formats.plausible import IMAGE_SIZES, LENGTHS, plausible_shapes
from lite_delegate.ir import DataType, OpenShape, Value


def value(name: str, *dims: int | str) -> Value:
    """Dimensions that are texts are open and have that name."""
    symbols = tuple(dim if isinstance(dim, str) else "" for dim in dims)
    shape = tuple(-1 if isinstance(dim, str) else dim for dim in dims)
    return Value(name, DataType.FLOAT32, shape, open_shape=OpenShape(symbols))


def first(*values: Value, **metadata: str) -> list[tuple[int, ...]]:
    return list(next(plausible_shapes(values, metadata)).values())


def test_metadata_come_first_in_the_order_of_the_dimensions() -> None:
    image = value("x", "batch", 3, "height", "width")
    assert first(image, imgsz="[320, 640]", stride="32") == [(1, 3, 320, 640)]
    assert first(image, imgsz="[416]") == [(1, 3, 416, 416)]
    assert first(image, imgsz="nothing") == [(1, 3, 224, 224)]
    assert first(image, stride="100") == [(1, 3, 300, 300)]


def test_images_have_sizes_of_images_and_what_is_known_of_them() -> None:
    found = [next(iter(each.values())) for each in plausible_shapes([value("x", "", 3, "", "")], {})]
    assert found == [(1, 3, size, size) for size in dict.fromkeys((*IMAGE_SIZES, *LENGTHS))]
    assert first(value("x", "N", 3, 48, "W")) == [(1, 3, 48, 48)]
    assert first(value("x", "N", "height", "width", 3))[0][1:3] in {(s, s) for s in IMAGE_SIZES} | {(3, 3)}


def test_a_batch_is_1_and_the_rest_of_texts_and_sounds_a_length() -> None:
    ids, mask = value("ids", "batch", "sequence"), value("mask", "batch", "sequence")
    assert first(ids, mask) == [(1, LENGTHS[0])] * 2
    assert first(value("x", "seq_len", "batch", 80)) == [(LENGTHS[0], 1, 80)]
    assert first(value("x", "samples")) == [(LENGTHS[0],)]
    assert first(value("x", "", "")) == [(1, LENGTHS[0])]


def test_dimensions_of_one_name_are_one_size() -> None:
    known, open_ = value("known", "L"), value("open", "L", 2)
    known.shape = (7,)
    assert first(known, open_) == [(7, 2)]


def test_what_is_known_or_has_no_rank_is_not_spoken_of() -> None:
    unknown = Value("u", DataType.FLOAT32, None)
    assert first(value("x", "batch", "time"), value("y", 2, 3), unknown) == [(1, LENGTHS[0])]
