"""Names that a user may have meant."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 3
LONGEST = 100
"""Characters of a word that are looked at."""


def similar(word: str, known: Iterable[str], most: int = MOST) -> list[str]:
    """The known names that look like a word, closest first; not more than ``most``."""
    from difflib import get_close_matches  # for messages alone

    return get_close_matches(word, list(known), n=most)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: ". Did you mean a or b?", or "" without a similar name.

    Args:
        word: the unknown name, in upper or lower case.
        known: the known names.
    """
    names = {name.casefold(): name for name in known}
    close = [names[each] for each in similar(word[:LONGEST].casefold(), names, 2)]
    return f". Did you mean {' or '.join(close)}?" if close else ""


def near(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: "; close: 'a', 'b'", or "" without a similar name.

    Names are close that look alike, else those that the word is a part of: reports cut long names at the front.
    """
    names = sorted(known)
    part = word.lstrip(".").casefold()
    close = similar(word, names) or [n for n in names if part and part in n.casefold()][:MOST]
    return f"; close: {', '.join(map(repr, close))}" if close else ""
