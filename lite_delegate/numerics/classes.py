"""Outputs of classes: recognized by what they hold, or by the layer that makes them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from lite_delegate_kernels import Array

from ..ir import Graph, Node, Value

SUM = 1e-3
"""How far probabilities may be from adding up to 1."""
DENSE = frozenset({"FullConnection", "MatMulFusion"})
"""Layers that make logits."""
BIAS = frozenset({"AddFusion", "BiasAdd"})


def distribution_axis(x: Array, step: float = 0.0) -> int | None:
    """The axis along which an array holds probabilities, or their logarithms; None where no axis does.

    Probabilities are between 0 and 1 and add up to 1 within ``SUM`` at every place. The last axis of 2 or more elements
    is tried first, then the second one, where models that keep channels first have their classes.

    Args:
        x: real numbers.
        step: between numbers that are stored as integers; each may be off by half of it.
    """
    axes = dict.fromkeys(axis for axis in (x.ndim - 1, 1) if 0 <= axis < x.ndim and x.shape[axis] > 1)
    if x.dtype.kind != "f" or x.size == 0 or not np.isfinite(x).all():
        return None
    for given in (x.astype(np.float64), np.exp(np.minimum(x.astype(np.float64), 0.0)) if (x <= 0).all() else None):
        if given is None or given.min() < 0 or given.max() > 1 + SUM:
            continue
        found = next((axis for axis in axes if _adds_up(given, axis, SUM + step * x.shape[axis] / 2)), None)
        if found is not None:
            return found
    return None


def _adds_up(x: Array, axis: int, tolerance: float) -> bool:
    return bool(np.abs(x.sum(axis) - 1).max() <= tolerance)


def logits_of(graph: Graph) -> Value | None:
    """The output that holds logits of classes: the only output of a model, if a dense layer makes it.

    It has one or two axes, the last of 2 or more elements. A bias behind the layer counts as part of it. None for
    any other model: an output that looks like logits beside others may be an embedding.
    """
    if len(graph.outputs) != 1:
        return None
    (output,) = graph.outputs
    producers = graph.producers()
    node = producers.get(output)
    if node is not None and node.op_type in BIAS:
        node = _varying(node, producers)
    has_classes = output.shape is not None and 0 < len(output.shape) <= 2 and output.shape[-1] > 1
    return output if has_classes and node is not None and node.op_type in DENSE else None


def _varying(node: Node, producers: Mapping[Value, Node]) -> Node | None:
    """What makes the only operand of a node that is no constant; None where there are several."""
    varying = [value for value in node.inputs if value is not None and not value.is_constant]
    return producers.get(varying[0]) if len(varying) == 1 else None


def best_classes(x: Array, axis: int) -> Array:
    """The best class of each row, in a flat array; of equal ones the first."""
    return np.asarray(np.argmax(np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis]), axis=-1))


def scores_at(x: Array, axis: int, classes: Array) -> Array:
    """The score of one class in each row, as ``best_classes`` gives them."""
    rows = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
    return np.asarray(np.take_along_axis(rows, classes[:, None], axis=-1)[:, 0])
