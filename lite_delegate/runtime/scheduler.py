"""The scheduler: from a graph to an execution plan, asking the delegate on the way."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from functools import cache

from lite_delegate_kernels import ALL_KERNELS, KernelRegistry

from ..delegate import Delegate, DelegateModel, Kernel, Supported
from ..errors import DelegateWarning, FallbackError, UnsupportedOperatorError
from ..ir import Graph, Node, Value, from_numpy, has_numpy, topological_order
from ..partition import minimum_runs, order_with_fewest_runs, runs_of
from ..tensor import Tensor
from .claims import Claims, ask, is_available, refuse_all
from .context import Context
from .explain import make_record, partition_graph
from .inference import Specs, can_run, infer_specs, kernel_attributes
from .node_kernel import NodeKernel
from .plan import ExecutionPlan, make_plan

_log = logging.getLogger("lite_delegate")


@cache
def cpu_kernels() -> KernelRegistry:
    """The reference kernels that the CPU has."""
    return KernelRegistry(ALL_KERNELS)


def schedule(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    context: Context,
    previous: ExecutionPlan | None = None,
) -> ExecutionPlan:
    """The plan of a graph for the given shapes of its inputs.

    Args:
        graph: a verified graph.
        input_shapes: shapes of inputs that differ from what the graph declares.
        context: the delegate, and whether falling back is allowed.
        previous: the plan for other shapes, whose graph kernels are reused where they can follow.

    Raises:
        ShapeError: shapes do not fit an operator.
        UnsupportedOperatorError: nodes that neither the delegate takes nor the CPU has a kernel for.
        FallbackError: ``context.strict`` is set and nodes would run on the CPU.
        DelegateError: the delegate failed in a way that falling back cannot mend.
    """
    registry = cpu_kernels()
    order = topological_order(graph)
    specs = infer_specs(graph, order, input_shapes, registry)
    tensors = {value: _tensor(value, specs) for value in graph.values()}
    kernels = _node_kernels(order, tensors, specs, registry)
    inputs = [tensors[v] for v in graph.inputs]
    outputs = [tensors[v] for v in graph.outputs]
    notes: list[str] = []
    claims = _claims(context, kernels, notes)
    model = _partition(kernels, claims, inputs, outputs)
    if context.delegate is not None and any(not _is_refused(c) for c in claims.values()):
        _build(context.delegate, model, previous, notes)
    record = make_record(context.delegate, model, claims, notes)
    _check_fallback(model, context)
    graph_kernels = {k: tuple(n.name for n in originals) for k, originals in model.replaced.items()}
    return make_plan(list(model), inputs, outputs, record, graph_kernels)


def _tensor(value: Value, specs: Specs) -> Tensor:
    spec = specs.get(value)
    if value.data is not None or spec is None:
        return Tensor.describe(
            value.name,
            value.dtype,
            value.shape,
            value.format,
            data=value.data,
            is_const=value.is_constant,
            quant_params=value.quant_params,
        )
    return Tensor.describe(
        value.name, from_numpy(spec.dtype), spec.shape, value.format, quant_params=value.quant_params
    )


def _node_kernels(
    order: Sequence[Node], tensors: Mapping[Value, Tensor], specs: Specs, registry: KernelRegistry
) -> list[NodeKernel]:
    names: dict[str, int] = {}
    kernels: list[NodeKernel] = []
    for node in order:
        base = node.name or node.op_type
        names[base] = names.get(base, 0) + 1
        name = base if names[base] == 1 else f"{base}#{names[base]}"
        reference = registry.find(node.op_type)
        if not can_run(node, specs, reference):
            reference = None
        attributes = {} if reference is None else kernel_attributes(node, reference)
        inputs = [None if v is None else tensors[v] for v in node.inputs]
        kernels.append(NodeKernel(name, node, inputs, [tensors[v] for v in node.outputs], reference, attributes))
    return kernels


def _claims(context: Context, kernels: Sequence[Kernel], notes: list[str]) -> Claims:
    unavailable = [t for t in context.target if t != "cpu"]
    if unavailable:
        notes.append(f"Target {', '.join(unavailable)} is not available in this runtime; the CPU is used instead.")
        warnings.warn(notes[-1], DelegateWarning, stacklevel=4)
    if context.delegate is None:
        return refuse_all(kernels, "no delegate was set")
    if not is_available(context.delegate, notes, strict=context.strict):
        return refuse_all(kernels, f"the device of delegate '{context.delegate.name}' is not available")
    return ask(context.delegate, kernels)


def _is_refused(claim: object) -> bool:
    return claim is not None and not isinstance(claim, Supported)


def _partition(
    kernels: Sequence[Kernel], claims: Claims, inputs: Sequence[Tensor], outputs: Sequence[Tensor]
) -> DelegateModel:
    """The kernels in the order with the fewest runs; in the given order when the delegate does not state its claims."""
    if any(claim is None for claim in claims.values()):
        return DelegateModel(kernels, inputs, outputs)
    graph = partition_graph(kernels, [isinstance(claims[k], Supported) for k in kernels])
    order = order_with_fewest_runs(graph, minimum_runs(graph))
    return DelegateModel([kernels[i] for i in order], inputs, outputs, runs_of(order, graph.claimed))


def _build(delegate: Delegate, model: DelegateModel, previous: ExecutionPlan | None, notes: list[str]) -> None:
    """Lets the delegate replace runs. What fails goes back to the CPU, with the reason; the rest stays."""
    if previous is not None:
        _reuse(previous, model)
    try:
        delegate.build(model)
    except Exception as e:
        notes.append(f"Delegate '{delegate.name}': build stopped early: {e}")
        model.mark_failed([k for k in model if k not in model.replaced], e)
    for kernel in model.replaced:
        try:
            kernel.prepare()
        except Exception as e:
            model.restore(kernel, e)
    if model.failures:
        first, failure = next(iter(model.failures.items()))
        warnings.warn(
            f"Delegate '{delegate.name}': {len(model.failures)} kernels go back to the CPU, "
            f"the first is '{first.name}': {failure}",
            DelegateWarning,
            stacklevel=5,
        )


def _reuse(previous: ExecutionPlan, model: DelegateModel) -> None:
    """Takes over graph kernels of the previous plan that stand for the same nodes and can follow the new shapes."""
    known = {names: kernel for kernel, names in previous.graph_kernels.items()}
    for run in model.runs:
        old = known.get(tuple(k.name for k in run))
        if old is None:
            continue
        try:
            boundary = model.boundary_of(run)
            new = old.fork(boundary.inputs, boundary.outputs)
            if new is None:
                continue
            new.resize()
            model.replace(*model.span(run), new)
        except Exception as e:  # whatever a delegate raises here only costs a new build
            _log.debug("graph kernel '%s' is built anew: %s", old.name, e)


def _check_fallback(model: DelegateModel, context: Context) -> None:
    left = [k for k in model if isinstance(k, NodeKernel)]
    missing = [k for k in left if k.function is None]
    if missing:
        raise UnsupportedOperatorError(_missing_text(missing, context))
    if context.strict and left:
        failures = model.failures
        cause = next((failures[k] for k in left if k in failures), None)
        raise FallbackError(
            f"strict mode: {len(left)} kernels would run on the CPU, the first are {_names(left)}."
        ) from cause
    if context.delegate is not None and left:
        _log.info("%d of %d kernels stay on the CPU", len(left), len(left) + sum(map(len, model.replaced.values())))


def _missing_text(missing: Sequence[NodeKernel], context: Context) -> str:
    asked = "no delegate was set" if context.delegate is None else f"delegate '{context.delegate.name}' takes none"
    lines = "\n".join(f"  '{k.name}' ({k.type}, {_dtypes(k)})" for k in missing)
    return (
        f"{len(missing)} nodes can run nowhere: {asked} of them, and the CPU has no kernel for the operator "
        f"and element type:\n{lines}\nThe CPU has: {', '.join(cpu_kernels().op_types())}."
    )


def _dtypes(kernel: Kernel) -> str:
    return (
        ", ".join(t.dtype.name if has_numpy(t.dtype) else f"{t.dtype.name}?" for t in kernel.inputs[:1]) or "no input"
    )


def _names(kernels: Sequence[Kernel], most: int = 5) -> str:
    text = ", ".join(f"'{k.name}' ({k.type})" for k in kernels[:most])
    return text + (", ..." if len(kernels) > most else "")
