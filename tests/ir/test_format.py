"""Names of layouts: given only where the letters are as many as the dimensions."""

from __future__ import annotations

import pytest

from lite_delegate.ir import Format
from lite_delegate.ir.types.format import layout_name


@pytest.mark.parametrize(
    ("layout", "rank", "expected"),
    [
        (Format.NHWC, 4, "NHWC"),
        (Format.NCHW, 4, "NCHW"),
        (Format.NC4HW4, 4, "NC4HW4"),
        (Format.NCDHW, 5, "NCDHW"),
        (Format.NC, 2, "NC"),
        (Format.NHWC, 2, None),
        (Format.NCHW, 5, None),
        (Format.NHWC, None, None),
        (Format.DEFAULT, 7, None),
    ],
)
def test_a_layout_is_named_where_it_has_a_meaning(layout: Format, rank: int | None, expected: str | None) -> None:
    assert layout_name(layout, rank) == expected
