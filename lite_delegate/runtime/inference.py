"""Shape inference: what dtype and shape every value of a graph has, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array, ArraySpec, KernelInputError, KernelRegistry, ReferenceKernel

from ..errors import ShapeError
from ..ir import Graph, Node, Value, has_numpy, to_numpy

MAX_FOLDED_ELEMENTS = 1024
"""Values worked out from constants are kept up to this size: enough for shapes, axes and their arithmetic."""

Specs = dict[Value, ArraySpec]


def infer_specs(
    graph: Graph, order: Sequence[Node], input_shapes: Mapping[Value, tuple[int, ...]], registry: KernelRegistry
) -> Specs:
    """The spec of every value whose element type numpy has, for the given shapes of the graph's inputs.

    A node without a reference kernel keeps the shapes that the file declares for its outputs as long as the
    graph's inputs have the shapes that the file declares for them; otherwise its outputs are unknown.

    Raises:
        ShapeError: names the node whose inputs do not fit.
    """
    specs: Specs = {}
    for value in graph.inputs:
        if has_numpy(value.dtype):
            specs[value] = ArraySpec(to_numpy(value.dtype), input_shapes.get(value, value.shape))
    as_declared = all(input_shapes.get(v, v.shape) == v.shape for v in graph.inputs)
    for node in order:
        _infer_node(node, specs, registry.find(node.op_type), as_declared)
    return specs


def input_spec(value: Value | None, specs: Specs) -> ArraySpec | None:
    """The spec of a node's input; None for an absent one or one that numpy cannot hold."""
    if value is None:
        return None
    if value.data is not None and has_numpy(value.dtype):
        return ArraySpec(value.data.dtype, value.data.shape, value.data)
    return specs.get(value)


def kernel_attributes(node: Node, kernel: ReferenceKernel) -> dict[str, Any]:
    """The keywords that a reference kernel takes for a node."""
    attributes: dict[str, Any] = dict(node.primitive.attributes())
    if kernel.needs_output_count:
        attributes["output_count"] = len(node.outputs)
    return attributes


def can_run(node: Node, specs: Specs, kernel: ReferenceKernel | None) -> bool:
    """True when a reference kernel exists for the operator and the element type of its first input."""
    if kernel is None:
        return False
    if any(v is not None and input_spec(v, specs) is None for v in node.inputs):
        return False
    first = input_spec(node.inputs[0], specs) if node.inputs else None
    return first is None or first.dtype.name in kernel.dtypes


def _infer_node(node: Node, specs: Specs, kernel: ReferenceKernel | None, as_declared: bool) -> None:
    if kernel is None or not can_run(node, specs, kernel):
        _keep_declared(node, specs, as_declared)
        return
    inputs = [input_spec(value, specs) for value in node.inputs]
    attributes = kernel_attributes(node, kernel)
    try:
        outputs = _as_tuple(kernel.infer(*inputs, **attributes))
        outputs = _fold(kernel, inputs, outputs, attributes)
    except KernelInputError as e:
        raise ShapeError(f"Node '{node.name}' ({node.op_type}): {e}.") from e
    except TypeError as e:
        raise ShapeError(f"Node '{node.name}' ({node.op_type}): {len(inputs)} inputs do not fit: {e}.") from e
    if len(outputs) < len(node.outputs):
        raise ShapeError(
            f"Node '{node.name}' ({node.op_type}): the operator has {len(outputs)} outputs, the node lists "
            f"{len(node.outputs)}."
        )
    specs.update(zip(node.outputs, outputs, strict=False))


def _fold(
    kernel: ReferenceKernel,
    inputs: Sequence[ArraySpec | None],
    outputs: tuple[ArraySpec, ...],
    attributes: Mapping[str, Any],
) -> tuple[ArraySpec, ...]:
    """The outputs with their values, where all inputs are known constants and small."""
    arrays: list[Array | None] = []
    for spec in inputs:
        if spec is not None and spec.value is None:
            return outputs
        arrays.append(None if spec is None else spec.value)
    sizes = [a.size for a in arrays if a is not None] + [
        int(np.prod(s.shape)) for s in outputs if s.shape is not None and s.known
    ]
    if sum(sizes) > MAX_FOLDED_ELEMENTS or not all(s.known for s in outputs):
        return outputs
    with np.errstate(all="ignore"):
        results = _as_tuple(kernel.run(*arrays, **attributes))
    return tuple(ArraySpec(np.asarray(r).dtype, np.shape(r), np.asarray(r)) for r in results)


def _as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def _keep_declared(node: Node, specs: Specs, as_declared: bool) -> None:
    for value in node.outputs:
        if has_numpy(value.dtype):
            specs[value] = ArraySpec(to_numpy(value.dtype), value.shape if as_declared else None)
