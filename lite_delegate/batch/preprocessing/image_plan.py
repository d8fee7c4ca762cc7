"""ImagePlan: how images become one input, with all that the options leave to the model worked out."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...errors import InputError
from ..rows.row_type import RowType
from .image_options import ImageOptions

CHANNELS = (1, 3)


@dataclass(frozen=True, slots=True, eq=False)
class ImagePlan:
    """How images become one input.

    Attributes:
        size: height and width; None: as each image is.
        options: of the user.
        colour: of the values.
        axes: the order of height (0), width (1) and channels (2) in a row of the input; (0, 1) for gray images whose
            input has no dimension of channels.
        is_flat: whether a row has one dimension for all.
        values: ``(C, 256)``, the value of each pixel by channel, in the element type.
    """

    size: tuple[int, int] | None
    options: ImageOptions
    colour: str
    axes: tuple[int, ...]
    is_flat: bool
    values: Array


def image_plan(wanted: RowType, options: ImageOptions) -> ImagePlan:
    """How images become an input.

    Raises:
        InputError: the input cannot have images, or the options do not fit it.
    """
    where = f"--preprocess: input '{wanted.name}' ({wanted.text})"
    if wanted.holds_strings:
        raise InputError(f"{where} takes no images.")
    axes = _axes(where, wanted, options)
    dims: dict[int, int | None] = {} if len(wanted.shape) == 1 else dict(zip(axes, wanted.shape, strict=True))
    channels = dims.get(2, 1 if len(axes) == 2 else None)
    colour = options.colour or ("gray" if channels == 1 else "rgb")
    count = 1 if colour == "gray" else 3
    if channels not in (None, count):
        raise InputError(f"{where} has {channels} channels, and colour {colour} has {count}.")
    return ImagePlan(
        size=_size(where, dims, options, len(wanted.shape) == 1),
        options=options,
        colour=colour,
        axes=axes,
        is_flat=len(wanted.shape) == 1,
        values=_values(where, options, count, np.dtype(options.dtype) if options.dtype else wanted.dtype),
    )


def _axes(where: str, wanted: RowType, options: ImageOptions) -> tuple[int, ...]:
    rank = len(wanted.shape)
    if rank == 2:
        return (0, 1)
    layout = options.layout
    if rank not in (1, 3):
        raise InputError(f"{where} has {rank} dimensions for a row, expected height, width and channels in some order.")
    if layout is None and rank == 3:
        first, last = wanted.shape[0] in CHANNELS, wanted.shape[-1] in CHANNELS
        layout = ("nchw" if first else "nhwc") if first != last else None
    if layout is None:
        raise InputError(f'{where} does not show where the channels are; say layout = "nchw" or "nhwc".')
    return (2, 0, 1) if layout == "nchw" else (0, 1, 2)


def _size(where: str, dims: dict[int, int | None], options: ImageOptions, is_flat: bool) -> tuple[int, int] | None:
    height, width = dims.get(0), dims.get(1)
    if options.size is not None:
        for found, said in zip((height, width), options.size, strict=True):
            if found not in (None, said):
                raise InputError(f"{where} takes images of {height} x {width}, not of size {list(options.size)}.")
        return options.size
    if height is not None and width is not None:
        return height, width
    if height is not None or width is not None or is_flat:
        raise InputError(f"{where} leaves the images' size open; say size = [height, width].")
    if options.fit != "stretch":
        raise InputError(f'{where} leaves the images\' size open; fit = "{options.fit}" needs size = [height, width].')
    return None


def _values(where: str, options: ImageOptions, channels: int, dtype: np.dtype[Any]) -> Array:
    for name, numbers in (("mean", options.mean), ("std", options.std), ("fill", options.fill)):
        if len(numbers) not in (1, channels):
            raise InputError(f"{where}: {name} has {len(numbers)} numbers, expected one or {channels}.")
    mean, std = (np.reshape(numbers, (-1, 1)) for numbers in (options.mean, options.std))
    values = np.broadcast_to((np.arange(256.0) * options.scale - mean) / std, (channels, 256))
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = np.clip(np.rint(values), limits.min, limits.max)
    return np.ascontiguousarray(values.astype(dtype))
