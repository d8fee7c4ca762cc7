"""Names of nodes and tensors as renderers show them."""

from __future__ import annotations

from collections.abc import Sequence


def printable(text: str) -> str:
    """Text on one line: line breaks and other characters that cannot be seen are written as escapes."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shorten(name: str, width: int) -> str:
    """A name in at most ``width`` characters: its end, in which long names differ."""
    shown = printable(name)
    return shown if len(shown) <= width else "..." + shown[len(shown) - width + 3 :]


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
