"""ImageOptions: how images become an input, as a user says it."""

from __future__ import annotations

from ...basics.data_class import dataclass

RESIZES = ("nearest", "bilinear", "bicubic", "lanczos", "area")
FITS = ("stretch", "crop", "pad")
COLOURS = ("rgb", "bgr", "gray")
LAYOUTS = ("nchw", "nhwc")
ORIENTATIONS = ("exif", "ignore")
DTYPES = ("float16", "float32", "float64", "uint8", "int8", "uint16", "int16", "int32", "int64")
"""The values of keys."""


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """How images become an input. A value is ``(pixel * scale - mean) / std`` with pixels from 0 to 255.

    Attributes:
        column: of the images; None: the column of the input's name, or the only one that has images.
        size: height and width; None: as the model has them, or as each image is where the model leaves both open.
        resize: how pixels are made, as Pillow has it, which looks at all pixels when it shrinks; "area" is its box.
        fit: "stretch" to the size; "crop": the shorter side is resized, and the middle cut out; "pad": the image is
            resized into the size, and what is left around it filled.
        crop_fraction: of the resized image that "crop" keeps, by the shorter side: 0.875 for 224 out of 256.
        fill: the pixels that "pad" adds.
        colour: of the values; None: gray where the input has one channel, else rgb.
        scale: see above.
        mean, std: see above; one number, or one for each channel in the order of ``colour``.
        layout: None: where the input's shape shows it.
        dtype: of the values; whole numbers are rounded, and limited to the type. None: the input's.
        orientation: "exif": images are turned as their camera says; "ignore": they stay as they are stored.
    """

    column: str | None = None
    size: tuple[int, int] | None = None
    resize: str = "bilinear"
    fit: str = "stretch"
    crop_fraction: float = 1.0
    fill: tuple[float, ...] = (0.0,)
    colour: str | None = None
    scale: float = 1.0
    mean: tuple[float, ...] = (0.0,)
    std: tuple[float, ...] = (1.0,)
    layout: str | None = None
    dtype: str | None = None
    orientation: str = "exif"
