"""Operators on each element by itself."""

from __future__ import annotations

import math

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from ..broadcasting import broadcast
from ..node import DirectNode
from ..scope import Kernels
from ..table import Direct
from ..types import stand_in
from .indexing import coordinates

OPTIONS = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions", "DIV": "DivOptions"}
COMPARING = {
    "Equal": ("EQUAL", "EqualOptions"),
    "NotEqual": ("NOT_EQUAL", "NotEqualOptions"),
    "Less": ("LESS", "LessOptions"),
    "LessEqual": ("LESS_EQUAL", "LessEqualOptions"),
    "Greater": ("GREATER", "GreaterOptions"),
    "GreaterEqual": ("GREATER_EQUAL", "GreaterEqualOptions"),
}
LOGICAL = {"LogicalAnd": ("LOGICAL_AND", "LogicalAndOptions"), "LogicalOr": ("LOGICAL_OR", "LogicalOrOptions")}
UNARY = {
    "Abs": ("ABS", "AbsOptions"),
    "Neg": ("NEG", "NegOptions"),
    "Log": ("LOG", ""),
    "Sqrt": ("SQRT", ""),
    "Rsqrt": ("RSQRT", ""),
    "Square": ("SQUARE", "SquareOptions"),
    "Sin": ("SIN", ""),
    "Cos": ("COS", "CosOptions"),
    "Floor": ("FLOOR", ""),
    "Ceil": ("CEIL", ""),
    "Round": ("ROUND", ""),
}

XNNPACK_RANK = 6
"""The most dimensions that XNNPACK takes."""
LEFT_BY_XNNPACK = frozenset({"LOG", "SQRT", "RSQRT"})
"""Operators that XNNPACK computes with few bits, and wrong for the largest numbers and those near zero."""


def arithmetic(kind: str) -> Direct:
    """A writer of an operator of two operands with a fused activation."""

    def write(node: DirectNode) -> None:
        options = node.fused()
        if kind in ("ADD", "SUB") and node.x().dtype == "int16":
            options["pot_scale_int16"] = False
        plain = kind != "DIV" or node.x().dtype == "float32" or _is_meant(node, kind)
        node.wanted(plain, RejectCode.DTYPE, "integers are divided with care")
        broadcast(node, kind, [node.x(0), node.x(1)], OPTIONS[kind], **options)

    write.__doc__ = f"{kind}."
    return write


def binary(kind: str, table: str, dtype: str | None = None) -> Direct:
    """A writer of an operator of two operands."""

    def write(node: DirectNode) -> None:
        broadcast(node, kind, [node.x(0), node.x(1)], table, dtype)

    write.__doc__ = f"{kind}."
    return write


def extreme(kind: str) -> Direct:
    """A writer of MAXIMUM or MINIMUM, which compare integers without regard to their meaning."""

    def write(node: DirectNode) -> None:
        node.one_meaning()
        broadcast(node, kind, [node.x(0), node.x(1)], "MaximumMinimumOptions")

    write.__doc__ = f"{kind}."
    return write


def unary(kind: str, table: str) -> Direct:
    """A writer of an operator of one operand."""

    def write(node: DirectNode) -> None:
        if kind in LEFT_BY_XNNPACK and node.scope.purpose.kernels is Kernels.XNNPACK and not node.is_quantized:
            _write_apart(node, kind)
        else:
            node.write(kind, [node.x()], table)

    write.__doc__ = f"{kind}."
    return write


def _write_apart(node: DirectNode, kind: str) -> None:
    """Writes an operator in seven dimensions, which XNNPACK leaves to LiteRT's own kernels."""
    builtins = node.builtins
    x = builtins.cast(node.x(), "float32")
    wide = builtins.reshape(x, (*[1] * XNNPACK_RANK, math.prod(x.shape)))
    made = builtins.op(kind, [wide], wide.shape)
    node.give(builtins.cast(builtins.reshape(made, node.shape), node.y_dtype))


def exp(node: DirectNode) -> None:
    """EXP of the plain form."""
    plain = (node.attribute("base"), node.attribute("scale"), node.attribute("shift")) == (-1.0, 1.0, 0.0)
    node.wanted(plain, RejectCode.ATTRIBUTE, "EXP has no base, scale or shift")
    node.write("EXP", [node.x()], "ExpOptions")


def power(node: DirectNode) -> None:
    """POW of real numbers."""
    plain = (node.attribute("scale"), node.attribute("shift")) == (1.0, 0.0)
    node.wanted(plain, RejectCode.ATTRIBUTE, "POW has no scale or shift")
    x, y = node.x(0), node.x(1)
    plain = x.dtype == y.dtype and (x.dtype == "float32" or _is_meant(node, "POW"))
    node.wanted(plain, RejectCode.DTYPE, "POW takes real numbers", f"is {x.dtype}")
    broadcast(node, "POW", [x, y], "PowOptions")


def _is_meant(node: DirectNode, kind: str) -> bool:
    """Whether a model of TensorFlow Lite means what LiteRT's own kernel computes of the integers, ends of runs too."""
    dtype = node.x().dtype
    return node.scope.purpose.is_tflite and not node.is_quantized and stand_in(kind, dtype) == dtype


def floor_div(node: DirectNode) -> None:
    """FLOOR_DIV of real numbers by constants: LiteRT's kernel fails at a divisor of 0."""
    divisor = node.x(1).data
    known = node.x().dtype == "float32" and divisor is not None and bool(divisor.all())
    node.wanted(
        known or _is_meant(node, "FLOOR_DIV"), RejectCode.DTYPE, "real numbers are divided by constants other than 0"
    )
    broadcast(node, "FLOOR_DIV", [node.x(0), node.x(1)], "FloorDivOptions")


def floor_mod(node: DirectNode) -> None:
    """FLOOR_MOD of real numbers."""
    plain = node.x().dtype == "float32" or _is_meant(node, "FLOOR_MOD")
    node.wanted(plain, RejectCode.DTYPE, "integers are divided with care")
    broadcast(node, "FLOOR_MOD", [node.x(0), node.x(1)], "FloorModOptions")


def logical(kind: str, table: str) -> Direct:
    """A writer of an operator on truth values."""

    def write(node: DirectNode) -> None:
        node.wanted(node.x().dtype == "bool", RejectCode.DTYPE, f"{kind} takes truth values", f"is {node.x().dtype}")
        broadcast(node, kind, node.xs(), table)

    write.__doc__ = f"{kind}."
    return write


def where(node: DirectNode) -> None:
    """SELECT_V2 of three operands; of one WHERE, in files alone."""
    if len(node.kernel.operands) == 1:
        node.give(node.builtins.cast(coordinates(node), node.y_dtype))
        return
    node.wanted(len(node.kernel.operands) == 3, RejectCode.OPERATOR, "SELECT_V2 takes three operands")
    node.wanted(node.x().dtype == "bool", RejectCode.DTYPE, "SELECT_V2 asks truth values", f"is {node.x().dtype}")
    node.wanted(not node.is_quantized, RejectCode.DTYPE, "SELECT_V2 of truth values")
    broadcast(node, "SELECT_V2", node.xs(), "SelectV2Options")


def cast(node: DirectNode) -> None:
    """CAST, where C++ defines the result."""
    source, target = node.x().dtype, node.y_dtype
    exact = np.dtype(source).kind != "f" or np.dtype(target).kind in "f"
    narrow = exact or target in ("int32", "int64", "bool")
    node.wanted(narrow, RejectCode.DTYPE, "casts of real numbers to small integers", f"is {source} to {target}")
    node.give(node.builtins.cast(node.x(), target))


def clip(node: DirectNode) -> None:
    """The RELU of the bounds, where there is one."""
    given = [node.source(place) if node.has(place) else None for place in (1, 2)]
    node.wanted(
        all(each is None or each.is_const for each in given), RejectCode.NOT_CONSTANT, "bounds must be constant"
    )
    low, high = (
        node.attribute(name) if each is None else float(each.data.item())
        for name, each in zip(("min", "max"), given, strict=True)
    )
    kinds = {(0.0, math.inf): "RELU", (0.0, 6.0): "RELU6", (-1.0, 1.0): "RELU_N1_TO_1", (0.0, 1.0): "RELU_0_TO_1"}
    kind = kinds.get((low, math.inf if high >= np.finfo(np.float32).max else high))
    x = node.x()
    node.wanted(kind is not None and x.dtype not in ("int32", "int64"), RejectCode.ATTRIBUTE, "bounds of a RELU")
    node.write(kind or "", [x])


def add_n(node: DirectNode) -> None:
    """ADD_N."""
    xs: list[TfliteTensor] = node.xs()
    node.wanted(
        not node.is_quantized and len(xs) > 1 and xs[0].dtype in ("float32", "int32"),
        RejectCode.DTYPE,
        "ADD_N takes float32 or int32",
        f"is {xs[0].dtype}",
    )
    node.write("ADD_N", xs, "AddNOptions")


WRITERS: dict[str, Direct] = {
    "AddFusion": arithmetic("ADD"),
    "SubFusion": arithmetic("SUB"),
    "MulFusion": arithmetic("MUL"),
    "DivFusion": arithmetic("DIV"),
    "Maximum": extreme("MAXIMUM"),
    "Minimum": extreme("MINIMUM"),
    "SquaredDifference": binary("SQUARED_DIFFERENCE", "SquaredDifferenceOptions"),
    **{op: binary(kind, table, "bool") for op, (kind, table) in COMPARING.items()},
    **{op: logical(kind, table) for op, (kind, table) in LOGICAL.items()},
    "LogicalNot": logical("LOGICAL_NOT", "LogicalNotOptions"),
    **{op: unary(kind, table) for op, (kind, table) in UNARY.items()},
    "ExpFusion": exp,
    "PowFusion": power,
    "FloorDiv": floor_div,
    "FloorMod": floor_mod,
    "Where": where,
    "Cast": cast,
    "Clip": clip,
    "AddN": add_n,
}
"""Writers of this file by our names of operators."""
