"""QuantDTypeCast: real numbers to the integers that stand for them, and back."""

from __future__ import annotations

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import QuantDTypeCast
from ....semantics.operands import normalized, primitive_of, required
from ....semantics.quantization import params_of, per_channel
from ..integers import FLOAT32, dequantized, quantized
from ..lowering import Lowering, wanted
from ..term import Lowered
from .elementwise import as_it_lies, cast
from .results import given_dtype, like

STORED = (np.dtype(np.int8), np.dtype(np.uint8))


def lower_quant_dtype_cast(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The output's parameters count, or the input's where it has none; int8 and uint8 differ by 128."""
    source, target = required(kernel, 0), kernel.outputs[0]
    x, dtype = lowering.value(source), given_dtype(kernel)
    if x.dtype == dtype:
        return x
    if x.dtype in STORED and dtype in STORED:
        return _moved(lowering, x, dtype.kind == "u")
    given = target if params_of(target) else source
    wanted(bool(params_of(given)), RejectCode.DTYPE, "quantization parameters", "has none")
    parameters = per_channel(given)
    axis = normalized(primitive_of(kernel, QuantDTypeCast).axis, x.rank) if len(parameters) > 1 else 0
    if dtype.kind == "f":
        y = dequantized(lowering, x, parameters, axis)
        return like(y, cast(lowering, as_it_lies(lowering, y), dtype))
    wanted(dtype in STORED, RejectCode.DTYPE, "real numbers become integers of 8 bits", f"become {dtype}")
    real = like(x, cast(lowering, as_it_lies(lowering, x), FLOAT32))
    return quantized(lowering, real, parameters, dtype, axis)


def _moved(lowering: Lowering, x: Lowered, up: bool) -> Lowered:
    wide = cast(lowering, as_it_lies(lowering, x), np.dtype(np.int32))
    step = lowering.scalar(128 if up else -128, wide.dtype)
    moved = lowering.emit("Add", [wide, step], wide.dtype, wide.shape)
    return like(x, cast(lowering, moved, STORED[int(up)]))


LOWERINGS = {"QuantDTypeCast": lower_quant_dtype_cast}
