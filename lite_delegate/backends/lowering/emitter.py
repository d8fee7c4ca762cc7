"""Emitters write lowered operators, by ONNX's names and attributes, into a backend's model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from ...tensors.tensor import Array
from .inner import Inner
from .term import Dtype, Shape, Term

AttributeValue: TypeAlias = int | float | str | Sequence[int] | Sequence[float] | Inner | Sequence[str]
Attributes: TypeAlias = Mapping[str, AttributeValue]
Spec: TypeAlias = tuple[Dtype, Shape]
"""Element type and dimensions of a term that is to be made."""

OPSET = 21
"""The release of ONNX's operators whose meaning and attributes the lowering counts on."""
THROUGH = "through"
"""The attribute of a Cast that rounds elements to those of a narrower type on their way: ONNX's number of the type."""
FITS = "fits"
"""The attribute of a Cast of places to int32 for backends that cannot clip int64: all of them fit, or the run fails."""


class Emitter(Protocol):
    """Writes a model of the backend, term by term.

    The operators are the operators of ONNX's default domain in release ``OPSET``; their specification
    (onnx.ai/onnx/operators) has their meaning and attributes. Cast gives the element type of its result; its attributes
    are ``THROUGH`` and, beside it, ``saturate``, or ``FITS``.

    Attributes:
        layer: the kernel that is being written, for names of nodes; "" for nodes that belong to no kernel.
        takes_unknown: whether dimensions of terms may be unknown, -1, where operators follow them by themselves.
    """

    layer: str

    @property
    def takes_unknown(self) -> bool: ...

    def check(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes) -> None:
        """Checks that the backend can do an operator; it is asked before each ``node``.

        Raises:
            NotLowered: it cannot; the reason is the claim's.
        """

    def input(self, name: str, dtype: Dtype, shape: Shape) -> Any:
        """The handle of an input of the model; they come in order."""

    def constant(self, array: Array) -> Any:
        """The handle of a constant. Its bytes are not copied where the backend can share them."""

    def node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> Sequence[Any]:
        """The handles of an operator's results. An operand that is None is absent."""


class EmitsNothing:
    """An emitter for claims: it does all the checks of another one, and makes nothing.

    Args:
        backend: the emitter whose ``check`` answers.
    """

    def __init__(self, backend: Emitter) -> None:
        self.check = backend.check
        self.takes_unknown = backend.takes_unknown
        self.layer = ""

    def input(self, name: str, dtype: Dtype, shape: Shape) -> None:
        """None."""
        return None

    def constant(self, array: Array) -> None:
        """None; the array is not looked at."""
        return None

    def node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> Sequence[None]:
        """None for each result; graphs inside of the operator are checked, too."""
        for inner in attributes.values():
            if isinstance(inner, Inner):
                inner.write(self, [Term(None, *spec) for spec in inner.inputs], operands)
        return (None,) * len(results)
