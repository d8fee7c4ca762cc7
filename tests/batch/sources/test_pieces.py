"""Stretches of blocks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.batch.sources.pieces import pieces


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 7))
def test_each_row_is_in_one_piece(sizes: list[int], rows: int) -> None:
    expected = [(block, row) for block, size in enumerate(sizes) for row in range(size)]
    found: list[tuple[int, int]] = []
    for blocks, count in pieces(sizes, rows):
        assert 0 < count <= rows
        here = [(block, row) for block in range(blocks.start, blocks.stop) for row in range(sizes[block])]
        found += here[blocks.skipped : blocks.skipped + count]
    assert found == expected
