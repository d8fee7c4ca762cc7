"""The work of kernels and the memory they need beside their inputs and outputs, from shapes and attributes alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

from lite_delegate_kernels import ArraySpec, Shape

from ...basics.data_class import dataclass
from ...shapes.products import convolution_products, matrix_products, transposed_convolution_products

ROUND = 1_000
"""Terms for which a round of a loop in Python counts: about a microsecond."""

Attributes: TypeAlias = Mapping[str, Any]
_Shapes: TypeAlias = Sequence[Shape]
_Found: TypeAlias = tuple[int, int]
"""Elements of temporary arrays, and terms."""


@dataclass(frozen=True, slots=True)
class KernelWork:
    """The work of a kernel, beside reading inputs and writing outputs.

    Attributes:
        nbytes: of temporary arrays that it has at once.
        terms: products, or elements of windows, that it goes through.
    """

    nbytes: int = 0
    terms: int = 0


NO_WORK = KernelWork()
"""No more than inputs and outputs."""


def work_of(
    op_type: str, inputs: Sequence[ArraySpec | None], outputs: Sequence[ArraySpec | None], attributes: Attributes
) -> KernelWork:
    """The work of a node whose shapes are known; none where they are not, or where it is no more than these say."""
    find = _WORK.get(op_type)
    present = [spec for spec in inputs if spec is not None]
    if find is None or not all(spec is not None and spec.known for spec in (*present, *outputs)):
        return NO_WORK
    shapes = [spec.shape or () for spec in present], [spec.shape or () for spec in outputs if spec is not None]
    elements, terms = find(*shapes, attributes)
    return KernelWork(elements * present[0].dtype.itemsize, terms)


def _convolution(inputs: _Shapes, outputs: _Shapes, attributes: Attributes) -> _Found:
    x, (_, kh, kw, _), y = inputs[0], inputs[1], outputs[0]
    terms = convolution_products(x, inputs[1], y, attributes)
    return (_padded(x, y, (kh, kw), attributes, "stride"), terms)


def _pool(inputs: _Shapes, outputs: _Shapes, attributes: Attributes) -> _Found:
    x, y = inputs[0], outputs[0]
    if attributes.get("global_"):
        return (0, prod(x))
    kernel = tuple(attributes.get("kernel_size") or (1, 1))
    terms = prod(y) * prod(kernel) + sum(kernel) * ROUND
    return (_padded(x, y, kernel, attributes, "strides"), terms)


def _padded(x: Shape, y: Shape, kernel: Sequence[int], attributes: Attributes, strides: str) -> int:
    """Elements of the input with its padding, as far as windows reach; 0 where nothing is padded."""
    steps, gaps = attributes.get(strides) or (1, 1), attributes.get("dilation") or (1, 1)
    spans = [(out - 1) * s + (k - 1) * d + 1 for out, s, k, d in zip(y[1:3], steps, kernel, gaps, strict=False)]
    is_padded = any(span > size for span, size in zip(spans, x[1:3], strict=False))
    return x[0] * prod(spans) * prod(x[3:]) if is_padded else 0


def _transposed_convolution(inputs: _Shapes, outputs: _Shapes, attributes: Attributes) -> _Found:
    x, (_, kh, kw, _), y = inputs[0], inputs[1], outputs[0]
    steps, gaps = attributes.get("stride") or (1, 1), attributes.get("dilation") or (1, 1)
    canvas = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(x[1:3], steps, (kh, kw), gaps, strict=False)]
    terms = transposed_convolution_products(x, inputs[1], y, attributes)
    return (x[0] * prod(canvas) * y[3], terms + kh * kw * ROUND)


def _product(inputs: _Shapes, outputs: _Shapes, attributes: Attributes) -> _Found:
    return (0, matrix_products(inputs[0], inputs[1], outputs[0], attributes))


def _full_connection(inputs: _Shapes, outputs: _Shapes, attributes: Attributes) -> _Found:
    return (0, convolution_products(inputs[0], inputs[1], outputs[0], attributes))


def _recurrent(inputs: _Shapes, outputs: _Shapes, attributes: Attributes) -> _Found:
    """A round for each time step and direction, each with the products of all weights."""
    steps, batch = inputs[0][:2]
    return (0, steps * (batch * sum(map(prod, inputs[1:])) + 20 * ROUND))


def _regions(inputs: _Shapes, outputs: _Shapes, attributes: Attributes) -> _Found:
    return (0, prod(outputs[0]) + prod(outputs[0][:3]) * ROUND)


_WORK: Mapping[str, Callable[[_Shapes, _Shapes, Attributes], _Found]] = {
    "AdderFusion": _convolution,
    "AvgPoolFusion": _pool,
    "Conv2DFusion": _convolution,
    "Conv2dTransposeFusion": _transposed_convolution,
    "FullConnection": _full_connection,
    "GRU": _recurrent,
    "LSTM": _recurrent,
    "MatMulFusion": _product,
    "MaxPoolFusion": _pool,
    "ROIPooling": _regions,
}
"""Work by operator. Other operators have temporaries of about the size of their inputs and outputs."""
