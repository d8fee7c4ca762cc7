"""Plausible sizes of open dimensions, to be tried where a model does not take 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..ir import Value
from .input_shapes import OPEN, is_open

IMAGE_SIZES = (224, 320, 640, 32, 64, 256, 512)
"""Heights and widths that image models are trained for, the most usual first; then multiples of what nets stride by."""
LENGTHS = (128, 16, 512, 576, 1024, 16000)
"""Lengths of texts in tokens, and of pieces of sound in samples (512 at 16 kHz, a second)."""
IMAGE_RANK = 4
_IMAGE_WORDS = ("height", "width")
_BATCH_WORDS = ("batch", "bs")
_LENGTH_WORDS = ("seq", "len", "time", "token", "sample", "frame", "step")
_NUMBER = re.compile(r"\d+")


def plausible_shapes(inputs: Sequence[Value], metadata: Mapping[str, str]) -> Iterator[dict[Value, tuple[int, ...]]]:
    """Shapes of the inputs that have open dimensions, the most plausible first. An open dimension is

    1. the dimension of another input, where both dimensions have one name in the file;
    2. 1 for a batch dimension: by its name, or as the first of several dimensions;
    3. of images what the file's metadata says (``imgsz``), in the order of the dimensions;
    4. else, all of them alike, a size of the same input where that is of images, and one of ``IMAGE_SIZES``, rounded to
       the ``stride`` in the metadata, or of ``LENGTHS``.

    Args:
        inputs: the inputs of a model; inputs of unknown rank are left out.
        metadata: the metadata of the file, by key.
    """
    open_ = [value for value in inputs if is_open(value) and value.shape is not None]
    seen: list[dict[Value, tuple[int, ...]]] = []
    for sizes in _sizes(open_, metadata):
        found = {value: _filled(value, sizes, inputs) for value in open_}
        if found not in seen:
            seen.append(found)
            yield found


def _sizes(values: Sequence[Value], metadata: Mapping[str, str]) -> Iterator[Sequence[int]]:
    """The sizes to try for dimensions that are no batch, in their order; the last size is for all further
    dimensions.
    """
    trained = [int(number) for number in _NUMBER.findall(metadata.get("imgsz", ""))]
    if trained and min(trained) > 0:
        yield trained
    if not any(map(_is_image, values)):
        yield from ((size,) for size in LENGTHS)
    for value in values:
        yield from ((dim,) for dim in (value.shape or ())[2:] if _is_image(value) and dim > 1)
    stride = next(map(int, _NUMBER.findall(metadata.get("stride", ""))), 1) or 1
    yield from ((-(-size // stride) * stride,) for size in IMAGE_SIZES)
    yield from ((size,) for size in LENGTHS)


def _is_image(value: Value) -> bool:
    return len(value.shape or ()) == IMAGE_RANK or any(word in name for name in _names(value) for word in _IMAGE_WORDS)


def _filled(value: Value, sizes: Sequence[int], inputs: Sequence[Value]) -> tuple[int, ...]:
    known = {
        name: dim
        for other in inputs
        for name, dim in zip(_names(other), other.shape or (), strict=True)
        if name and dim != OPEN
    }
    found: list[int] = []
    place = 0
    for axis, (dim, name) in enumerate(zip(value.shape or (), _names(value), strict=True)):
        if dim != OPEN:
            found.append(dim)
        elif name in known:
            found.append(known[name])
        elif _is_batch(value, axis, name):
            found.append(1)
        else:
            found.append(sizes[min(place, len(sizes) - 1)])
            place += 1
    return tuple(found)


def _is_batch(value: Value, axis: int, name: str) -> bool:
    """Whether a dimension is the batch: its name says so; or it is the first of several, and its name says nothing."""
    if any(word in name for word in _BATCH_WORDS):
        return True
    says_other = any(word in name for word in (*_LENGTH_WORDS, *_IMAGE_WORDS))
    is_only = len(value.shape or ()) == 1
    return not says_other and not is_only and axis == next(i for i, dim in enumerate(value.shape or ()) if dim == OPEN)


def _names(value: Value) -> Sequence[str]:
    shape, symbols = value.shape or (), () if value.open_shape is None else value.open_shape.symbols
    return [name.lower() for name in symbols] if len(symbols) == len(shape) else [""] * len(shape)
