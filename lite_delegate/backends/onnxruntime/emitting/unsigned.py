"""int8 tensors that become uint8 in a session: x86 processors multiply uint8 by int8."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence

import numpy as np

from ...lowering import Attributes, Dtype, Spec, Term

INT8, UINT8 = np.dtype(np.int8), np.dtype(np.uint8)
HALF = 128
"""The distance between the integers of both types that stand for the same number."""
MOVING = ("Transpose", "Reshape")
Write = Callable[[str, Sequence[Term | None], Sequence[Spec], Attributes], Sequence[object]]


def wants_unsigned(provider: str) -> bool:
    """Whether a provider's kernels take uint8 here."""
    return provider == "CPUExecutionProvider" and platform.machine().lower() in ("x86_64", "amd64")


class Later:
    """The handle of an int8 tensor that is there as uint8: it is made once its name is asked for.

    Args:
        twin: the same as uint8.
        make: gives the name of an int8 tensor.
    """

    def __init__(self, twin: Term, make: Callable[[Term], str]) -> None:
        self.twin = twin
        self._make = make
        self._name = ""

    def __str__(self) -> str:
        self._name = self._name or self._make(self.twin)
        return self._name


class Unsigned:
    """Writes quantization to int8, and its readers, with uint8 in between.

    Args:
        write: writes a node as it is.
        constant: gives a constant.
    """

    def __init__(self, write: Write, constant: Callable[[np.ndarray], Term]) -> None:
        self._write, self._constant = write, constant
        self._twins: dict[str, Term] = {}

    def applies(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec]) -> bool:
        """Whether a node quantizes to int8, dequantizes int8 values that are no weights, or moves uint8 values."""
        if op in MOVING and operands[0] is not None and isinstance(operands[0].handle, Later):
            return True
        x, zero = operands[0], operands[-1]
        if zero is None or zero.constant is None or zero.dtype != INT8 or x is None:
            return False
        return op == "QuantizeLinear" or (op == "DequantizeLinear" and x.constant is None)

    def node(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> list[object]:
        """The handles of the results."""
        x = operands[0]
        assert x is not None
        if op in MOVING:
            return [self._later(op, [self._as_unsigned(x), *operands[1:]], results, attributes)]
        _, scale, zero = operands
        assert zero is not None
        assert zero.constant is not None
        moved = self._constant((zero.constant.astype(np.int16) + HALF).astype(UINT8))
        if op == "DequantizeLinear":
            return list(self._write(op, [self._as_unsigned(x), scale, moved], results, attributes))
        return [self._later(op, [x, scale, moved], results, attributes)]

    def _later(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes
    ) -> Later:
        ((_, shape),) = results
        (name,) = self._write(op, operands, [(UINT8, shape)], attributes)
        return Later(Term(name, UINT8, shape), lambda twin: str(self._turned(twin, INT8).handle))

    def _as_unsigned(self, x: Term) -> Term:
        if isinstance(x.handle, Later):
            return x.handle.twin
        name = str(x.handle)
        if name not in self._twins:
            self._twins[name] = self._turned(x, UINT8)
        return self._twins[name]

    def _turned(self, x: Term, dtype: Dtype) -> Term:
        """The other type: the highest bit is the other one."""
        bit = self._constant(np.array(HALF, UINT8))
        source = x if x.dtype == UINT8 else self._one("Cast", [x], UINT8)
        turned = self._one("BitwiseXor", [source, bit], UINT8)
        return turned if dtype == UINT8 else self._one("Cast", [turned], dtype)

    def _one(self, op: str, operands: Sequence[Term], dtype: Dtype) -> Term:
        (name,) = self._write(op, operands, [(dtype, operands[0].shape)], {})
        return Term(name, dtype, operands[0].shape)
