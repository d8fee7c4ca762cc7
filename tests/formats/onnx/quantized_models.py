"""Small float models, and what ONNX Runtime's quantizer makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from .comparing import parsed

Array = np.ndarray[Any, Any]
CNN = """cnn (float[1,3,12,12] x) => (float[1,5] y) {
  a = Conv <kernel_shape=[3,3], pads=[1,1,1,1], strides=[2,2]> (x, w0, b0)
  b = Relu (a)
  c = Conv <kernel_shape=[3,3], pads=[1,1,1,1], group=8> (b, w1, b1)
  d = Conv <kernel_shape=[1,1]> (b, w2)
  e = Add (c, d)
  f = Relu (e)
  g = MaxPool <kernel_shape=[2,2], strides=[2,2]> (f)
  h = Concat <axis=1> (g, g)
  i = GlobalAveragePool (h)
  j = Flatten (i)
  y = Gemm <transB=1> (j, w3, b3)
}"""


class Batches(CalibrationDataReader):  # type: ignore[misc]
    """Random images."""

    def __init__(self) -> None:
        rng = np.random.default_rng(3)
        self._rest: Iterator[dict[str, Array]] = iter([{"x": image(rng)} for _ in range(8)])

    def get_next(self) -> dict[str, Array] | None:
        """The next inputs; None behind the last."""
        return next(self._rest, None)


def image(rng: np.random.Generator) -> Array:
    """An image that the models take."""
    return rng.normal(size=(1, 3, 12, 12)).astype(np.float32)


def cnn() -> onnx.ModelProto:
    """Convolutions (one of them by channel), a sum, pools, a concatenation and a matrix product."""
    rng = np.random.default_rng(5)
    shapes: dict[str, tuple[int, ...]] = {"w0": (8, 3, 3, 3), "w1": (8, 1, 3, 3), "w2": (8, 8, 1, 1), "w3": (5, 16)}
    shapes |= {"b0": (8,), "b1": (8,), "b3": (5,)}
    return parsed(CNN, 17, {n: (rng.normal(size=s) * 0.3).astype(np.float32) for n, s in shapes.items()})


def quantized(
    model: onnx.ModelProto,
    folder: Path,
    *,
    by_casts: bool = True,
    activations: QuantType = QuantType.QInt8,
    per_channel: bool = True,
) -> onnx.ModelProto:
    """The model quantized by ONNX Runtime: with casts around float operators, or with QLinear operators."""
    onnx.save(model, folder / "float.onnx")
    quantize_static(
        folder / "float.onnx",
        folder / "quantized.onnx",
        Batches(),
        quant_format=QuantFormat.QDQ if by_casts else QuantFormat.QOperator,
        activation_type=activations,
        weight_type=QuantType.QInt8,
        per_channel=per_channel,
    )
    return onnx.load(folder / "quantized.onnx")
