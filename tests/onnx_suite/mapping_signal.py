"""ONNX's DFT, as far as Rfft does the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from lite_delegate_kernels import Array

from .node import OnnxNode, Why


def _dft(node: OnnxNode) -> Array:
    """Half of the spectrum of real data; both operators give pairs of real and imaginary part in the last dim."""
    x, length, given = node.x(0), node.optional(1), node.optional(2)
    default = 1 if node.opset < 20 else -2
    axis = node.get("axis", default) if given is None else int(given)
    node.refuse_unless(not node.get("inverse", 0), Why.ATTRIBUTE, "inverse")
    node.refuse_unless(node.get("onesided", 0), Why.ATTRIBUTE, "both sides of the spectrum")
    node.refuse_unless(x.shape[-1] == 1, Why.ATTRIBUTE, "complex data")
    along = np.moveaxis(x[..., 0], axis + (1 if axis < 0 else 0), -1)
    pairs = node.run("Rfft", along, fft_length=x.shape[axis] if length is None else int(length))
    return np.moveaxis(pairs, -2, axis)


MAPPINGS: dict[str, Callable[[OnnxNode], Array]] = {"DFT": _dft}
