"""Binding: from a graph and the specs of its values to kernels over tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from lite_delegate_kernels import ArraySpec

from ...basics.data_class import dataclass
from ...ir import DataType, Graph, Node, Value, from_numpy
from ...shapes.attributes import kernel_attributes
from ...tensors.tensor import Tensor
from ..budget import NO_WORK, KernelWork, work_of
from .guard import Asking, guarded
from .host import custom_function, host_operator, stored_list
from .host_kernel import HostKernel
from .inference import Operators, find_custom, find_kernel, input_spec, kernel_function
from .node_kernel import NodeKernel
from .specs import ListSpec, Specs


class Names:
    """Gives out names, each once: the second "x" is "x#2"."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """``name``, with a number behind it when it was given out before."""
        count = self._counts[name] = self._counts.get(name, 0) + 1
        return name if count == 1 else self.unique(f"{name}#{count}")


@dataclass(frozen=True, slots=True, eq=False)
class BoundGraph:
    """One graph of the model, its nodes bound to tensors.

    Attributes:
        index: the graph's number, 0 for the main graph.
        label: its name in messages and reports, "" for the main graph.
        inputs: in API order.
        outputs: in API order.
        kernels: one per node, in an executable order.
        variables: the tensors of the model's variables that the graph uses, with their numbers.
        lists: constant tensor lists.
        tensors: by the values of the graph.
    """

    index: int
    label: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    kernels: tuple[NodeKernel, ...]
    variables: Mapping[Tensor, int]
    lists: Mapping[Tensor, Any]
    tensors: Mapping[Value, Tensor] = field(default_factory=dict)


def bind_graph(
    graph: Graph,
    index: int,
    label: str,
    order: Sequence[Node],
    specs: Specs,
    operators: Operators,
    variables: Mapping[Value, int],
    names: Names,
    given: Mapping[Value, Tensor],
) -> BoundGraph:
    """The kernels of a graph.

    Args:
        graph: the graph to bind to tensors.
        index, label: of the graph.
        order: an order in which its nodes can be executed.
        specs: the known specs of its values.
        operators: the kernels that the nodes can be run with.
        variables: the model's variables, with their numbers.
        names: gives the kernels names that differ over the whole model.
        given: the tensors that some values have already; they agree with ``specs``.
    """
    values = graph.values()
    tensors = {v: given.get(v) or (_variable_tensor(v) if v in variables else _tensor(v, specs)) for v in values}
    return BoundGraph(
        index=index,
        label=label,
        inputs=tuple(tensors[v] for v in graph.inputs),
        outputs=tuple(tensors[v] for v in graph.outputs),
        kernels=tuple(
            _kernel(node, names.unique(node.name or node.op_type), tensors, specs, operators) for node in order
        ),
        variables={tensors[v]: variables[v] for v in values if v in variables},
        lists={tensors[v]: stored_list(v) for v in values if v.is_constant and isinstance(specs.get(v), ListSpec)},
        tensors=tensors,
    )


def unbound_kernel(node: Node, specs: Specs) -> NodeKernel | None:
    """A kernel of a node that need not be in a graph, for questions to a delegate; None: the runtime keeps the node.

    A value that ``specs`` does not know has its declared spec.
    """
    if host_operator(node, specs) is not None:
        return None
    inputs = [None if v is None else _tensor(v, specs) for v in node.inputs]
    return NodeKernel(node.name or node.op_type, node, inputs, [_tensor(v, specs) for v in node.outputs], None)


def _tensor(value: Value, specs: Specs) -> Tensor:
    spec = specs.get(value)
    if isinstance(spec, ArraySpec) and value.data is None:
        return Tensor.describe(
            value.name, from_numpy(spec.dtype), spec.shape, value.format, quant_params=value.quant_params
        )
    is_array = spec is None or isinstance(spec, ArraySpec)
    return Tensor.describe(
        value.name,
        value.dtype if is_array else DataType.TENSOR_LIST,
        value.shape if is_array else None,
        value.format,
        data=value.data,
        is_const=value.is_constant,
        quant_params=value.quant_params,
    )


def _variable_tensor(value: Value) -> Tensor:
    """A variable is no constant for a delegate, whatever it holds at first."""
    return Tensor.describe(value.name, value.dtype, value.shape, value.format, quant_params=value.quant_params)


def _kernel(node: Node, name: str, tensors: Mapping[Value, Tensor], specs: Specs, operators: Operators) -> NodeKernel:
    inputs = [None if v is None else tensors[v] for v in node.inputs]
    outputs = [tensors[v] for v in node.outputs]
    host = host_operator(node, specs)
    if host is not None:
        return HostKernel(name, node, inputs, outputs, host)
    kernel = NodeKernel(name, node, inputs, outputs, *_function(name, node, specs, operators))
    custom = find_custom(node, operators)
    kernel.control_flow = None if custom is None else custom.control_flow
    return kernel


def _function(
    name: str, node: Node, specs: Specs, operators: Operators
) -> tuple[Callable[..., Any] | None, KernelWork]:
    """The function that the CPU calls for a node (None when the CPU has no kernel), and the work of the function."""
    outputs = [input_spec(v, specs) for v in node.outputs]
    custom = find_custom(node, operators)
    if custom is not None:
        return custom_function(custom, node, outputs), NO_WORK
    inputs = [input_spec(v, specs) for v in node.inputs]
    reference = find_kernel(node, inputs, operators)
    if reference is None:
        return None, NO_WORK
    attributes = kernel_attributes(node, reference)
    function = kernel_function(reference, inputs, attributes, operators.fast)
    if all(spec is not None and spec.known for spec in outputs):
        return function, work_of(node.op_type, inputs, outputs, attributes)
    computed = tuple(i for i, v in enumerate(node.inputs) if v is not None and not v.is_constant)
    asking = Asking(f"Node '{name}' ({node.op_type})", operators.budget, computed)
    return guarded(function, reference, attributes, asking), NO_WORK
