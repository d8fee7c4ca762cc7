"""StableHLO operators, as far as they are operators of ours under another name."""

from __future__ import annotations

import numpy as np

from ....flatbuffer.problem import FormatProblem
from ....flatbuffer.schema import Record
from ....ir import DataType
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from ..tensors.layout import enum_names
from .elementwise import cast, same

_COMPARISONS = {
    "EQ": "Equal",
    "NE": "NotEqual",
    "GE": "GreaterEqual",
    "GT": "Greater",
    "LE": "LessEqual",
    "LT": "Less",
}


def logical(op_type: str) -> Converter:
    """A converter to an operator on truth values; on numbers it would be one on bits."""

    def convert(c: OperatorConversion) -> None:
        found = c.x().dtype
        c.reject_unless(found == DataType.BOOL, Why.DTYPE, f"bits of {found.name}; truth values can be combined")
        c.node(op_type, [c.x(), c.x(1)], c.y())

    convert.__doc__ = f"{op_type} of truth values."
    return convert


def logistic(c: OperatorConversion) -> None:
    """Activation SIGMOID."""
    c.node("Activation", [c.x()], c.y(), activation_type="SIGMOID")


def tanh(c: OperatorConversion) -> None:
    """Activation TANH."""
    c.node("Activation", [c.x()], c.y(), activation_type="TANH")


def compare(c: OperatorConversion) -> None:
    """The comparison that the options name."""
    number = c.option("StablehloCompareOptions")["comparison_direction"]
    name = enum_names("StablehloComparisonDirection").get(number, "")
    op_type = _COMPARISONS.get(name.rpartition("_")[2])
    if op_type is None:
        raise FormatProblem(f"expected a known comparison, found {number}", "comparison_direction")
    c.node(op_type, [c.x(), c.x(1)], c.y())


def clamp(c: OperatorConversion) -> None:
    """Maximum with the lower bound and Minimum with the upper one."""
    above = c.between(c.x(1), "above")
    c.node("Maximum", [c.x(1), c.x(0)], above)
    c.node("Minimum", [above, c.x(2)], c.y())


def reshape(c: OperatorConversion) -> None:
    """Reshape to the output's shape, which must be known."""
    shape = c.y().shape
    known = shape is not None and 0 not in shape and shape.count(-1) < 2
    c.reject_unless(known, Why.SHAPE, f"the output's shape must be known, found {shape}")
    c.node("Reshape", [c.x(), c.constant("shape", list(shape or ()))], c.y())


def concatenate(c: OperatorConversion) -> None:
    """Concat."""
    c.node("Concat", c.given(), c.y(), axis=c.option("StablehloConcatenateOptions")["dimension"])


def transpose(c: OperatorConversion) -> None:
    """Transpose."""
    order = _vector(c.option("StablehloTransposeOptions"), "permutation")
    c.node("Transpose", [c.x(), c.constant("order", order)], c.y())


def slice_(c: OperatorConversion) -> None:
    """StridedSlice."""
    options = c.option("StablehloSliceOptions")
    begin, end, strides = (_vector(options, name) for name in ("start_indices", "limit_indices", "strides"))
    if not len(begin) == len(end) == len(strides) or 0 in strides:
        raise FormatProblem(f"begin {begin}, end {end} and strides {strides} do not fit", "builtin_options2")
    vectors = {"begin": begin, "end": end, "axes": list(range(len(begin))), "strides": strides}
    c.node("StridedSlice", [c.x(), *(c.constant(name, v) for name, v in vectors.items())], c.y())


def _vector(options: Record, name: str) -> list[int]:
    """A vector of up to 8 whole numbers of 32 bits."""
    found = options[name]
    numbers = [] if found is None else found[:9].tolist()
    if len(numbers) > 8 or any(abs(n) > np.iinfo(np.int32).max for n in numbers):
        raise FormatProblem(f"expected up to 8 numbers of 32 bits, found {numbers}", name)
    return numbers


CONVERTERS: dict[str, Converter] = {
    "STABLEHLO_LOGISTIC": logistic,
    "STABLEHLO_TANH": tanh,
    "STABLEHLO_ADD": same("AddFusion", 2),
    "STABLEHLO_SUBTRACT": same("SubFusion", 2),
    "STABLEHLO_MULTIPLY": same("MulFusion", 2),
    "STABLEHLO_DIVIDE": same("DivFusion", 2),
    "STABLEHLO_REMAINDER": same("Mod", 2),
    "STABLEHLO_POWER": same("PowFusion", 2),
    "STABLEHLO_MAXIMUM": same("Maximum", 2),
    "STABLEHLO_MINIMUM": same("Minimum", 2),
    "STABLEHLO_AND": logical("LogicalAnd"),
    "STABLEHLO_OR": logical("LogicalOr"),
    "STABLEHLO_ABS": same("Abs"),
    "STABLEHLO_NEGATE": same("Neg"),
    "STABLEHLO_EXPONENTIAL": same("ExpFusion"),
    "STABLEHLO_LOG": same("Log"),
    "STABLEHLO_FLOOR": same("Floor"),
    "STABLEHLO_COSINE": same("Cos"),
    "STABLEHLO_RSQRT": same("Rsqrt"),
    "STABLEHLO_SELECT": same("Where", 3),
    "STABLEHLO_CONVERT": cast,
    "STABLEHLO_COMPARE": compare,
    "STABLEHLO_CLAMP": clamp,
    "STABLEHLO_RESHAPE": reshape,
    "STABLEHLO_CONCATENATE": concatenate,
    "STABLEHLO_TRANSPOSE": transpose,
    "STABLEHLO_SLICE": slice_,
}
"""Converters of this file by the schema's names."""
