"""The rows of CSV text by their last bytes: line ends that are not quoted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass

BLOCK = 16 * 2**20
"""The bytes that are looked at together."""
LINE_END, RETURN, QUOTE = 10, 13, 34


@dataclass(frozen=True, slots=True, eq=False)
class RowEnds:
    """Some rows of CSV text.

    Attributes:
        starts: ``(K,)`` of int64, the first byte of each row.
        ends: ``(K,)`` of int64, the byte behind each row and its line end.
        opened: the position of a quote that nothing closes, in the last of the rows; -1: there is none.
    """

    starts: Array
    ends: Array
    opened: int = -1


def row_ends(data: Array, delimiter: int, block: int = BLOCK) -> Iterator[RowEnds]:
    """The rows of CSV text. Empty lines are no rows, and the last row needs no line end.

    A quote opens a quoted stretch at the start of a value only; two quotes within one are a quote. A quote that nothing
    closes is an ordinary character.

    Args:
        data: the text as ``(N,)`` of uint8, from the start of a row on.
        delimiter: the byte between values.
        block: the bytes that are looked at together.
    """
    quotes = _Quotes(data, delimiter)
    at = start = 0
    while at < len(data):
        stop = min(at + block, len(data))
        opens, closes = quotes.stretches(at, stop)
        ends = at + np.flatnonzero(data[at:stop] == LINE_END)
        if len(opens):
            ends = ends[np.searchsorted(opens, ends) <= np.searchsorted(closes, ends)]
        if len(ends):
            yield _rows(data, start, ends + 1)
            start = int(ends[-1]) + 1
        at = stop
        if at == len(data) and quotes.opened >= 0:  # what follows the line of the quote is looked at again
            at = _next_line(data, quotes.opened)
            yield RowEnds(np.array([start]), np.array([at]), quotes.opened)
            start, quotes.opened = at, -1
    if start < len(data):
        yield _rows(data, start, np.array([len(data)]))


def _next_line(data: Array, at: int) -> int:
    while at < len(data):
        found = np.flatnonzero(data[at : at + BLOCK] == LINE_END)
        if len(found):
            return at + int(found[0]) + 1
        at += BLOCK
    return len(data)


class _Quotes:
    """The quoted stretches of a text, block by block. ``opened`` is the quote that is open after the last block."""

    def __init__(self, data: Array, delimiter: int) -> None:
        self._data, self._delimiter = data, delimiter
        self.opened, self._closed = -1, -2

    def stretches(self, start: int, stop: int) -> tuple[Array, Array]:
        """Where quoted stretches open and close in a block; a stretch that was open before is the first one.

        Every second quote opens a stretch if it starts a value, or follows the quote that closes a stretch (two quotes
        are one in the text). Where that does not hold, quotes are looked at one by one.
        """
        quotes = start + np.flatnonzero(self._data[start:stop] == QUOTE)
        before = np.where(quotes > 0, self._data[quotes - 1], LINE_END) if len(quotes) else quotes
        may_open = (before == self._delimiter) | (before == LINE_END) | (before == RETURN)
        may_open |= quotes - 1 == np.concatenate([[self._closed], quotes[:-1]])[: len(quotes)]
        is_open = self.opened >= 0
        if may_open[int(is_open) :: 2].all():
            opens, closes = quotes[int(is_open) :: 2], quotes[1 - int(is_open) :: 2]
        else:
            opens, closes = self._one_by_one(quotes, before, is_open)
        if is_open:
            opens = np.concatenate([[self.opened], opens])
        self.opened = _first_open(opens, closes) if len(opens) > len(closes) else -1
        self._closed = int(closes[-1]) if len(closes) else -2
        return opens, closes

    def _one_by_one(self, quotes: Array, before: Array, is_open: bool) -> tuple[Array, Array]:
        opens: list[int] = []
        closes: list[int] = [self._closed]
        for at, byte in zip(quotes.tolist(), before.tolist(), strict=True):
            if is_open:
                closes.append(at)
            elif byte in (self._delimiter, LINE_END, RETURN) or at == closes[-1] + 1:
                opens.append(at)
            else:
                continue
            is_open = not is_open
        return np.array(opens, np.int64), np.array(closes[1:], np.int64)


def _first_open(opens: Array, closes: Array) -> int:
    """The first quote of the stretch that is open: two quotes in it close it and open it again."""
    at = len(opens) - 1
    while at > 0 and opens[at] == closes[at - 1] + 1:
        at -= 1
    return int(opens[at])


def _rows(data: Array, start: int, ends: Array) -> RowEnds:
    starts = np.concatenate([[start], ends[:-1]])
    first = data[starts]
    lengths = ends - starts
    is_empty = (first == LINE_END) | ((first == RETURN) & (lengths == 2) & (data[ends - 1] == LINE_END))
    return RowEnds(starts[~is_empty], ends[~is_empty]) if is_empty.any() else RowEnds(starts, ends)


def all_rows(data: Array, delimiter: int) -> tuple[Array, Array, Any]:
    """The first byte of each row, the byte behind it, and ``(N,)`` of bool: whether a quote in it is not closed."""
    found = list(row_ends(data, delimiter))
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.bool_)
    is_open = np.concatenate([np.full(len(each.starts), each.opened >= 0) for each in found])
    return np.concatenate([e.starts for e in found]), np.concatenate([e.ends for e in found]), is_open
