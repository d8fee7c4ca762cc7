"""Nodes on integers of 8 bits that are computed in real numbers: few passes, and constants are converted once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from lite_delegate_kernels import Array, ArraySpec, ReferenceKernel, as_tuple
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels._quantization import BYTES, NodeQuantization, Quantization
from lite_delegate_kernels._quantized_float import padded, real_spec

from ._real_bytes import ByteQuantization, byte_quantization, dequantized
from .fast_kernel import BindFunction, FastKernel, Inputs

FLOAT = np.dtype(np.float32)
Real: TypeAlias = Callable[[Array], Array]


def bind_through_floats(kernel: ReferenceKernel) -> BindFunction:
    """The bound functions of nodes whose first result alone is of integers, of 8 bits.

    Args:
        kernel: computes real numbers.
    """
    return partial(_bound, kernel)


def _bound(kernel: ReferenceKernel, inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction | None:
    quantization: NodeQuantization = attributes["quantization"]
    output = quantization.outputs[0] if quantization.outputs and not any(quantization.outputs[1:]) else None
    first = inputs[0] if inputs else None
    if first is None or first.dtype_name not in BYTES or output is None or not output.is_per_tensor:
        return None
    to_bytes = byte_quantization(output, first.dtype)
    known = padded(quantization.inputs, len(inputs))
    specs = [real_spec(spec, each) for spec, each in zip(inputs, known, strict=True)]
    reals = [_real(spec, real, each) for spec, real, each in zip(inputs, specs, known, strict=True)]
    if to_bytes is None or any(spec is not None and real is None for spec, real in zip(inputs, reals, strict=True)):
        return None
    plain = {name: value for name, value in attributes.items() if name != "quantization"}
    serves = isinstance(kernel, FastKernel) and kernel.serves(specs, plain)
    run = kernel.function(specs, plain) if isinstance(kernel, FastKernel) and serves else partial(kernel.run, **plain)
    return ThroughFloats(run, reals, to_bytes)


def _real(spec: ArraySpec | None, real: ArraySpec | None, quantization: Quantization | None) -> Real | None:
    """What makes real numbers of an input; None where it has several scales and varies, or is not there."""
    if spec is None or real is None:
        return None
    if quantization is None or spec.dtype.kind == "f":
        return _as_it_is
    if real.value is not None:
        return partial(_constant, real.value)
    if not quantization.is_per_tensor or spec.dtype_name not in BYTES:
        return None
    return partial(
        dequantized, scale=np.float32(quantization.scales[0]), zero_point=np.float32(quantization.zero_points[0])
    )


def _as_it_is(x: Array) -> Array:
    return x


def _constant(value: Array, x: Array) -> Array:
    return value


class ThroughFloats:
    """A function of integers that real numbers stand in for. Safe for several threads.

    Args:
        run: computes real numbers.
        reals: makes them of each input; None where there is none.
        to_bytes: makes integers of the result.
    """

    def __init__(self, run: RunFunction, reals: Sequence[Real | None], to_bytes: ByteQuantization) -> None:
        self._run, self._reals, self._to_bytes = run, reals, to_bytes

    def __call__(self, *arrays: Array | None) -> Array | tuple[Array, ...]:
        given = [None if x is None or real is None else real(x) for x, real in zip(arrays, self._reals, strict=True)]
        first, *others = as_tuple(self._run(*given))
        result = self._to_bytes(np.asarray(first)) if first.dtype == FLOAT else first
        return (result, *others) if others else result
