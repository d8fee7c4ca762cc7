"""Between real numbers and the integers that stand for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import Quantization, TfliteTensor
from ....ir.primitives import FakeQuantWithMinMaxVars
from ....semantics.operands import primitive_of
from ..node import DirectNode
from ..scope import Kernels, quantization_of
from ..table import Direct


def quant_cast(node: DirectNode) -> None:
    """QUANTIZE or DEQUANTIZE; CAST of integers without a meaning."""
    x, y = node.x(), node.kernel.outputs[0]
    axis = node.attribute("axis")
    source, target = quantization_of(node.source(), axis), quantization_of(y, axis)
    if x.dtype == "float32":
        node.wanted(target is not None and not target.is_per_channel, RejectCode.DTYPE, "results have one scale")
        node.wanted(node.y_dtype in ("int8", "uint8", "int16"), RejectCode.DTYPE, "small integers", node.y_dtype)
        assert target is not None
        held = _held(node, x, target) if node.scope.purpose.kernels is Kernels.OWN else x
        node.builtins.graph.operator("QUANTIZE", [held], [node.y()], "QuantizeOptions")
        return
    node.wanted(source is not None, RejectCode.DTYPE, "integers stand for real numbers")
    assert source is not None
    node.wanted(x.dtype != "int16" or not any(source.zero_points), RejectCode.DTYPE, "int16 has zero points of 0")
    if node.y_dtype != "float32":
        small = x.dtype in ("int8", "uint8") and node.y_dtype in ("int8", "uint8") and target is not None
        node.wanted(small and not source.is_per_channel, RejectCode.DTYPE, "integers of 8 bits become others")
        node.builtins.graph.operator("QUANTIZE", [x], [node.y()], "QuantizeOptions")
        return
    node.wanted(x.dtype in ("int8", "uint8", "int16"), RejectCode.DTYPE, "small integers", x.dtype)
    node.wanted(not y.quant_params, RejectCode.DTYPE, "the input says what its integers stand for")
    if source.is_per_channel:
        count = x.shape[axis % max(x.rank, 1)] if x.rank else 0
        fits = x.data is not None and x.dtype == "int8" and count == len(source.scales)
        node.wanted(fits, RejectCode.DTYPE, "constants of int8 have several scales")
        assert x.data is not None
        x = node.builtins.constant(x.data, source, x.name)
    node.builtins.graph.operator("DEQUANTIZE", [x], [node.y()], "DequantizeOptions")


def _held(node: DirectNode, x: TfliteTensor, target: Quantization) -> TfliteTensor:
    """Real numbers within a step of those that integers stand for: LiteRT's own QUANTIZE wraps others around."""
    limits, scale, zero_point = np.iinfo(node.y_dtype), target.scales[0], target.zero_points[0]
    for kind, end in (("MAXIMUM", limits.min - 1), ("MINIMUM", limits.max + 1)):
        bound = node.builtins.number((end - zero_point) * scale, x.dtype)
        x = node.builtins.op(kind, [x, bound], x.shape, None, "MaximumMinimumOptions")
    return x


def fake_quant(node: DirectNode) -> None:
    """FAKE_QUANT of a constant range around 0."""
    primitive = primitive_of(node.kernel, FakeQuantWithMinMaxVars)
    ends = [node.source(place) for place in (1, 2)]
    known = all(end.is_const and end.data.size == 1 for end in ends)
    node.wanted(known, RejectCode.NOT_CONSTANT, "the range must be constant")
    low, high = (float(end.data.item()) for end in ends)
    fits = low <= 0 <= high and low < high and primitive.num_bits in range(2, 17) and not primitive.narrow_range
    node.wanted(fits, RejectCode.ATTRIBUTE, "a range around 0 of 2 to 16 bits, not a narrow one", f"{low} to {high}")
    options: dict[str, Any] = {"min": low, "max": high, "num_bits": primitive.num_bits}
    node.write("FAKE_QUANT", [node.x()], "FakeQuantOptions", **options)


WRITERS: dict[str, Direct] = {"QuantDTypeCast": quant_cast, "FakeQuantWithMinMaxVars": fake_quant}
"""Writers of this file by our names of operators."""
