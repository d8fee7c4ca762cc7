"""LoweredCall: one operator of ONNX, to be written as builtin operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ....basics.data_class import dataclass
from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from ....tensors.tensor import Array
from ...lowering import Attributes, NotLowered, Spec, Term
from ...lowering.call_reader import CallReader
from ..broadcasting import MOST, joined
from ..builtins import Builtins


@dataclass(frozen=True, slots=True)
class LoweredCall(CallReader):
    """One operator with its operands.

    Attributes:
        builtins: the writer.
        operands: by position; None is absent.
        results: element types and shapes that it has to give.
        attributes: as ONNX has them.
    """

    builtins: Builtins
    operands: Sequence[Term | None]
    results: Sequence[Spec]
    attributes: Attributes

    @property
    def dtype(self) -> str:
        """The element type of the first result."""
        return self.results[0][0].name

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first result."""
        return tuple(self.results[0][1])

    @property
    def rank(self) -> int:
        """The number of dimensions of the first result."""
        return len(self.shape)

    def x(self, position: int = 0) -> TfliteTensor:
        """An operand as a tensor of the file."""
        term = self.term(position)
        if term.handle is None and term.constant is not None:
            return self.builtins.constant(term.constant)
        assert isinstance(term.handle, TfliteTensor)
        return term.handle

    def known(self, position: int, what: str) -> Array:
        """The contents of an operand that must be constant.

        Raises:
            NotLowered: it is not.
        """
        found = self.term(position).constant
        if found is None:
            raise NotLowered(RejectCode.NOT_CONSTANT, f"{what} must be constant")
        return found

    def places(self, position: int, what: str) -> list[int]:
        """The integers of an operand that must be constant."""
        return [int(each) for each in self.known(position, what).reshape(-1)]

    def wanted(self, condition: object, code: RejectCode, rule: str, found: str = "") -> None:
        """Rejects the operator unless a condition holds.

        Raises:
            NotLowered: it does not.
        """
        if not condition:
            raise NotLowered(code, rule, found)

    def unary(self, kind: str, x: TfliteTensor, table: str = "", **options: Any) -> TfliteTensor:
        """A builtin operator that keeps element type and shape."""
        return self.builtins.op(kind, [x], x.shape, None, table, **options)

    def pair(
        self, kind: str, a: TfliteTensor, b: TfliteTensor, table: str = "", dtype: str | None = None
    ) -> TfliteTensor:
        """A builtin operator of two operands, which are broadcast."""
        return self.several(kind, [a, b], table, dtype)

    def several(self, kind: str, xs: Sequence[TfliteTensor], table: str = "", dtype: str | None = None) -> TfliteTensor:
        """A builtin operator whose operands are broadcast."""
        shape = np.broadcast_shapes(*(x.shape for x in xs))
        folded, small = joined(self.builtins, xs, MOST.get(kind, 4))
        made = self.builtins.op(kind, folded, shape if small is None else small, dtype, table)
        return self.builtins.reshape(made, shape)

    def scalar(self, value: float, dtype: str) -> TfliteTensor:
        """A constant without dimensions."""
        return self.builtins.number(value, dtype)


Write: TypeAlias = Callable[[LoweredCall], list[TfliteTensor]]
