"""Shape inference of one node: the element types and shapes of its outputs, before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from lite_delegate_fast import FastKernels
from lite_delegate_kernels import Array, ArraySpec, KernelInputError, KernelRegistry, ReferenceKernel, as_tuple

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.unforeseen import out_of_memory, shown
from ...errors import ShapeError
from ...ir import Node, Value, custom_attributes, custom_type
from ...ir.custom import OUTPUTS, custom_blobs
from ...shapes.attributes import kernel_attributes
from ...shapes.finding import kernel_for
from ...shapes.folding import with_values
from ...shapes.quantization import runs_on_integers
from ..budget import Budget
from .host import CustomOperator, host_operator, infer_custom
from .specs import Spec, Specs, declared_spec, spec_of_value

KernelFunction: TypeAlias = Callable[..., "Array | tuple[Array, ...]"]


@dataclass(frozen=True, slots=True)
class Operators:
    """The kernels that nodes can be run with.

    Attributes:
        registry: the reference kernels.
        customs: the user's kernels of Custom nodes, by type.
        fast: the kernels that replace reference kernels for the nodes that they cover; None: no kernels.
        budget: is asked for the memory of outputs whose size is known only when the model runs.
    """

    registry: KernelRegistry
    customs: Mapping[str, CustomOperator] = field(default_factory=dict)
    fast: FastKernels | None = None
    budget: Budget = field(default_factory=Budget)


def infer_node(node: Node, specs: Specs, operators: Operators, as_declared: bool) -> None:
    """Adds the specs of a node's outputs to ``specs``.

    Args:
        node: any node but PartialFusion and Call, which ``model_inference`` knows.
        specs: the specs of everything that the node reads.
        operators: the kernels that nodes can be run with.
        as_declared: whether the graph's inputs have the shapes that the file declares. A node that nothing can
            infer keeps the shapes of the file for its outputs then; otherwise they are unknown.

    Raises:
        ShapeError: the node's inputs do not fit.
    """
    try:
        outputs = _outputs(node, specs, operators)
    except KernelInputError as e:
        raise ShapeError(f"Node '{node.name}' ({node.op_type}): {e}.") from e
    except TypeError as e:
        raise ShapeError(
            f"Node '{node.name}' ({node.op_type}): {counted(len(node.inputs), 'input does', 'inputs do')} not fit: {e}."
        ) from e
    except MemoryError as e:
        raise out_of_memory(f"Node '{node.name}' ({node.op_type})", e) from e
    except (ValueError, ArithmeticError, LookupError, AttributeError) as e:
        raise ShapeError(
            f"Node '{node.name}' ({node.op_type}): the operator does not take these inputs or attributes: {shown(e)}."
        ) from e
    if outputs is None:
        _keep_declared(node, specs, as_declared)
        return
    if len(outputs) < len(node.outputs):
        raise ShapeError(
            f"Node '{node.name}' ({node.op_type}): the operator has {counted(len(outputs), 'output')}, the node lists "
            f"{len(node.outputs)}."
        )
    specs.update(zip(node.outputs, outputs, strict=False))


def input_spec(value: Value | None, specs: Specs) -> ArraySpec | None:
    """The spec of a node's input; None for an absent one, one that numpy cannot hold, a list or a subgraph."""
    found = spec_of_value(value, specs)
    return found if isinstance(found, ArraySpec) else None


def find_custom(node: Node, operators: Operators) -> CustomOperator | None:
    """The user's operator for a node; None for other operators, and where nothing was registered."""
    return operators.customs.get(custom_type(node.primitive)) if node.op_type == "Custom" else None


def find_kernel(node: Node, inputs: Sequence[ArraySpec | None], operators: Operators) -> ReferenceKernel | None:
    """The reference kernel of a node's operator, in its quantized form where the node runs on integers.

    None where there is none, or none for inputs like these.
    """
    first = inputs[0] if inputs else None
    kernel = kernel_for(operators.registry, node, quantized=runs_on_integers(node, first))
    without_spec = [v for s, v in zip(inputs, node.inputs, strict=True) if s is None and v is not None]
    if kernel is None or without_spec:
        return None
    return kernel if first is None or first.dtype_name in kernel.dtypes else None


def kernel_function(
    kernel: ReferenceKernel, inputs: Sequence[ArraySpec | None], attributes: dict[str, Any], fast: FastKernels | None
) -> KernelFunction:
    """The function that a node calls: the fast form of its kernel where there is one, else the kernel itself."""
    form = None if fast is None else fast.find(kernel, inputs, attributes)
    return partial(kernel.run, **attributes) if form is None else form.function(inputs, attributes)


def _outputs(node: Node, specs: Specs, operators: Operators) -> tuple[Spec, ...] | None:
    """The specs of a node's outputs, None where nothing says."""
    host = host_operator(node, specs)
    if host is not None:
        return as_tuple(host.infer(*(spec_of_value(v, specs) for v in node.inputs), **node.primitive.attributes()))
    inputs = [input_spec(value, specs) for value in node.inputs]
    custom = find_custom(node, operators)
    if custom is not None:
        return None if custom.infer is None else infer_custom(custom, node, inputs)
    kernel = find_kernel(node, inputs, operators)
    if kernel is None:
        return _told(node)
    outputs = as_tuple(kernel.infer(*inputs, **kernel_attributes(node, kernel)))
    return with_values(node, kernel, inputs, outputs, operators.fast)


def _told(node: Node) -> tuple[Spec, ...] | None:
    """The element types and shapes of the outputs that a Custom node in place of a loop or a choice declares; None for
    other nodes.
    """
    if node.op_type != "Custom" or OUTPUTS not in custom_blobs(node.primitive):
        return None
    pairs = custom_attributes(node.primitive)[OUTPUTS]
    return tuple(ArraySpec(np.dtype(dtype), tuple(dims)) for dtype, dims in pairs)


def _keep_declared(node: Node, specs: Specs, as_declared: bool) -> None:
    for value in node.outputs:
        spec = declared_spec(value, value.shape if as_declared else None)
        if spec is not None:
            specs[value] = spec
