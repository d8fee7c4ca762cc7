"""Projections: products with constants whose columns are the heads of an attention."""

from __future__ import annotations

import math

import numpy as np

from ...basics.data_class import dataclass
from ...tensors.tensor import Array
from ..lowering import Shape, Term
from .recorder import WrittenOperator
from .views import lies_like, view_of


@dataclass(frozen=True, slots=True)
class LinearProduct:
    """``x @ weight + bias``.

    Attributes:
        x: (..., depth), of which the rows are those of the batches one after another.
        weight: (depth, columns), or (columns, depth) where it is transposed.
        bias: as many elements as columns; None for none.
        is_transposed: whether the product is with the transposed weight.
    """

    x: Term
    weight: Term
    bias: Term | None
    is_transposed: bool


@dataclass(frozen=True, slots=True)
class Projection:
    """Columns of a product.

    Attributes:
        product: with a constant.
        start: the first column.
        width: how many.
        scale: that the columns are multiplied by.
    """

    product: LinearProduct
    start: int
    width: int
    scale: float

    def weight(self) -> Array:
        """The columns of the weight (depth, width)."""
        whole = self.product.weight.constant
        assert whole is not None
        whole = whole.T if self.product.is_transposed else whole
        return whole[:, self.start : self.start + self.width]

    def bias(self) -> Array:
        """The columns of the bias (width,); zeros for none."""
        if self.product.bias is None:
            return np.zeros(self.width, self.product.x.dtype)
        whole = self.product.bias.constant
        assert whole is not None
        return whole.reshape(-1)[self.start : self.start + self.width]


def projection(term: Term, shape: tuple[int, int, int, int], order: tuple[int, ...]) -> Projection | None:
    """The columns that heads are made of.

    Args:
        term: query, key or value as a product of an attention takes it.
        shape: batch, rows, heads, depth.
        order: where these are in the term.
    """
    view = view_of(term)
    product = None if view is None else product_of(view.source)
    if view is None or product is None:
        return None
    batch, rows, heads, depth = shape
    *before, columns = view.source.shape
    start, width = view.offset, heads * depth
    if math.prod(before) != batch * rows or start + width > columns:
        return None
    heads_of = view.memory.reshape(batch, rows, columns)[:, :, start : start + width].reshape(shape).transpose(order)
    return Projection(product, start, width, view.scale) if lies_like(view.taken, heads_of) else None


def product_of(term: Term) -> LinearProduct | None:
    """The product with a constant that a term is, with the added bias."""
    node = term.handle.maker
    if node is None or node.op != "Add":
        return None if node is None else _product(node, None, term.shape)
    bias, inner = sorted((each for each in node.operands if each is not None), key=lambda each: each.constant is None)
    if inner.handle.maker is None or inner.shape != term.shape:
        return None
    return _product(inner.handle.maker, bias, term.shape)


def _product(node: WrittenOperator, added: Term | None, shape: Shape) -> LinearProduct | None:
    if node.op not in {"MatMul", "Gemm"} or not {"transA", "transB"}.issuperset(node.attributes):
        return None
    x, weight, *more = node.operands
    biases = [each for each in (*more, added) if each is not None]
    if x is None or weight is None or weight.constant is None or weight.constant.ndim != 2:
        return None
    if node.attributes.get("transA") or len(biases) > 1 or any(not _fits(each, shape) for each in biases):
        return None
    return LinearProduct(x, weight, biases[0] if biases else None, bool(node.attributes.get("transB")))


def _fits(bias: Term, shape: Shape) -> bool:
    return bias.constant is not None and bias.shape[-1:] == shape[-1:] and bias.constant.size == shape[-1]
