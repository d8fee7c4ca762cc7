"""ONNX operators that work element by element: arithmetic, comparison, logic, casts, choices."""

from __future__ import annotations

import numpy as np
from lite_delegate_kernels.custom.narrow import NARROW

from ....ir import Value
from ..conversion import Converter, OnnxNode
from ..protobuf.types import numpy_type


def _one(op_type: str) -> Converter:
    """One input, one kernel."""
    return lambda node: node.emit(op_type, node.x())


def _two(op_type: str) -> Converter:
    """Two inputs, one kernel."""
    return lambda node: node.emit(op_type, node.x(0), node.x(1))


def _folded(node: OnnxNode, op_type: str) -> Value:
    """Any number of inputs, folded by an operator of two."""
    first, *others = node.given()
    for other in others:
        first = node.emit(op_type, first, other)
    return first


def _chain(op_type: str) -> Converter:
    return lambda node: _folded(node, op_type)


def _mean(node: OnnxNode) -> Value:
    total = _folded(node, "AddFusion")
    return node.emit("DivFusion", total, node.scalar(len(node.given()), total))


def _mod(node: OnnxNode) -> Value:
    return node.emit("Mod" if node.get("fmod", 0) else "FloorMod", node.x(0), node.x(1))


def _pow(node: OnnxNode) -> Value:
    base, exponent = node.x(0), node.x(1)
    if node.dtype(base) == node.dtype(exponent):
        return node.emit("PowFusion", base, exponent)
    y = node.emit("PowFusion", node.cast(base, "float64"), node.cast(exponent, "float64"))
    return node.cast(y, node.dtype(base))


def _is_inf(node: OnnxNode) -> Value:
    x = node.x()
    up = node.emit("Equal", x, node.scalar(np.inf, x))
    down = node.emit("Equal", x, node.scalar(-np.inf, x))
    if not node.get("detect_negative", 1):
        return up
    return node.emit("LogicalOr", up, down) if node.get("detect_positive", 1) else down


def _is_nan(node: OnnxNode) -> Value:
    return node.emit("NotEqual", node.x(), node.x())


def _xor(node: OnnxNode) -> Value:
    return node.emit("NotEqual", node.x(0), node.x(1))


def _clip(node: OnnxNode) -> Value:
    """Our Clip rejects bounds that are not in order, which ONNX allows: the upper one wins then."""
    x = node.x()
    low, high = (_bound(node, i, name) for i, name in ((1, "min"), (2, "max")))
    known = [node.known(v) for v in (low, high)]
    if any(v is not None and k is None for v, k in zip((low, high), known, strict=True)):
        return _between(node, x, low, high)
    least, most = (None if k is None else k.reshape(()).item() for k in known)
    if least is not None and most is not None and not least < most:
        return _between(node, x, low, high)
    if node.dtype(x) != np.float32:
        return node.emit("Clip", x, low, high, min=-np.inf, max=np.inf)
    bounds = {"min": -np.inf if least is None else least, "max": np.inf if most is None else most}
    return node.emit("Clip", x, **bounds)


def _bound(node: OnnxNode, index: int, attribute: str) -> Value | None:
    """A bound from its input, or from the attribute in older versions; None where neither is given."""
    if attribute in node.attributes:
        return node.scalar(node.attributes[attribute], node.x())
    return node.optional(index)


def _between(node: OnnxNode, x: Value, low: Value | None, high: Value | None) -> Value:
    raised = x if low is None else node.emit("Maximum", x, low)
    return raised if high is None else node.emit("Minimum", raised, high)


def _cast(node: OnnxNode) -> Value:
    to = node.get("to", 0)
    return _narrowed(node, to) if to in NARROW else node.cast(node.x(), numpy_type(to))


def _cast_like(node: OnnxNode) -> Value:
    narrow = node.builder.narrow.get(node.x(1))
    return node.cast(node.x(), node.dtype(node.x(1))) if narrow is None else _narrowed(node, narrow)


def _narrowed(node: OnnxNode, elem_type: int) -> Value:
    kept = {name: node.attributes[name] for name in ("saturate", "round_mode") if name in node.attributes}
    return node.narrowed(node.x(), elem_type, **kept)


def _identity(node: OnnxNode) -> Value:
    return node.x()


def _sign(node: OnnxNode) -> Value:
    return node.emit("Activation", node.x(), activation_type="SIGN")


def _tan(node: OnnxNode) -> Value:
    return node.emit("DivFusion", node.emit("Sin", node.x()), node.emit("Cos", node.x()))


def _exponentials(combine: str) -> Converter:
    """Half the sum or the difference of exp(x) and exp(-x)."""

    def halves(node: OnnxNode) -> Value:
        up, down = node.emit("ExpFusion", node.x()), node.emit("ExpFusion", node.x(), scale=-1.0)
        both = node.emit(combine, up, down)
        return node.emit("MulFusion", both, node.scalar(0.5, both))

    return halves


def _inverse_hyperbolic(offset: float) -> Converter:
    """log(x + sqrt(x^2 + offset))."""

    def log_form(node: OnnxNode) -> Value:
        x = node.x()
        root = node.emit("Sqrt", node.emit("AddFusion", node.emit("Square", x), node.scalar(offset, x)))
        return node.emit("Log", node.emit("AddFusion", x, root))

    return log_form


def _atanh(node: OnnxNode) -> Value:
    x = node.x()
    above, below = node.emit("AddFusion", node.scalar(1, x), x), node.emit("SubFusion", node.scalar(1, x), x)
    return node.emit("MulFusion", node.emit("Log", node.emit("DivFusion", above, below)), node.scalar(0.5, x))


CONVERTERS: dict[str, Converter] = {
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
    "Identity": _identity,
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
    "Where": lambda node: node.emit("Where", node.x(0), node.x(1), node.x(2)),
    "Xor": _xor,
}
