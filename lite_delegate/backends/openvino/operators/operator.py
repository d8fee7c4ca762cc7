"""OnnxOperator: the OpenVINO nodes for an operator of ONNX, and the element types that they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ....basics.data_class import dataclass
from ...lowering import Attributes, Spec, Term
from .call import OperatorCall

Write: TypeAlias = Callable[[OperatorCall], list[Any]]
Check: TypeAlias = Callable[[Sequence[Term | None], Sequence[Spec], Attributes], None]
Types: TypeAlias = frozenset[str]

FLOATS: Types = frozenset({"float32", "float16"})
"""float64 is computed as float32 by OpenVINO's devices."""
NUMBERS: Types = FLOATS | {"int32"}
"""Other integers are computed as int32 by OpenVINO's devices, or saturate where they are to wrap around."""
BOOLS: Types = frozenset({"bool"})
NARROW: Types = frozenset({"int8", "uint8", "int16", "uint16"})
"""Integers whose sums and products in int32 have their low bits."""
MOVED: Types = NUMBERS | BOOLS | NARROW
"""What is carried as it is."""
INDICES: Types = frozenset({"int32", "int64"})
ALL: Types = MOVED | {"int64"}


@dataclass(frozen=True, slots=True)
class OnnxOperator:
    """An operator of ONNX, and how OpenVINO computes it.

    Attributes:
        write: makes its nodes and returns their outputs.
        types: element types of its operands.
        results: the same of its results; None: those of the operands.
        at: the same for single operands, by position.
        check: raises NotLowered for operands, results and attributes that OpenVINO does not take; None: it takes all.
    """

    write: Write
    types: Types = FLOATS
    results: Types | None = None
    at: Mapping[int, Types] | None = None
    check: Check | None = None

    def of_operand(self, position: int) -> Types:
        """The element types that an operand may have."""
        return self.types if self.at is None else self.at.get(position, self.types)

    def is_apart(self, position: int) -> bool:
        """Whether an operand may have another element type than the others."""
        return self.at is not None and position in self.at
