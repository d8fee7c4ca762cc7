"""Optional nodes: nodes of branches that may not be taken. A node that cannot run with a plan's shapes fails when it is
reached.

The data may choose which of two branches of a model runs, each for inputs of one size: the other branch does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

from lite_delegate_kernels import KernelInputError

from ...formats.rereading import waits_for_shapes
from ...ir.custom import import_reason
from ..binding.bind import BoundGraph
from ..binding.model_inference import MAIN
from ..binding.node_kernel import NodeKernel
from ..binding.specs import PartialSpec, spec_of_value
from ..drafting.draft import GraphDraft
from .rest.cpu_nodes import left_to_cpu
from .shapes.inferring import InferredModel


def put_off(missing: Sequence[NodeKernel], graphs: Sequence[BoundGraph], inferred: InferredModel) -> list[NodeKernel]:
    """Replaces the function of optional nodes that do not take the shapes by one that raises; returns these nodes.

    Args:
        missing: nodes that can run nowhere.
        graphs: the graphs of the model.
        inferred: the model.
    """
    if not missing:
        return []
    optional = optional_graphs(inferred)
    inside = {kernel for graph in graphs if graph.index in optional for kernel in graph.kernels}
    found = [kernel for kernel in missing if kernel in inside and waits_for_shapes(kernel.node)]
    for kernel in found:
        kernel.function = partial(_refuse, f"it cannot run with these shapes: {import_reason(kernel.node.primitive)}")
    return found


def optional_graphs(inferred: InferredModel) -> set[int]:
    """The numbers of graphs that need not run: a call, their own or an outer one, chooses among several graphs."""
    certain: set[int] = set()
    waiting = [MAIN]
    while waiting:
        index = waiting.pop()
        if index in certain:
            continue
        certain.add(index)
        for node in inferred.graph.subgraph(index).nodes:
            called = spec_of_value(node.inputs[0], inferred.specs[index]) if node.op_type == "Call" else None
            if isinstance(called, PartialSpec) and len(called.targets) == 1:
                waiting += [target for target, _ in called.targets]
    return set(inferred.specs) - certain


def misfits(graphs: Mapping[str, GraphDraft]) -> list[NodeKernel]:
    """The nodes that cannot run with the shapes of a plan, including nodes that fail only when they are reached."""
    return [k for k in left_to_cpu(graphs) if waits_for_shapes(k.node) and (k.function is None or _is_put_off(k))]


def _is_put_off(kernel: NodeKernel) -> bool:
    return isinstance(kernel.function, partial) and kernel.function.func is _refuse


def _refuse(reason: str, *arrays: Any) -> NoReturn:
    raise KernelInputError(reason)
