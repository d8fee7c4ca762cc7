"""Reductions and normalizations over axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from .call import LoweredCall, Write

OPTIONS = "ReducerOptions"


def reduced(call: LoweredCall, kind: str, x: TfliteTensor, axes: Sequence[int], keeps: bool = True) -> TfliteTensor:
    """A reduction over axes."""
    if x.rank == 0 or not axes:
        return x
    places = sorted(axis % x.rank for axis in axes)
    shape = [1 if a in places else dim for a, dim in enumerate(x.shape) if keeps or a not in places]
    return call.builtins.op(kind, [x, call.builtins.ints(places)], shape, None, OPTIONS, keep_dims=keeps)


def _axes(call: LoweredCall) -> list[int]:
    found = call.places(1, "axes") if call.has(1) else []
    return found or list(range(call.x().rank))


def _reduction(kind: str, before: str = "", after: str = "") -> Write:
    def write(call: LoweredCall) -> list[TfliteTensor]:
        x = call.x()
        if before == "SQUARE":
            x = call.pair("MUL", x, x, "MulOptions")
        elif before:
            x = call.unary(before, x, "AbsOptions")
        y = reduced(call, kind, x, _axes(call), bool(call.integer("keepdims", 1)))
        return [call.unary(after, y) if after else y]

    return write


def _extreme(numbers: str, bools: str) -> Write:
    def write(call: LoweredCall) -> list[TfliteTensor]:
        kind = bools if call.x().dtype == "bool" else numbers
        return [reduced(call, kind, call.x(), _axes(call), bool(call.integer("keepdims", 1)))]

    return write


def write_global_mean(call: LoweredCall) -> list[TfliteTensor]:
    """The mean of each channel (N, C, ...)."""
    return [reduced(call, "MEAN", call.x(), range(2, call.rank))]


def _along(kind: str, table: str, **options: float) -> Write:
    def write(call: LoweredCall) -> list[TfliteTensor]:
        x, axis = call.x(), call.integer("axis", -1) % max(call.rank, 1)
        call.wanted(x.rank > 0, RejectCode.RANK, "a dimension to go along")
        order = [*(a for a in range(x.rank) if a != axis), axis]
        turned = call.builtins.transpose(x, order)
        flat = call.builtins.reshape(
            turned, (-1 if not turned.shape else int(np.prod(turned.shape[:-1])), turned.shape[-1])
        )
        y = call.builtins.reshape(call.unary(kind, flat, table, **options), turned.shape)
        return [call.builtins.transpose(y, np.argsort(order).tolist())]

    return write


def write_layer_normalization(call: LoweredCall) -> list[TfliteTensor]:
    """``(x - mean) / sqrt(variance + epsilon) * scale + shift`` over the axes from ``axis`` on."""
    first = call.integer("axis", -1) % call.rank
    y = normalized(call, call.x(), range(first, call.rank), call.number("epsilon", 1e-5))
    y = call.pair("MUL", y, call.x(1), "MulOptions")
    return [call.pair("ADD", y, call.x(2), "AddOptions") if call.has(2) else y]


def write_instance_normalization(call: LoweredCall) -> list[TfliteTensor]:
    """``(x - mean) / sqrt(variance + epsilon) * scale + shift`` over the axes behind the second."""
    y = normalized(call, call.x(), range(2, call.rank), call.number("epsilon", 1e-5))
    shape = (1, call.shape[1], *[1] * (call.rank - 2))
    scale, shift = (call.builtins.reshape(call.x(position), shape) for position in (1, 2))
    return [call.pair("ADD", call.pair("MUL", y, scale, "MulOptions"), shift, "AddOptions")]


def normalized(call: LoweredCall, x: TfliteTensor, axes: Sequence[int], epsilon: float) -> TfliteTensor:
    """Numbers less their mean, by the root of their variance."""
    mean = reduced(call, "MEAN", x, axes)
    away = call.pair("SUB", x, mean, "SubOptions")
    away = call.pair("SUB", away, reduced(call, "MEAN", away, axes), "SubOptions")  # the sum was rounded
    variance = reduced(call, "MEAN", call.pair("MUL", away, away, "MulOptions"), axes)
    root = call.unary("SQRT", call.pair("ADD", variance, call.scalar(epsilon, x.dtype), "AddOptions"))
    return call.pair("DIV", away, root, "DivOptions")


def write_lrn(call: LoweredCall) -> list[TfliteTensor]:
    """``x / (bias + alpha / size * sum of squares of the channels (N, C, H, W) around) ** beta``."""
    size = call.integer("size", 1)
    call.wanted(size % 2 == 1 and call.rank == 4, RejectCode.ATTRIBUTE, "as many channels on both sides", f"{size}")
    x = call.builtins.transpose(call.x(), (0, 2, 3, 1))
    options = {
        "radius": size // 2,
        "bias": call.number("bias", 1.0),
        "alpha": call.number("alpha", 1e-4) / size,
        "beta": call.number("beta", 0.75),
    }
    y = call.unary("LOCAL_RESPONSE_NORMALIZATION", x, "LocalResponseNormalizationOptions", **options)
    return [call.builtins.transpose(y, (0, 3, 1, 2))]


def write_cumsum(call: LoweredCall) -> list[TfliteTensor]:
    """Sums of all elements before, along an axis."""
    (axis,) = call.places(1, "the axis")
    place = call.builtins.constant(np.array(axis, np.int32))
    flags = {name: bool(call.integer(name, 0)) for name in ("exclusive", "reverse")}
    return [call.builtins.op("CUMSUM", [call.x(), place], call.shape, None, "CumsumOptions", **flags)]


OPERATORS: dict[str, Write] = {
    "ReduceMean": _reduction("MEAN"),
    "ReduceSum": _reduction("SUM"),
    "ReduceProd": _reduction("REDUCE_PROD"),
    "ReduceL1": _reduction("SUM", "ABS"),
    "ReduceL2": _reduction("SUM", "SQUARE", "SQRT"),
    "ReduceSumSquare": _reduction("SUM", "SQUARE"),
    "ReduceMax": _extreme("REDUCE_MAX", "REDUCE_ANY"),
    "ReduceMin": _extreme("REDUCE_MIN", "REDUCE_ALL"),
    "GlobalAveragePool": write_global_mean,
    "Softmax": _along("SOFTMAX", "SoftmaxOptions", beta=1.0),
    "LogSoftmax": _along("LOG_SOFTMAX", "LogSoftmaxOptions"),
    "LayerNormalization": write_layer_normalization,
    "InstanceNormalization": write_instance_normalization,
    "LRN": write_lrn,
    "CumSum": write_cumsum,
}
"""Writers of this file by ONNX's names."""
