"""Operators on elements: arithmetic, comparisons, logic, functions of one operand."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....ir import DataType
from ...rejection import Why
from ..conversion import Converter, OperatorConversion
from .activation import fused_node


def same(op_type: str, inputs: int = 1, **attributes: Any) -> Converter:
    """A converter to an operator of ours with the same operands and nothing else to say."""

    def convert(c: OperatorConversion) -> None:
        c.node(op_type, [c.x(i) for i in range(inputs)], c.y(), **attributes)

    convert.__doc__ = f"{op_type}."
    return convert


def arithmetic(op_type: str, table: str) -> Converter:
    """A converter to an operator of two operands with a fused activation."""

    def convert(c: OperatorConversion) -> None:
        fused_node(c, op_type, [c.x(), c.x(1)], c.y(), c.option(table)["fused_activation_function"])

    convert.__doc__ = f"{op_type}."
    return convert


def add_n(c: OperatorConversion) -> None:
    """AddN."""
    c.node("AddN", c.given(), c.y())


def cast(c: OperatorConversion) -> None:
    """Cast to the element type of the output; no complex numbers, no strings."""
    for value in (c.x(), c.y()):
        c.reject_unless(value not in c.operator.tensors.complex, Why.DTYPE, "a cast of complex numbers")
    c.reject_unless(DataType.STRING not in (c.x().dtype, c.y().dtype), Why.DTYPE, "a cast of strings")
    c.cast(c.x(), c.y())


def fake_quant(c: OperatorConversion) -> None:
    """FakeQuantWithMinMaxVars with the range as constants."""
    options = c.option("FakeQuantOptions")
    low, high = (c.constant(name, np.array(options[name], np.float32)) for name in ("min", "max"))
    attributes = {"num_bits": options["num_bits"], "narrow_range": options["narrow_range"]}
    c.node("FakeQuantWithMinMaxVars", [c.x(), low, high], c.y(), **attributes)


CONVERTERS: dict[str, Converter] = {
    "ADD": arithmetic("AddFusion", "AddOptions"),
    "SUB": arithmetic("SubFusion", "SubOptions"),
    "MUL": arithmetic("MulFusion", "MulOptions"),
    "DIV": arithmetic("DivFusion", "DivOptions"),
    "ADD_N": add_n,
    "CAST": cast,
    "FAKE_QUANT": fake_quant,
    "MAXIMUM": same("Maximum", 2),
    "MINIMUM": same("Minimum", 2),
    "POW": same("PowFusion", 2),
    "SQUARED_DIFFERENCE": same("SquaredDifference", 2),
    "FLOOR_DIV": same("FloorDiv", 2),
    "FLOOR_MOD": same("FloorMod", 2),
    "EQUAL": same("Equal", 2),
    "NOT_EQUAL": same("NotEqual", 2),
    "LESS": same("Less", 2),
    "LESS_EQUAL": same("LessEqual", 2),
    "GREATER": same("Greater", 2),
    "GREATER_EQUAL": same("GreaterEqual", 2),
    "LOGICAL_AND": same("LogicalAnd", 2),
    "LOGICAL_OR": same("LogicalOr", 2),
    "LOGICAL_NOT": same("LogicalNot"),
    "ABS": same("Abs"),
    "NEG": same("Neg"),
    "EXP": same("ExpFusion"),
    "LOG": same("Log"),
    "SQRT": same("Sqrt"),
    "RSQRT": same("Rsqrt"),
    "SQUARE": same("Square"),
    "SIN": same("Sin"),
    "COS": same("Cos"),
    "FLOOR": same("Floor"),
    "CEIL": same("Ceil"),
    "ROUND": same("Round"),
    "ZEROS_LIKE": same("ZerosLike"),
}
"""Converters of this file by the schema's names."""
