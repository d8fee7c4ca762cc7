"""Memory layouts of tensors, numbered as the ``mindspore_lite`` package numbers them."""

from __future__ import annotations

from .numbered import Numbered


class Format(Numbered):
    """Order of a tensor's dimensions in memory.

    NOTE: model files number NC8HW8 as 18, the API numbers it 19; ``formats.ms`` translates.
    """

    DEFAULT = -1
    NCHW = 0
    NHWC = 1
    NHWC4 = 2
    HWKC = 3
    HWCK = 4
    KCHW = 5
    CKHW = 6
    KHWC = 7
    CHWK = 8
    HW = 9
    HW4 = 10
    NC = 11
    NC4 = 12
    NC4HW4 = 13
    NCDHW = 15
    NWC = 16
    NCW = 17
    NDHWC = 18
    NC8HW8 = 19


def layout_name(format: Format, rank: int | None) -> str | None:
    """The name of a layout of tensors of a rank; None where the layout has no meaning for the rank.

    Files and tensors in memory have a layout of images by default, which says nothing of a vector or a matrix.
    """
    dims = sum(letter.isalpha() for letter in format.name)
    return format.name if format is not Format.DEFAULT and dims == rank else None
