"""Specs of the values of a graph before it runs, through the reference kernels."""

from __future__ import annotations

from lite_delegate_kernels import (
    UNKNOWN,
    ArraySpec,
    KernelInputError,
    ReferenceKernel,
    spec_of,
)
from lite_delegate_kernels.built_in import built_in_kernels

from ...ir import Graph, Node, Value, has_numpy, to_numpy, topological_order
from ...ir.types.enums import QuantType
from ...shapes.finding import kernel_for
from .inference_memory import infer

Specs = dict[Value, ArraySpec]


def kernel_of(node: Node) -> ReferenceKernel | None:
    """The reference kernel of a node that computes with its numbers as they are; None for any other."""
    kernel = kernel_for(built_in_kernels(), node)
    if kernel is None or kernel.needs_quantization or node.quant_type != QuantType.QUANT_NONE:
        return None
    return kernel


def infer_specs(graph: Graph, variables: frozenset[Value] = frozenset(), *, for_any_shape: bool = False) -> Specs:
    """The dtypes and shapes of a graph's values, and the elements where they follow from constants.

    Args:
        graph: one graph; calls of subgraphs have the shapes that the file declares for them.
        variables: values that are no constants although they have contents.
        for_any_shape: True for specs that hold for all shapes of the graph's inputs: a model may be resized. Otherwise
            inputs have the shapes that the file declares.

    Returns:
        The specs of constants and of all values of which at least the dtype is known.
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
    found = infer(node, kernel, [None if v is None else specs[v] for v in node.inputs])
    return None if isinstance(found, KernelInputError) else found
