"""Names that a user may have meant."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 3
LONGEST = 100
"""Characters of a word that are looked at."""


def similar(word: str, known: Iterable[str], most: int = MOST) -> list[str]:
    """The known names that look like a word in upper or lower case, closest first; not more than ``most``.

    Where none does, the names that the word is a part of, or that reports show as the word: they leave out the middle
    of long names.
    """
    from difflib import get_close_matches  # for messages alone

    names: dict[str, str] = {}
    for name in known:
        names.setdefault(name.casefold(), name)
    part = word[:LONGEST].casefold()
    close = get_close_matches(part, names, n=most)
    if not close and part.strip("."):
        first, cut, last = part.partition("...")
        is_meant = (lambda name: name.startswith(first) and name.endswith(last)) if cut else (lambda name: part in name)
        close = sorted(filter(is_meant, names))[:most]
    return [names[each] for each in close]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: ". Did you mean 'a' or 'b'?", or "" without a similar name.

    Args:
        word: the unknown name.
        known: the known names.
    """
    close = [f"'{name}'" for name in similar(word, known)]
    if not close:
        return ""
    *others, last = close
    return f". Did you mean {', '.join(others)} or {last}?" if others else f". Did you mean {last}?"
