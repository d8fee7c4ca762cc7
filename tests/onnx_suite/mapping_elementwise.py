"""ONNX operators that work element by element: arithmetic, comparison, logic, casts, choices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from lite_delegate_kernels import Array

from .node import TYPE_IDS, OnnxNode, Why, number
from .onnx_types import dtype_name

Mapping = Callable[[OnnxNode], Array]


def _one(op_type: str) -> Mapping:
    """One input, one kernel."""
    return lambda node: node.run(op_type, node.x())


def _two(op_type: str) -> Mapping:
    """Two inputs, one kernel."""
    return lambda node: node.run(op_type, node.x(0), node.x(1))


def _chain(op_type: str) -> Mapping:
    """Any number of inputs, folded by a kernel of two."""

    def fold(node: OnnxNode) -> Array:
        first, *others = node.given()
        if not others:
            return node.run("Depend", first)
        for other in others:
            first = node.run(op_type, first, other)
        return first

    return fold


def _mean(node: OnnxNode) -> Array:
    total = _chain("AddFusion")(node)
    return node.run("DivFusion", total, number(len(node.given()), total))


def _mod(node: OnnxNode) -> Array:
    return node.run("Mod" if node.get("fmod", 0) else "FloorMod", node.x(0), node.x(1))


def _pow(node: OnnxNode) -> Array:
    base, exponent = node.x(0), node.x(1)
    if base.dtype == exponent.dtype:
        return node.run("PowFusion", base, exponent)
    y = node.run("PowFusion", node.cast(base, "float64"), node.cast(exponent, "float64"))
    return node.cast(y, base.dtype.name)


def _is_inf(node: OnnxNode) -> Array:
    x = node.x()
    up = node.run("Equal", x, number(np.inf, x))
    down = node.run("Equal", x, number(-np.inf, x))
    if not node.get("detect_negative", 1):
        return up
    return node.run("LogicalOr", up, down) if node.get("detect_positive", 1) else down


def _is_nan(node: OnnxNode) -> Array:
    return node.run("NotEqual", node.x(), node.x())


def _xor(node: OnnxNode) -> Array:
    return node.run("NotEqual", node.x(0), node.x(1))


def _clip(node: OnnxNode) -> Array:
    low, high = node.optional(1), node.optional(2)
    if low is not None and high is not None:
        node.refuse_unless(low < high, Why.SEMANTICS, "min not below max, which the format refuses")
    return node.run("Clip", node.x(), low, high, min=node.get("min", -np.inf), max=node.get("max", np.inf))


def _cast_to(node: OnnxNode, name: str) -> Array:
    node.refuse_unless(name in TYPE_IDS, Why.TYPE, f"target {name}")
    return node.cast(node.x(), name)


def _cast(node: OnnxNode) -> Array:
    return _cast_to(node, dtype_name(node.get("to", 0)))


def _cast_like(node: OnnxNode) -> Array:
    return _cast_to(node, node.x(1).dtype.name)


def _sign(node: OnnxNode) -> Array:
    return node.run("Activation", node.x(), activation_type="SIGN")


def _tan(node: OnnxNode) -> Array:
    return node.run("DivFusion", node.run("Sin", node.x()), node.run("Cos", node.x()))


def _exponentials(combine: str) -> Mapping:
    """Half the sum or the difference of exp(x) and exp(-x)."""

    def halves(node: OnnxNode) -> Array:
        up, down = node.run("ExpFusion", node.x()), node.run("ExpFusion", node.x(), scale=-1.0)
        both = node.run(combine, up, down)
        return node.run("MulFusion", both, number(0.5, both))

    return halves


def _inverse_hyperbolic(offset: float) -> Mapping:
    """log(x + sqrt(x^2 + offset))."""

    def log_form(node: OnnxNode) -> Array:
        x = node.x()
        root = node.run("Sqrt", node.run("AddFusion", node.run("Square", x), number(offset, x)))
        return node.run("Log", node.run("AddFusion", x, root))

    return log_form


def _atanh(node: OnnxNode) -> Array:
    x = node.x()
    above, below = node.run("AddFusion", number(1, x), x), node.run("SubFusion", number(1, x), x)
    return node.run("MulFusion", node.run("Log", node.run("DivFusion", above, below)), number(0.5, x))


MAPPINGS: dict[str, Callable[[OnnxNode], Array]] = {
    "Abs": _one("Abs"),
    "Acosh": _inverse_hyperbolic(-1.0),
    "Add": _two("AddFusion"),
    "And": _two("LogicalAnd"),
    "Asinh": _inverse_hyperbolic(1.0),
    "Atanh": _atanh,
    "Cast": _cast,
    "CastLike": _cast_like,
    "Ceil": _one("Ceil"),
    "Clip": _clip,
    "Cos": _one("Cos"),
    "Cosh": _exponentials("AddFusion"),
    "Div": _two("DivFusion"),
    "Equal": _two("Equal"),
    "Erf": _one("Erf"),
    "Exp": _one("ExpFusion"),
    "Floor": _one("Floor"),
    "Greater": _two("Greater"),
    "GreaterOrEqual": _two("GreaterEqual"),
    "Identity": _one("Depend"),
    "IsInf": _is_inf,
    "IsNaN": _is_nan,
    "Less": _two("Less"),
    "LessOrEqual": _two("LessEqual"),
    "Log": _one("Log"),
    "Max": _chain("Maximum"),
    "Mean": _mean,
    "Min": _chain("Minimum"),
    "Mod": _mod,
    "Mul": _two("MulFusion"),
    "Neg": _one("Neg"),
    "Not": _one("LogicalNot"),
    "Or": _two("LogicalOr"),
    "Pow": _pow,
    "Reciprocal": _one("Reciprocal"),
    "Round": _one("Round"),
    "Sign": _sign,
    "Sin": _one("Sin"),
    "Sinh": _exponentials("SubFusion"),
    "Sqrt": _one("Sqrt"),
    "Sub": _two("SubFusion"),
    "Sum": _chain("AddFusion"),
    "Tan": _tan,
    "Where": lambda node: node.run("Where", node.x(0), node.x(1), node.x(2)),
    "Xor": _xor,
}
