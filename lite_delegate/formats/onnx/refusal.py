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
    """An attribute, or a combination of inputs and outputs, has no counterpart."""
    DTYPE = "DTYPE"
    """An element type that we cannot compute with, here or at all."""
    SHAPE = "SHAPE"
    """A dimension must be known and is not, or shapes do not fit."""
    RANK = "RANK"
    """A rank that has no counterpart, or is not known."""
    NOT_CONSTANT = "NOT_CONSTANT"
    """An input must be known before the model runs and is not."""


class Refused(Exception):
    """Raised by converters: the node has no honest counterpart.

    Args:
        why: the kind of reason.
        reason: for people: the limit and the value found.
    """

    def __init__(self, why: Why, reason: str) -> None:
        super().__init__(f"{why}: {reason}")
        self.why = why
        self.reason = reason


class Lost(Exception):
    """Raised by converters of nodes that hold graphs: what is wrong with the node is listed already."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One node that cannot be imported.

    Attributes:
        operator: ONNX's name of it.
        domain: "ai.onnx" for ONNX's own operators.
        opset: the version of the domain that the model asks for.
        node: the node's name, or what it gives where it has none.
        why: the kind of reason.
        reason: for people.
    """

    operator: str
    domain: str
    opset: int
    node: str
    why: Why
    reason: str


def unsupported(where: str, refusals: Sequence[Refusal]) -> UnsupportedOperatorError:
    """The error that lists every refusal, nodes of one operator with one reason together."""
    groups: dict[tuple[str, str, int, Why, str], list[str]] = {}
    for refusal in refusals:
        key = (refusal.domain, refusal.operator, refusal.opset, refusal.why, refusal.reason)
        groups.setdefault(key, []).append(refusal.node)
    lines = [_line(*key, nodes) for key, nodes in sorted(groups.items())]
    count = len(refusals)
    return UnsupportedOperatorError(
        f"{where}: {count} node{'s' if count != 1 else ''} cannot be imported:\n" + "\n".join(lines)
    )


def _line(domain: str, operator: str, opset: int, why: Why, reason: str, nodes: Sequence[str]) -> str:
    count = f"{len(nodes)} node{'s' if len(nodes) != 1 else ''}"
    first = f", first '{nodes[0]}'" if len(nodes) > 1 else f" '{nodes[0]}'"
    return f"  {domain}.{operator} (opset {opset}), {count}{first}: {why}: {reason}"
