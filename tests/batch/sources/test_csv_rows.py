"""The rows of CSV text, against a machine that looks at one byte after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lite_delegate.batch.sources.csv_rows import all_rows, row_ends


def byte_by_byte(data: bytes) -> list[tuple[int, int]] | None:
    """The first byte of each row and the byte behind it; None if a quote is not closed."""
    rows, start, at = [], 0, 0
    is_quoted, starts_value = False, True
    while at < len(data):
        byte = data[at : at + 1]
        if is_quoted and byte == b'"' and data[at + 1 : at + 2] == b'"':
            at += 2
            continue
        if is_quoted:
            is_quoted = byte != b'"'
            starts_value = False
        elif byte == b'"' and starts_value:
            is_quoted = True
        else:
            starts_value = byte in b",\r\n"
            if byte == b"\n":
                rows.append((start, at + 1))
                start = at + 1
        at += 1
    if is_quoted:
        return None
    rows += [(start, len(data))] if start < len(data) else []
    return [row for row in rows if data[slice(*row)] not in (b"\n", b"\r\n")]


@settings(max_examples=1000, deadline=None)
@given(
    st.lists(st.sampled_from([b"a", b",", b'"', b'""', b"\n", b"\r\n"]), max_size=30), st.sampled_from([1, 2, 3, 99])
)
@example([b'a"b', b",", b'"', b"\n", b'"', b"\n"], 99)
def test_rows_end_where_lines_end_that_are_not_quoted(parts: list[bytes], block: int) -> None:
    data = b"".join(parts)
    expected = byte_by_byte(data)
    found = list(row_ends(np.frombuffer(data, np.uint8), ord(","), block))
    rows = [row for each in found for row in zip(each.starts.tolist(), each.ends.tolist(), strict=True)]
    assert any(each.opened >= 0 for each in found) == (expected is None)
    if expected is not None:
        assert rows == expected


@pytest.mark.parametrize("block", [1, 4, 99])
def test_a_quote_that_nothing_closes_costs_its_line_only(block: int) -> None:
    data = np.frombuffer(b'1,a\n"x\ny",b\n2,"b\n3,c\n4,d', np.uint8)
    rows = [row for each in row_ends(data, ord(","), block) for row in zip(each.starts, each.ends, strict=True)]
    assert [bytes(data[start:end]) for start, end in rows] == [b"1,a\n", b'"x\ny",b\n', b'2,"b\n', b"3,c\n", b"4,d"]
    assert all_rows(data, ord(","))[2].tolist() == [False, False, True, False, False]
