"""Operators that compute each element of their result by itself, from the elements at its place."""

from __future__ import annotations

OF_ONE = frozenset(
    (
        "Abs",
        "Activation",
        "Cast",
        "Ceil",
        "Clip",
        "Cos",
        "Elu",
        "Erf",
        "ExpFusion",
        "Floor",
        "LeakyRelu",
        "Log",
        "Log1p",
        "LogicalNot",
        "Neg",
        "QuantDTypeCast",
        "Reciprocal",
        "Round",
        "Rsqrt",
        "Sin",
        "Sqrt",
        "Square",
    )
)
"""Of one array; other operands, if they have any, are single numbers."""
OF_TWO = frozenset(
    (
        "AddFusion",
        "DivFusion",
        "Eltwise",
        "Equal",
        "FloorDiv",
        "FloorMod",
        "Greater",
        "GreaterEqual",
        "Less",
        "LessEqual",
        "LogicalAnd",
        "LogicalOr",
        "Maximum",
        "Minimum",
        "Mod",
        "MulFusion",
        "NotEqual",
        "PowFusion",
        "RealDiv",
        "SquaredDifference",
        "SubFusion",
    )
)
"""Of two arrays, the smaller of which is stretched."""
OF_THREE = frozenset({"Where"})
"""Of a condition and two arrays, where the node has three inputs; all are stretched to the shape of the result."""
