"""Names of nodes and tensors as renderers show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os.path import commonprefix

from .one_line import printable

LEFT_OUT = "..."
"""Stands in place of a part of a name."""


def shorten(name: str, width: int) -> str:
    """A name in at most ``width`` characters: its beginning, and twice as much of its end, in which names differ."""
    return _cut(printable(name), width, 3)


def _cut(name: str, width: int, part: int) -> str:
    """A name without its middle; the beginning is one of so many parts of the rest."""
    if len(name) <= width:
        return name
    first = (width - len(LEFT_OUT)) // part
    return f"{name[:first]}{LEFT_OUT}{name[len(name) - (width - first - len(LEFT_OUT)) :]}"


def shortened(names: Iterable[str], width: int) -> dict[str, str]:
    """Names in at most ``width`` characters, by name: cut so that as many as can be still differ.

    All long names are cut in the same way. Names that look alike then are cut about the part in which they differ.
    """
    known = dict.fromkeys(names)
    ways = [{name: _cut(printable(name), width, part) for name in known} for part in (3, 2, 2 * width)]
    found = max(ways, key=lambda way: len(set(way.values())))
    alike: dict[str, list[str]] = {}
    for name, shown in found.items():
        alike.setdefault(shown, []).append(name)
    for group in alike.values():
        if len(group) > 1:
            found |= _by_difference(group, width)
    return found


def _by_difference(names: Sequence[str], width: int) -> dict[str, str]:
    """Long names that begin and end alike, from the part on in which they differ."""
    start = len(commonprefix(names))  # noqa: RUF071  of characters
    start = max(names[0].rfind(mark, max(start - width // 3, 0), start) + 1 for mark in "/._:-") or start
    return {name: f"{LEFT_OUT}{_cut(printable(name[start:]), width - len(LEFT_OUT), 1)}" for name in names}


def folded(names: Sequence[str], most: int) -> list[str]:
    """At most ``most`` lines, 3 or more, for a list of names: the middle of a longer list is a count."""
    if len(names) <= most:
        return list(names)
    left = len(names) - most + 1
    return [*names[: most - 2], f"... {left:,} more", names[-1]]


def whole_way(names: Sequence[str]) -> str:
    """Names on the way from the first to the last."""
    return " -> ".join(map(printable, names))


def way(names: Sequence[str], width: int) -> str:
    """A path in at most ``width`` characters, 20 or more: between its first and last part, only a number of parts."""
    whole = whole_way(names)
    if len(whole) <= width:
        return whole
    if len(names) == 1:
        return shorten(names[0], width)
    arrow = f" (+{len(names) - 2}) -> " if len(names) > 2 else " -> "
    first, last = shares(width - len(arrow), [len(printable(names[0])), len(printable(names[-1]))])
    return f"{shorten(names[0], first)}{arrow}{shorten(names[-1], last)}"


def shares(free: int, wanted: Sequence[int]) -> list[int]:
    """Widths of columns in the free room; where the room is short, the widest columns shrink."""
    found = list(wanted)
    narrowest_first = sorted(range(len(found)), key=found.__getitem__)
    for rank, column in enumerate(narrowest_first):
        found[column] = min(found[column], free // (len(found) - rank))
        free -= found[column]
    return found
