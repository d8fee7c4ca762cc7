"""Arithmetic, comparisons, logic and casts on each element by itself."""

from __future__ import annotations

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from ...lowering import FITS, THROUGH
from .call import LoweredCall, Write

ARITHMETIC = {
    "Add": ("ADD", "AddOptions"),
    "Sub": ("SUB", "SubOptions"),
    "Mul": ("MUL", "MulOptions"),
    "Max": ("MAXIMUM", "MaximumMinimumOptions"),
    "Min": ("MINIMUM", "MaximumMinimumOptions"),
}
COMPARING = {
    "Equal": ("EQUAL", "EqualOptions"),
    "Less": ("LESS", "LessOptions"),
    "LessOrEqual": ("LESS_EQUAL", "LessEqualOptions"),
    "Greater": ("GREATER", "GreaterOptions"),
    "GreaterOrEqual": ("GREATER_EQUAL", "GreaterEqualOptions"),
}
LOGICAL = {
    "And": ("LOGICAL_AND", "LogicalAndOptions"),
    "Or": ("LOGICAL_OR", "LogicalOrOptions"),
    "Xor": ("NOT_EQUAL", "NotEqualOptions"),
}


def _arithmetic(kind: str, table: str) -> Write:
    def write(call: LoweredCall) -> list[TfliteTensor]:
        y = call.x(0)
        for position in range(1, len(call.operands)):
            y = call.pair(kind, y, call.x(position), table)
        return [y]

    return write


def _comparing(kind: str, table: str) -> Write:
    def write(call: LoweredCall) -> list[TfliteTensor]:
        return [call.pair(kind, call.x(0), call.x(1), table, "bool")]

    return write


def write_div(call: LoweredCall) -> list[TfliteTensor]:
    """The quotient; integers are divided toward zero by what the lowering has checked."""
    a, b = call.x(0), call.x(1)
    narrow = a.dtype not in ("int64", "uint32", "uint64")
    call.wanted(narrow, RejectCode.DTYPE, "integers of at most 32 bits are divided", f"is {a.dtype}")
    return [call.pair("DIV", a, b, "DivOptions")]


def write_mod(call: LoweredCall) -> list[TfliteTensor]:
    """The rest, with the sign of the divisor, or of the dividend for ``fmod``."""
    a, b = call.x(0), call.x(1)
    rest = call.pair("FLOOR_MOD", a, b, "FloorModOptions")
    if not call.integer("fmod", 0):
        return [rest]
    size = call.pair("FLOOR_MOD", magnitude(call, a), magnitude(call, b), "FloorModOptions")
    below = call.pair("LESS", a, call.scalar(0, a.dtype), "LessOptions", "bool")
    turned = call.unary("NEG", size, "NegOptions")
    return [call.several("SELECT_V2", [_spread(call, below, size.shape), turned, size], "SelectV2Options")]


def _spread(call: LoweredCall, x: TfliteTensor, shape: tuple[int, ...]) -> TfliteTensor:
    if x.shape == shape:
        return x
    x = x if x.rank else call.builtins.reshape(x, (1,))
    return call.builtins.op("BROADCAST_TO", [x, call.builtins.ints(shape)], shape, None, "BroadcastToOptions")


def magnitude(call: LoweredCall, x: TfliteTensor) -> TfliteTensor:
    """The absolute value, also of the integers that ABS does not take."""
    if x.dtype in ("float32", "int32", "float16", "int8", "int16"):
        return call.unary("ABS", x, "AbsOptions")
    if x.dtype.startswith("u") or x.dtype == "bool":
        return x
    return call.pair("MAXIMUM", x, call.unary("NEG", x, "NegOptions"), "MaximumMinimumOptions")


def write_abs(call: LoweredCall) -> list[TfliteTensor]:
    """The absolute value."""
    return [magnitude(call, call.x())]


def write_where(call: LoweredCall) -> list[TfliteTensor]:
    """Elements of the second operand where the first is true, else of the third."""
    flags, yes, no = (call.x(position) for position in range(3))
    return [call.several("SELECT_V2", [flags, yes, no], "SelectV2Options")]


def write_clip(call: LoweredCall) -> list[TfliteTensor]:
    """Numbers between two bounds, either of which may be absent."""
    y = call.x()
    for position, kind in ((1, "MAXIMUM"), (2, "MINIMUM")):
        if call.has(position):
            y = call.pair(kind, y, call.x(position), "MaximumMinimumOptions")
    return [y]


def write_cast(call: LoweredCall) -> list[TfliteTensor]:
    """Numbers of another type; of real numbers to integers only where C++ defines the result."""
    through = THROUGH in call.attributes
    call.wanted(not through, RejectCode.ATTRIBUTE, "casts go through no narrower type")
    x, target = call.x(), call.dtype
    if np.dtype(x.dtype).kind == "f" and target in ("int8", "uint8", "int16", "uint16", "uint32"):
        wide = "int64" if target == "uint32" else "int32"
        return [call.builtins.cast(call.builtins.cast(x, wide), target)]
    if np.dtype(x.dtype).kind == "f" and target == "bool":
        return [call.pair("NOT_EQUAL", x, call.scalar(0, x.dtype), "NotEqualOptions", "bool")]
    if FITS in call.attributes:
        call.wanted(False, RejectCode.DTYPE, "places are checked before they become int32")
    return [call.builtins.cast(x, target)]


def write_not(call: LoweredCall) -> list[TfliteTensor]:
    """The other truth value."""
    return [call.unary("LOGICAL_NOT", call.x(), "LogicalNotOptions")]


def write_is_nan(call: LoweredCall) -> list[TfliteTensor]:
    """Whether a number differs from itself."""
    x = call.x()
    return [call.pair("NOT_EQUAL", x, x, "NotEqualOptions", "bool")]


def write_bitwise_xor(call: LoweredCall) -> list[TfliteTensor]:
    """Bits that differ."""
    return [call.pair("BITWISE_XOR", call.x(0), call.x(1), "BitwiseXorOptions")]


def write_shift(call: LoweredCall) -> list[TfliteTensor]:
    """Bits moved to the right."""
    call.wanted(call.text("direction", "") == "RIGHT", RejectCode.ATTRIBUTE, "shifts to the right")
    a, b = (_spread(call, call.x(position), call.shape) for position in (0, 1))
    return [call.pair("RIGHT_SHIFT", a, b, "RightShiftOptions")]


OPERATORS: dict[str, Write] = {
    **{op: _arithmetic(kind, table) for op, (kind, table) in ARITHMETIC.items()},
    **{op: _comparing(kind, table) for op, (kind, table) in (COMPARING | LOGICAL).items()},
    "Div": write_div,
    "Mod": write_mod,
    "Abs": write_abs,
    "Where": write_where,
    "Clip": write_clip,
    "Cast": write_cast,
    "Not": write_not,
    "IsNaN": write_is_nan,
    "BitwiseXor": write_bitwise_xor,
    "BitShift": write_shift,
}
"""Writers of this file by ONNX's names."""
