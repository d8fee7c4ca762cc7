"""Numbers of things in texts for people."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun: "1 entry", "12,345 bytes".

    Args:
        number: with a comma between thousands.
        noun: in the singular.
        plural: where it is neither the noun with an "s" nor, after a consonant, with "ies" for its "y".
    """
    if number == 1:
        return f"1 {noun}"
    ends = noun[-2:-1] not in "aeiou" and noun.endswith("y")
    return f"{number:,} {plural or (f'{noun[:-1]}ies' if ends else f'{noun}s')}"
