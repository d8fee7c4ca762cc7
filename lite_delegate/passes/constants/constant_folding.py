"""ConstantFoldingPass: computes the nodes that read constants alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, ClassVar

import numpy as np
from lite_delegate_fast import FastKernels, fast_kernels
from lite_delegate_kernels import ArraySpec, KernelInputError

from ...ir import Graph, Node, Value, constant, drop_pages, has_numpy
from ...ir.traits import RANDOM, SIDE_EFFECTS
from ...shapes.folding import run_kernel
from ..framework.base import PassResult
from ..framework.draft import Draft
from ..framework.graph_pass import GraphPass
from ..framework.rewriting import rewrite_drafts
from ..framework.specs import infer_specs, kernel_of

Array = np.ndarray[Any, Any]

MAX_FOLDED_BYTES = 16 << 20
"""The most bytes that a node's outputs may have beyond the bytes of the constants that it reads."""
MAX_ADDED_BYTES = 128 << 20
"""Most bytes that all nodes of a graph together may add so."""


class ConstantFoldingPass(GraphPass):
    """Runs nodes that read nothing but constants, by the reference kernels, and puts constants in their place.

    1. A node whose inputs are all constants is computed, and so is a node that then reads constants only.
    2. Outputs that are the same whatever shapes the model's inputs have, such as a rank, become constants too.
    3. A node whose outputs would take more than ``MAX_FOLDED_BYTES`` bytes beyond the constants that it reads stays,
       and so does a node with which all such nodes of the graph would add more than ``MAX_ADDED_BYTES``.
    4. Nodes with effects, random nodes, quantized nodes, and nodes that read variables or packed constants stay.
    5. A node that gives an output of the graph stays.
    6. A node that its kernel rejects stays: it fails when the model is built, with a message of its own.
    """

    name: ClassVar[str] = "constant-folding"

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph with constants in place of such nodes; idempotent."""
        return rewrite_drafts(graph, _fold_for_any_shape)


def _fold_for_any_shape(draft: Draft) -> None:
    fold_constants(draft, infer_specs(draft.graph, draft.variables, for_any_shape=True), fast_kernels())


def fold_constants(draft: Draft, known: Mapping[Value, ArraySpec], fast: FastKernels | None) -> None:
    """Puts constants in the place of nodes, by the rules of ``ConstantFoldingPass``.

    Args:
        draft: the graph; nodes whose results nobody reads any more are left to ``DeadCodePass``.
        known: the specs of its values, known elements included: for any shape, or for the shapes of one plan.
        fast: the kernels that the CPU runs in place of reference kernels; None: no kernels.
    """
    budget = MAX_ADDED_BYTES
    for node in draft.nodes():
        current = draft.producer(node.outputs[0]) if node.outputs else None
        results = None if current is None else _results(current, draft, known, min(budget, MAX_FOLDED_BYTES), fast)
        if current is not None and results is not None:
            read = [array for array in map(draft.constant, current.inputs) if array is not None]
            budget -= max(0, sum(r.nbytes for r in results) - sum(a.nbytes for a in read))
            draft.replace([current], [])
            for value, array in zip(current.outputs, results, strict=False):
                draft.redirect(value, _constant(value, array))
            for array in read:
                drop_pages(array)


def _results(
    node: Node, draft: Draft, known: Mapping[Value, ArraySpec], limit: int, fast: FastKernels | None
) -> Sequence[Array] | None:
    specs = [known[v] for v in node.outputs if v in known]
    if len(specs) < len(node.outputs):
        return None
    values = [s.value for s in specs if s.value is not None]
    arrays = [draft.constant(v) for v in node.inputs]
    computed = [v for a, v in zip(arrays, node.inputs, strict=True) if a is None and v is not None]
    if computed and len(values) < len(specs):
        return None
    kernel = kernel_of(node)
    if kernel is None or not draft.is_plain(node) or node.op_type in SIDE_EFFECTS | RANDOM:
        return None
    if any(draft.is_output(v) or not has_numpy(v.dtype) for v in node.outputs) or not all(s.known for s in specs):
        return None
    size = sum(prod(s.shape or ()) * s.dtype.itemsize for s in specs)
    if size > limit + sum(a.nbytes for a in arrays if a is not None):
        return None
    if len(values) == len(specs):
        return values
    try:
        return run_kernel(node, kernel, arrays, fast)
    except KernelInputError:
        return None


def _constant(value: Value, array: Array) -> Value:
    """The value as a constant with these elements, which stand for the same real numbers as before."""
    made = constant(value.name, np.ascontiguousarray(array).reshape(array.shape), value.format)
    made.quant_params = value.quant_params
    return made
