"""Operators without attributes that are one function of the elements of their inputs: a row each.

NOTE: MindSpore Lite's NPU takes Abs as the root of the square, which overflows above 255. Here it is a lookup. Where a
function of a real number does not exist (Log, Reciprocal, Rsqrt, Sqrt), the device gives NaN or an infinity, and the
runtime's CPU kernel fails.
"""

from __future__ import annotations

from ..device.instructions.binary import BinaryFunction
from ..device.instructions.comparison import ComparisonFunction
from ..device.instructions.integer import IntegerFunction
from ..device.instructions.logic import LogicalFunction
from ..device.instructions.lookup import Function
from ._arithmetic import arithmetic, logical, negation
from ._comparison import comparison
from ._unary import function
from .record import NpuOperator

ELEMENTWISE: tuple[NpuOperator, ...] = (
    function("Abs", Function.ABS, IntegerFunction.ABS),
    function("Ceil", Function.CEIL),
    function("Cos", Function.COS),
    comparison("Equal", ComparisonFunction.EQUAL, of_bools=True, rejected_rank="equal_rejected_rank"),
    function("Erf", Function.ERF),
    function("Floor", Function.FLOOR),
    arithmetic("FloorDiv", BinaryFunction.FLOOR_DIV, divides=True),
    arithmetic("FloorMod", BinaryFunction.FLOOR_MOD, divides=True),
    comparison("Greater", ComparisonFunction.GREATER),
    comparison("GreaterEqual", ComparisonFunction.GREATER_EQUAL),
    comparison("Less", ComparisonFunction.LESS, rejected_rank="less_rejected_rank"),
    comparison("LessEqual", ComparisonFunction.LESS_EQUAL),
    function("Log", Function.LOG, note="NaN or -inf for numbers that are not positive"),
    function("Log1p", Function.LOG1P, note="NaN or -inf for -1 and less"),
    logical("LogicalAnd", LogicalFunction.AND),
    negation("LogicalNot"),
    logical("LogicalOr", LogicalFunction.OR),
    arithmetic("Maximum", BinaryFunction.MAXIMUM),
    arithmetic("Minimum", BinaryFunction.MINIMUM),
    function("Neg", Function.NEG, IntegerFunction.NEG),
    comparison("NotEqual", ComparisonFunction.NOT_EQUAL, of_bools=True),
    arithmetic("RealDiv", BinaryFunction.DIV, divides=True),
    function("Reciprocal", Function.RECIPROCAL, note="infinite for 0"),
    function("Round", Function.ROUND, note="halves go to the even number"),
    function("Rsqrt", Function.RSQRT, note="NaN for negative numbers"),
    function("Sin", Function.SIN),
    function("Sqrt", Function.SQRT, note="NaN for negative numbers"),
    function("Square", Function.SQUARE, IntegerFunction.SQUARE),
    arithmetic("SquaredDifference", BinaryFunction.SQUARED_DIFFERENCE),
)
"""By name."""
