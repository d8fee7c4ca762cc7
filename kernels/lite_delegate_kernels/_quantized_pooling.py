"""Pooling over quantized arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._kernel import Array, ArraySpec, ReferenceKernel
from ._quantization import STORED, NodeQuantization, requantize, round_half_away, to_stored
from ._quantized_activation import clamp_fused

_FLOAT = np.dtype(np.float32)


def quantized_pool(reference: ReferenceKernel, rounds: bool) -> ReferenceKernel:
    """The int8 form of a pooling: the float kernel over the integers, then the output's parameters.

    Args:
        reference: the float kernel, which gets the integers as float64: sums are exact, and a mean is so near the
            exact one that it is rounded alike.
        rounds: whether its results are fractions, which become whole numbers, halves away from zero, before they
            get the output's parameters.

    NOTE: a mean is rounded twice when parameters differ, as in MindSpore Lite.
    """

    def run(x: Array, *, quantization: NodeQuantization, **attributes: Any) -> Array:
        plain = {**attributes, "activation_type": "NO_ACTIVATION"}
        pooled = np.asarray(reference.run(x.astype(np.float64), **plain))
        whole = round_half_away(pooled) if rounds else pooled
        # A window of padding alone has the lowest float as its maximum, and the lowest integer here.
        q = requantize(to_stored(whole, x.dtype), quantization.input(0), quantization.output(0))
        return clamp_fused(
            q, attributes.get("activation_type", "NO_ACTIVATION"), *quantization.output_per_tensor(0), x.dtype
        )

    def infer(x: ArraySpec, *, quantization: NodeQuantization, **attributes: Any) -> ArraySpec:
        quantization.input_per_tensor(0)
        quantization.output_per_tensor(0)
        spec = reference.infer(ArraySpec(_FLOAT, x.shape), **attributes)
        assert isinstance(spec, ArraySpec)
        return ArraySpec(x.dtype, spec.shape)

    return ReferenceKernel(reference.op_type, run, infer, STORED, needs_quantization=True)
