"""The table of ONNX's operators that OpenVINO computes, and the check against it, which does not import OpenVINO."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ....delegate import RejectCode
from ....ir import from_numpy
from ...lowering import Attributes, Dtype, NotLowered, Shape, Spec, Term
from . import (
    activations,
    elementwise,
    movement,
    products,
    quantization,
    ranking,
    recurrent,
    reductions,
    sampling,
    windows,
)
from .operator import OnnxOperator, Types


@cache
def operators() -> dict[str, OnnxOperator]:
    """All of them, by ONNX's names."""
    families = (
        *(activations, elementwise, movement, products, quantization, ranking, recurrent, reductions),
        *(sampling, windows),
    )
    return {op: operator for family in families for op, operator in family.OPERATORS.items()}


TO_SCALAR = ("Reshape", 1)
"""The shape that a Reshape makes has no elements where it makes a scalar."""


def check(op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes) -> None:
    """Checks that OpenVINO has an operator for the operands, results and attributes.

    Raises:
        NotLowered: it does not.
    """
    found = operators().get(op)
    if found is None:
        raise NotLowered(RejectCode.OPERATOR, f"OpenVINO's emitter has no {op}")
    data: set[Dtype] = set()
    for position, term in enumerate(operands):
        if term is not None:
            _check_type(op, term.dtype, found.of_operand(position))
            if (op, position) != TO_SCALAR:
                _check_size(op, term.shape)
            if not found.is_apart(position):
                data.add(term.dtype)
    if len(data) > 1:
        names = " and ".join(sorted(dtype.name for dtype in data))
        raise NotLowered(RejectCode.DTYPE, f"OpenVINO computes {op} of one element type", f"has {names}")
    if found.check is not None:
        found.check(operands, results, attributes)
    for dtype, shape in results:
        _check_type(op, dtype, found.types if found.results is None else found.results)
        _check_size(op, shape)


def _check_type(op: str, dtype: Dtype, types: Types) -> None:
    if dtype.name not in types:
        rule = f"OpenVINO computes {op} in {', '.join(sorted(types))}"
        raise NotLowered(RejectCode.DTYPE, rule, f"is {dtype.name}", from_numpy(dtype))


def _check_size(op: str, shape: Shape) -> None:
    if 0 in shape:
        raise NotLowered(RejectCode.SHAPE, f"OpenVINO computes {op} of tensors with elements", f"has {shape}")
