"""What is known of the values of a graph before it runs, through the reference kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_fast import FAST_KERNELS
from lite_delegate_kernels import (
    ALL_KERNELS,
    UNKNOWN,
    ArraySpec,
    KernelInputError,
    KernelRegistry,
    ReferenceKernel,
    as_tuple,
    spec_of,
)

from ..ir import Graph, Node, Value, has_numpy, to_numpy, topological_order
from ..ir.enums import QuantType
from ..shapes.attributes import MAX_FOLDED_ELEMENTS, kernel_attributes

Specs = dict[Value, ArraySpec]

REGISTRY = KernelRegistry(ALL_KERNELS)

RANDOM = frozenset({"RandomNormal", "RandomStandardNormal", "UniformReal"})
"""Operators that may give something else each time."""


def kernel_of(node: Node) -> ReferenceKernel | None:
    """The reference kernel of a node that computes with its numbers as they are; None for any other."""
    kernel = REGISTRY.find(node.op_type)
    if kernel is None or kernel.needs_quantization or node.quant_type != QuantType.QUANT_NONE:
        return None
    return kernel


def infer_specs(graph: Graph, variables: frozenset[Value] = frozenset(), *, for_any_shape: bool = False) -> Specs:
    """The dtype and shape, and where it follows from constants the value, of what a graph computes.

    Args:
        graph: one graph; calls of subgraphs have the shapes that the file declares for them.
        variables: values that are no constants whatever they hold.
        for_any_shape: only what is true whatever sizes the dimensions of the graph's inputs have: a model may be
            resized. Otherwise inputs have the shapes that the file declares.

    Returns:
        Constants and everything of which at least the dtype is known.
    """
    specs: Specs = {}
    for value in graph.values():
        if value.data is not None and value not in variables and not value.is_parameter and has_numpy(value.dtype):
            specs[value] = spec_of(value.data)
    for value in graph.inputs:
        _declare(value, specs, for_any_shape)
    for node in topological_order(graph):
        found = _infer(node, specs)
        for position, value in enumerate(node.outputs):
            if found is not None and position < len(found):
                specs[value] = found[position]
            else:
                _declare(value, specs, for_any_shape)
    return specs


def run_kernel(node: Node, kernel: ReferenceKernel, inputs: list[Any]) -> tuple[np.ndarray[Any, Any], ...] | None:
    """What the CPU gives for a node with this kernel and these arrays, bit for bit; None where it rejects them."""
    keywords = kernel_attributes(node, kernel)
    fast = FAST_KERNELS.find(kernel, [None if x is None else spec_of(x) for x in inputs], keywords)
    try:
        with np.errstate(all="ignore"):
            return tuple(np.asarray(y) for y in as_tuple((fast or kernel).run(*inputs, **keywords)))
    except (KernelInputError, TypeError):
        return None


def _declare(value: Value, specs: Specs, for_any_shape: bool) -> None:
    if not has_numpy(value.dtype):
        return
    shape = value.shape
    if shape is not None and for_any_shape:
        shape = (UNKNOWN,) * len(shape)
    specs[value] = ArraySpec(to_numpy(value.dtype), shape)


def _infer(node: Node, specs: Specs) -> tuple[ArraySpec, ...] | None:
    kernel = kernel_of(node)
    if kernel is None or any(v is not None and v not in specs for v in node.inputs):
        return None
    inputs = [None if v is None else specs[v] for v in node.inputs]
    try:
        outputs = as_tuple(kernel.infer(*inputs, **kernel_attributes(node, kernel)))
    except (KernelInputError, TypeError):
        return None
    return _with_values(node, kernel, inputs, outputs)


def _with_values(
    node: Node, kernel: ReferenceKernel, inputs: list[ArraySpec | None], outputs: tuple[ArraySpec, ...]
) -> tuple[ArraySpec, ...]:
    is_open = any(s is not None and s.value is None for s in inputs) or not all(s.known for s in outputs)
    if is_open or node.op_type in RANDOM:
        return outputs
    arrays = [None if s is None else s.value for s in inputs]
    size = sum(a.size for a in arrays if a is not None) + sum(int(np.prod(s.shape or ())) for s in outputs)
    if size > MAX_FOLDED_ELEMENTS:
        return outputs
    results = run_kernel(node, kernel, arrays)
    return outputs if results is None else tuple(spec_of(y) for y in results)
