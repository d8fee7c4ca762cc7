"""Rejections: nodes that cannot be imported from another format, and the one error that lists them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..errors import UnsupportedOperatorError


class Why(StrEnum):
    """The kind of reason, named as in ``RejectCode`` where a name fits."""

    OPERATOR = "OPERATOR"
    """There is no counterpart of the operator."""
    ATTRIBUTE = "ATTRIBUTE"
    """An attribute, or a combination of inputs and outputs, has no counterpart."""
    DTYPE = "DTYPE"
    """An element type, or a quantization, that we cannot compute with, here or at all."""
    SHAPE = "SHAPE"
    """A dimension must be known and is not, or shapes do not fit or have no counterpart."""
    RANK = "RANK"
    """A rank that has no counterpart, or is not known."""
    NOT_CONSTANT = "NOT_CONSTANT"
    """An input must be known before the model runs and is not."""


OF_SHAPES = frozenset({Why.SHAPE, Why.RANK, Why.NOT_CONSTANT})
"""Reasons that other or known shapes of the model's inputs may remove."""


class NotConvertible(Exception):
    """Raised by converters: the node has no honest counterpart.

    Args:
        why: the kind of reason.
        reason: for people: the limit and the value found.
    """

    def __init__(self, why: Why, reason: str) -> None:
        super().__init__(f"{why}: {reason}")
        self.why = why
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Rejection:
    """One node that cannot be imported.

    Attributes:
        operator: the format's name of it, and its version: "ai.onnx.Acos (opset 21)".
        place: the node in words.
        why: the kind of reason.
        reason: the reason in words.
    """

    operator: str
    place: str
    why: Why
    reason: str


def unsupported(where: str, rejections: Sequence[Rejection]) -> UnsupportedOperatorError:
    """The error that lists every rejection, nodes of one operator with one reason together."""
    groups: dict[tuple[str, Why, str], list[str]] = {}
    for each in rejections:
        groups.setdefault((each.operator, each.why, each.reason), []).append(each.place)
    lines = [
        f"  {operator}, {_nodes(len(places))}, {'first ' * (len(places) > 1)}{places[0]}: {why}: {reason}"
        for (operator, why, reason), places in sorted(groups.items())
    ]
    return UnsupportedOperatorError(f"{where}: {_nodes(len(rejections))} cannot be imported:\n" + "\n".join(lines))


def _nodes(count: int) -> str:
    return counted(count, "node")
