"""Nodes that run on integers whose meaning is only known when the model runs (``QUANT_DYNAMIC``)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from ._quantization import STORED, NodeQuantization, Quantization, dequantize
from ._quantized_dense import ChannelAxis

_FLOAT = np.dtype(np.float32)


class QuantizedArray(np.ndarray[Any, np.dtype[Any]]):
    """Integers with what they stand for: ``real = (q - zero_point) * scale``.

    What is made from such an array (a view, a sum) carries no meaning any more, so that none can be wrong; but a copy,
    ``copy()``, has its own.

    Attributes:
        scale: float64, broadcasts with the array; None for what was made from another array.
        zero_point: as ``scale``.
    """

    scale: Array | None
    zero_point: Array | None

    @classmethod
    def of(cls, q: Array, scale: Array, zero_point: Array) -> QuantizedArray:
        """The integers ``q`` with their meaning."""
        made = q.view(cls)
        made.scale, made.zero_point = scale, zero_point
        return made

    def copy(self, order: Literal["K", "A", "C", "F"] = "C") -> QuantizedArray:  # type: ignore[override]
        """A copy of the integers with scale and zero point, in memory of its own."""
        made = super().copy(order).view(QuantizedArray)
        made.scale, made.zero_point = self.scale, self.zero_point
        return made

    def __array_finalize__(self, source: object) -> None:
        self.scale = self.zero_point = None


def also_dynamic(static: ReferenceKernel, reference: ReferenceKernel, channel_axis: ChannelAxis) -> ReferenceKernel:
    """A quantized kernel that also takes integers with their meaning, and gives real numbers for them.

    Args:
        static: for nodes that are not dynamic.
        reference: the float kernel, which dynamic nodes run on what their integers stand for. The sums are those of
            integers times one factor, up to float32 rounding.
        channel_axis: rank of the second input and the attributes, to its dimension of the output channels.
    """

    def run(*arrays: Array | None, quantization: NodeQuantization, **attributes: Any) -> Any:
        if not quantization.is_dynamic:
            return static.run(*arrays, quantization=quantization, **attributes)
        known = [*quantization.inputs, *[None] * len(arrays)]
        reals = [
            _real(i, array, known[i], 0 if array is None or i != 1 else channel_axis(array.ndim, attributes))
            for i, array in enumerate(arrays)
        ]
        return reference.run(*reals, **attributes)

    def infer(*specs: ArraySpec | None, quantization: NodeQuantization, **attributes: Any) -> Any:
        if not quantization.is_dynamic:
            return static.infer(*specs, quantization=quantization, **attributes)
        return reference.infer(*(None if s is None else ArraySpec(_FLOAT, s.shape) for s in specs), **attributes)

    return ReferenceKernel(reference.op_type, run, infer, STORED, needs_quantization=True)


def _real(position: int, array: Array | None, known: Quantization | None, axis: int) -> Array | None:
    if array is None or array.dtype.kind == "f":
        return array
    if isinstance(array, QuantizedArray) and array.scale is not None:
        return np.asarray((np.asarray(array) - array.zero_point) * array.scale).astype(np.float32)
    if known is None:
        raise KernelInputError(f"input {position} must come from a DynamicQuant node or have quantization parameters")
    return dequantize(np.asarray(array), known, axis)
