"""MaxPool without paddings, for providers whose paddings are zeros that win over negative numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...lowering import Term
from ...rewriting import Recorder, WrittenOperator, constant_term, written_by

LOWEST = -65504.0
"""The least float16, which providers compute floating-point numbers in."""
NOT_NEGATIVE = ("Relu", "Sigmoid", "Softmax", "Abs", "HardSigmoid")
"""Operators whose results are never below 0: a padding of zeros changes no maximum of theirs."""


def pads_with_zeros(provider: str) -> bool:
    """Whether a provider's MaxPool was seen to give 0 where a window with padding has negative numbers alone."""
    return provider == "QNNExecutionProvider"


def pad_apart(record: Recorder) -> int:
    """Writes each MaxPool of real numbers with paddings as Pad and MaxPool; returns their number.

    A MaxPool of results that are never negative stays, and so does one of integers between quantization operators,
    which pads with the least integer.
    """
    found = [node for node in record.nodes if node.op == "MaxPool" and _is_padded(node) and _may_be_negative(node)]
    for node in found:
        record.put(node, _written(node))
    return len(found)


def _is_padded(node: WrittenOperator) -> bool:
    attributes: Mapping[str, Any] = node.attributes
    return len(node.results) == 1 and any(attributes.get("pads", ()))


def _may_be_negative(node: WrittenOperator) -> bool:
    x = node.operands[0]
    maker: WrittenOperator | None = None if x is None else x.handle.maker
    if maker is None:
        return True
    if maker.op == "Clip":
        low = maker.operands[1] if len(maker.operands) > 1 else None
        return low is None or low.constant is None or float(low.constant.min()) < 0
    return maker.op not in (*NOT_NEGATIVE, "DequantizeLinear")


def _written(node: WrittenOperator) -> list[WrittenOperator]:
    x = node.operands[0]
    assert x is not None
    attributes: dict[str, Any] = dict(node.attributes)
    pads = [int(each) for each in attributes.pop("pads")]
    spatial = len(pads) // 2
    begins, ends = [0, 0, *pads[:spatial]], [0, 0, *pads[spatial:]]
    shape = tuple(dim + begin + end for dim, begin, end in zip(x.shape, begins, ends, strict=True))
    operands: list[Term] = [
        x,
        constant_term(np.array([*begins, *ends], np.int64)),
        constant_term(np.array(LOWEST, x.dtype)),
    ]
    padded = written_by(node.layer, "Pad", operands, [(x.dtype, shape)], {"mode": "constant"})
    spec = (node.results[0].dtype, node.results[0].shape)
    return [padded, written_by(node.layer, "MaxPool", [padded.results[0]], [spec], attributes)]
