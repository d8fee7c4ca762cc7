"""The pixels of encoded images, decoded and resized by Pillow."""

from __future__ import annotations

import io
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.deferred import optional_package
from .image_plan import ImagePlan

METHODS: Mapping[str, str] = MappingProxyType(
    {"nearest": "NEAREST", "bilinear": "BILINEAR", "bicubic": "BICUBIC", "lanczos": "LANCZOS", "area": "BOX"}
)
"""Pillow's name of each method."""


class BadImage(Exception):
    """Bytes are no image that can be read; the text says why."""


def pillow() -> Any:
    """The package Pillow.

    Raises:
        InputError: it is not installed; the message names the extra.
    """
    for name in ("PIL.Image", "PIL.ImageOps"):
        optional_package(name, "Images are read by Pillow", "batch")
    return import_module("PIL")


def decoded(data: bytes, mode: str, *, turns: bool = True) -> Any:
    """An image of Pillow.

    Args:
        data: the bytes of a file; of several pictures in it the first is taken.
        mode: "RGB" or "L".
        turns: whether the image is turned as its camera says.

    Raises:
        BadImage: the bytes are no image that Pillow reads whole.
    """
    pil = pillow()
    try:
        with pil.Image.open(io.BytesIO(data)) as image:
            image.load()
            if turns:
                pil.ImageOps.exif_transpose(image, in_place=True)
            return _of_bytes(image).convert(mode)
    except pil.UnidentifiedImageError:
        raise BadImage("has no image of a format that Pillow reads") from None
    except Exception as e:  # decoders raise whatever a damaged file makes them stumble over
        raise BadImage(f"has an image that cannot be read: {e or type(e).__name__}") from e


def _of_bytes(image: Any) -> Any:
    """The image with 8 bits for a value: Pillow cuts off values of 16 bits that are greater than 255."""
    if image.mode.startswith("I;16"):
        return pillow().Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    if image.mode in ("I", "F"):
        raise ValueError(f"its pixels are numbers of 32 bits (mode {image.mode})")
    return image


def pixels(data: bytes, plan: ImagePlan) -> Array:
    """The pixels of an image, ``(H, W, C)`` of uint8, with the size and the channels of the plan.

    Raises:
        BadImage: as ``decoded``.
    """
    image = decoded(data, "L" if plan.colour == "gray" else "RGB", turns=plan.options.orientation == "exif")
    array = np.asarray(image if plan.size is None else fitted(image, plan))
    if plan.colour == "gray":
        return array[..., None]
    return array[..., ::-1] if plan.colour == "bgr" else array


def fitted(image: Any, plan: ImagePlan) -> Any:
    """An image of Pillow in the plan's size, which must not be None."""
    assert plan.size is not None
    options, (height, width) = plan.options, plan.size
    method = getattr(pillow().Image.Resampling, METHODS[options.resize])
    if options.fit == "stretch":
        return image.resize((width, height), method)
    if options.fit == "crop":
        return _cropped(image, height, width, options.crop_fraction, method)
    scale = min(height / image.height, width / image.width)
    inner = image.resize((max(1, round(image.width * scale)), max(1, round(image.height * scale))), method)
    whole = pillow().Image.new(image.mode, (width, height), _filling(plan))
    whole.paste(inner, ((width - inner.width) // 2, (height - inner.height) // 2))
    return whole


def _cropped(image: Any, height: int, width: int, fraction: float, method: Any) -> Any:
    """The middle of the image, resized so that a part of the size's share remains; as torchvision has it for squares:
    the longer side is rounded down."""
    tall, wide = round(height / fraction), round(width / fraction)
    if image.height * wide < image.width * tall:
        wide = max(wide, int(tall * image.width / image.height))
    else:
        tall = max(tall, int(wide * image.height / image.width))
    resized = image.resize((wide, tall), method)
    left, top = round((wide - width) / 2), round((tall - height) / 2)
    return resized.crop((left, top, left + width, top + height))


def _filling(plan: ImagePlan) -> int | tuple[int, ...]:
    """The colour of new pixels, in Pillow's order of channels."""
    numbers = tuple(min(255, max(0, round(number))) for number in plan.options.fill)
    if plan.colour == "gray":
        return numbers[0]
    channels = numbers * 3 if len(numbers) == 1 else numbers
    return channels[::-1] if plan.colour == "bgr" else channels
