"""ONNX Runtime's LSTM with weights of 8 bits, which its quantizer writes (domain com.microsoft)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from lite_delegate_kernels import Array

from ....ir import Value
from ...rejection import Why
from ..conversion import Converter, OnnxNode, Outputs
from .recurrent import lstm

WEIGHT, STATE_WEIGHT, OWN_INPUTS, SCALES = 1, 2, 8, 8


def _dynamic_quantize_lstm(node: OnnxNode) -> Outputs:
    """An LSTM of the real numbers that the weights stand for; the factors of the weights are not quantized."""
    weights = [_real(node, place, SCALES + 2 * number) for number, place in enumerate((WEIGHT, STATE_WEIGHT))]
    inputs = [node.x(0), *weights, *node.inputs[3:OWN_INPUTS]]
    return lstm(replace(node, inputs=inputs))


def _real(node: OnnxNode, position: int, scales: int) -> Value:
    """A weight (D, I, 4H) of integers as real numbers (D, 4H, I)."""
    given = [node.known(node.x(place)) for place in (position, scales)]
    zero = node.optional(scales + 1)
    points = np.zeros(1) if zero is None else node.known(zero)
    node.reject_unless(
        all(each is not None for each in (*given, points)), Why.NOT_CONSTANT, "weights, scales and zero points"
    )
    whole, scale = (np.asarray(each) for each in given)
    real = (whole - _along(np.asarray(points, np.int32))) * _along(scale)
    return node.constant(np.ascontiguousarray(real.astype(np.float32).transpose(0, 2, 1)), f"weight_{position}")


def _along(numbers: Array) -> Array:
    """One for each direction, (D,), or each of its rows, (D, 4H), as they meet (D, I, 4H)."""
    return numbers[:, None, :] if numbers.ndim > 1 else numbers.reshape(-1, 1, 1)


CONVERTERS: dict[str, Converter] = {"com.microsoft.DynamicQuantizeLSTM": _dynamic_quantize_lstm}
