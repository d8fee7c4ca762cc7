"""Channel scales: a factor and an offset for each channel as one operator of ONNX Runtime."""

from __future__ import annotations

import numpy as np

from ....tensors.tensor import Array
from ...lowering import Term
from ...rewriting import Recorder, WrittenOperator, constant_term, written_by

CHANNELS = 1
"""The axis of channels where ONNX Runtime normalizes."""


def fuse_channel_scales(record: Recorder) -> int:
    """Puts products with a constant for each channel, and sums of these, in the form of one; returns how many.

    It is a BatchNormalization of mean 0 and variance 1, which ONNX Runtime computes where channels lie in blocks, too:
    for a product and a sum it lays tensors anew before and after.
    """
    count = 0
    for node in list(record.nodes):
        made = _written(node)
        if made is not None:
            record.put(node, [made])
            count += 1
    return count


def _written(total: WrittenOperator) -> WrittenOperator | None:
    """The normalization that a sum is the end of; None where it is something else."""
    product, offset = _taken_apart(total, "Add")
    if product is None or offset is None or product.handle.maker is None:
        return None
    x, factor = _taken_apart(product.handle.maker, "Mul")
    if x is None or factor is None or x.dtype != np.float32 or x.shape != total.results[0].shape or len(x.shape) < 3:
        return None
    numbers = [_per_channel(constant, x) for constant in (factor, offset)]
    if any(each is None for each in numbers) or max(factor.size, offset.size) == 1:
        return None
    count = x.shape[CHANNELS]
    arrays = [*numbers, np.zeros(count, np.float32), np.ones(count, np.float32)]
    operands = [x, *(constant_term(array) for array in arrays if array is not None)]
    return written_by(total.layer, "BatchNormalization", operands, [(x.dtype, x.shape)], {"epsilon": 0.0})


def _taken_apart(node: WrittenOperator, op: str) -> tuple[Term | None, Array | None]:
    """The operand that is none, and the constant, of an operator of both; nothing where it is none."""
    if node.op != op:
        return None, None
    for one, other in (node.operands, node.operands[::-1]):
        if one is not None and one.constant is None and other is not None and other.constant is not None:
            return one, other.constant
    return None, None


def _per_channel(constant: Array, x: Term) -> Array | None:
    """One number for each channel; None where a constant does not have this form."""
    count, axes = x.shape[CHANNELS], len(x.shape)
    if constant.ndim > axes or constant.size not in (1, count):
        return None
    laid = constant.reshape((1,) * (axes - constant.ndim) + constant.shape)
    if constant.size == count and laid.shape[CHANNELS] != count:
        return None
    return np.broadcast_to(laid.reshape(-1), (count,)).astype(np.float32)
