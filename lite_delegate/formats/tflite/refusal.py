"""What cannot be imported, and the one error that lists it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...errors import UnsupportedOperatorError


class Why(StrEnum):
    """The kind of reason. The names are those of ``RejectCode``, as far as they fit."""

    OPERATOR = "OPERATOR"
    """There is no counterpart of the operator."""
    ATTRIBUTE = "ATTRIBUTE"
    """An option, or a combination of operands, has no counterpart."""
    DTYPE = "DTYPE"
    """An element type, or a quantisation, that we cannot compute with."""
    SHAPE = "SHAPE"
    """A dimension must be known and is not, or shapes have no counterpart."""
    NOT_CONSTANT = "NOT_CONSTANT"
    """An input must be part of the model and is not."""


class Refused(Exception):
    """Raised by converters: the operator has no honest counterpart.

    Args:
        why: the kind of reason.
        reason: for people: the limit and the value found.
    """

    def __init__(self, why: Why, reason: str) -> None:
        super().__init__(f"{why}: {reason}")
        self.why = why
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Refusal:
    """One operator that cannot be imported.

    Attributes:
        operator: the schema's name, or that of a custom operator.
        version: of the operator, as the file has it.
        place: subgraph and position, for people.
        why: the kind of reason.
        reason: for people.
    """

    operator: str
    version: int
    place: str
    why: Why
    reason: str


def unsupported(where: str, refusals: Sequence[Refusal]) -> UnsupportedOperatorError:
    """The error that lists every refusal, operators of one kind with one reason together."""
    groups: dict[tuple[str, int, Why, str], list[str]] = {}
    for each in refusals:
        groups.setdefault((each.operator, each.version, each.why, each.reason), []).append(each.place)
    lines = [
        f"  {operator} (version {version}), {_nodes(len(places))}, {'first ' * (len(places) > 1)}{places[0]}: "
        f"{why}: {reason}"
        for (operator, version, why, reason), places in sorted(groups.items())
    ]
    return UnsupportedOperatorError(f"{where}: {_nodes(len(refusals))} cannot be imported:\n" + "\n".join(lines))


def _nodes(count: int) -> str:
    return f"{count} node{'s' if count != 1 else ''}"
