"""The scheduler: from a graph to an execution plan, asking the delegates on the way."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from lite_delegate_fast import FastKernels
from lite_delegate_kernels import Array, ArraySpec, KernelRegistry

from ...delegate import Kernel
from ...errors import FallbackError, GraphError, UnsupportedOperatorError
from ...ir import Graph, Value
from ...partition.options import COST, PartitionOptions
from ..binding.bind import BoundGraph, Names, bind_graph
from ..binding.host import find_variables, initial_contents
from ..binding.host_kernel import HostKernel
from ..binding.inference import Operators
from ..binding.model_inference import MAIN, ModelInference
from ..binding.node_kernel import NodeKernel
from ..binding.specs import Specs, describe
from ..execution.lending import lent_outputs
from ..execution.plan import ExecutionPlan, plan_graph
from ..execution.stand_in import handed, stand_ins_of
from ..records.notices import Notices
from ..settings import Settings, check_delegate_names
from .affinity import check_affinity, check_met
from .asking import asked_graphs
from .delegation import Delegation, by_name, delegate_graphs
from .explain import make_record
from .made import Made
from .missing import missing_text
from .naming import in_kernel_names, meanings_of
from .partitioning import check_options
from .timing.timing import Timing

_log = logging.getLogger("lite_delegate")


@cache
def cpu_kernels() -> KernelRegistry:
    """The reference kernels that the CPU has."""
    from lite_delegate_kernels.all_kernels import ALL_KERNELS, ALL_QUANTIZED_KERNELS

    return KernelRegistry(ALL_KERNELS, ALL_QUANTIZED_KERNELS)


@cache
def fast_kernels() -> FastKernels:
    """What the CPU runs in place of reference kernels, where it is there for a node."""
    from lite_delegate_fast.all_kernels import FAST_KERNELS

    return FAST_KERNELS


def schedule(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    notices: Notices,
    previous: ExecutionPlan | None = None,
) -> ExecutionPlan:
    """The plan of a graph for the given shapes of its inputs.

    Args:
        graph: a verified graph.
        input_shapes: shapes of inputs that differ from what the graph declares.
        settings: the delegates, what the user asks of the partitioner, and whether falling back is allowed.
        notices: gets what the user is told, also where this fails.
        previous: the plan for other shapes, whose graph kernels are reused where they can follow.

    Raises:
        ShapeError: shapes do not fit an operator.
        GraphError: the control flow breaks a rule, see ``ModelInference.run``.
        UnsupportedOperatorError: nodes that neither a delegate takes nor the CPU has a kernel for.
        FallbackError: ``settings.strict`` is set and nodes would run on the CPU, or ``settings.falls_back``
            allows that.
        PlacementError: a node cannot run where ``settings.partition.affinity`` puts it.
        InputError: ``settings.partition`` speaks of nodes, operator types or devices that there are not.
        DelegateError: a delegate failed in a way that falling back cannot mend.
    """
    _check_strict(settings)
    notes = notices.notes
    graphs, state = bind_model(graph, input_shapes, settings, notes)
    settings = replace(settings, partition=_in_kernel_names(graph, graphs, settings))
    _note_targets(settings, notices)
    timing = Timing(graphs, state, settings, notes) if settings.partition.placement == COST else None
    made = Made(settings.plan_only)
    try:
        delegation = delegate_graphs(graphs, settings, previous, made, notices, timing)
        return _plan(graphs, delegation, state, settings, notes)
    except BaseException:
        made.give_up_all()
        raise


def _in_kernel_names(graph: Graph, graphs: Sequence[BoundGraph], settings: Settings) -> PartitionOptions:
    """The options, checked, in names of kernels."""
    check_delegate_names(settings.delegate_names)
    meanings = meanings_of(graphs)
    options = in_kernel_names(settings.partition, meanings, graph.removed)
    check_options(graphs, options, meanings)
    check_affinity(options.affinity, meanings, settings.delegate_names)
    return options


def bind_model(
    graph: Graph, input_shapes: Mapping[Value, tuple[int, ...]], settings: Settings, notes: list[str]
) -> tuple[list[BoundGraph], tuple[Array, ...]]:
    """The graphs of a model bound to tensors, the main graph first, and what its variables hold at first.

    Args:
        graph, input_shapes, settings: as for ``schedule``, which says what is raised.
        notes: gets what the user should know of the whole model.
    """
    operators = Operators(cpu_kernels(), settings.customs, None if settings.reference_kernels else fast_kernels())
    inference = ModelInference(graph, operators)
    specs = inference.run(input_shapes)
    _check_outputs(graph, specs[MAIN])
    notes += _uncalled(graph, specs)
    variables = find_variables(graph)
    graphs = _bind_graphs(graph, inference, specs, operators, variables)
    return graphs, tuple(initial_contents(v) for v in variables)


def _plan(
    graphs: Sequence[BoundGraph],
    delegation: Delegation,
    state: tuple[Array, ...],
    settings: Settings,
    notes: list[str],
) -> ExecutionPlan:
    """The plan for graphs whose kernels all have their place."""
    models = delegation.models
    stand_ins = stand_ins_of(models.values(), notes) if settings.falls_back else {}
    record = replace(make_record(delegation, notes, settings.partition), asked=asked_graphs(graphs, delegation))
    _check_fallback(delegation, settings)
    check_met(settings.partition.affinity, record.nodes, by_name(delegation.rejections))
    main = next(g for g in graphs if g.index == MAIN)
    plans = {g.index: plan_graph(g, list(models[g.label]), handed(stand_ins)) for g in graphs}
    is_alone = len(plans) == 1  # else what graph kernels give is copied at once, because of loops
    return ExecutionPlan(
        inputs=main.inputs,
        outputs=main.outputs,
        graphs=plans,
        state=state,
        record=record,
        graph_kernels={k: tuple(n.name for n in run) for m in models.values() for k, run in m.replaced.items()},
        stand_ins=stand_ins,
        lent=lent_outputs(plans[MAIN]) if is_alone else frozenset(),
    )


def _check_strict(settings: Settings) -> None:
    if settings.strict and settings.falls_back:
        raise FallbackError(
            "strict mode allows no kernel on the CPU, but on_delegate_error is 'fallback', which does: "
            "set on_delegate_error to 'raise', or strict to False."
        )


def _check_outputs(graph: Graph, specs: Specs) -> None:
    for value in graph.outputs:
        spec = specs.get(value)
        if spec is not None and not isinstance(spec, ArraySpec):
            raise GraphError(f"Output '{value.name}' of the model must be a tensor, found {describe(spec)}.")


def _uncalled(graph: Graph, specs: Mapping[int, Specs]) -> list[str]:
    return [
        f"Subgraph '{each.name}' is never called; its {len(each.nodes)} nodes are left out."
        for index, each in enumerate(graph.all_graphs())
        if index not in specs and each.nodes
    ]


def _bind_graphs(
    main: Graph,
    inference: ModelInference,
    specs: Mapping[int, Specs],
    operators: Operators,
    variables: Sequence[Value],
) -> list[BoundGraph]:
    """The graphs that are called, the main graph first."""
    names, labels = Names(), Names()
    numbers = {value: i for i, value in enumerate(variables)}
    bound = []
    for index, known in specs.items():
        graph = main.subgraph(index)
        label = "" if index == MAIN else labels.unique(graph.name or f"graph{index}")
        bound.append(bind_graph(graph, index, label, inference.order(index), known, operators, numbers, names))
    return bound


def _note_targets(settings: Settings, notices: Notices) -> None:
    if settings.unavailable:
        names = ", ".join(settings.unavailable)
        text = f"Target {names} is not available in this runtime; the CPU is used instead."
        notices.note(text)
        notices.warn(text)


def _check_fallback(delegation: Delegation, settings: Settings) -> None:
    """Every node runs somewhere; on a device, if the user says so, but for what only the host can do."""
    models = delegation.models.values()
    left = [k for model in models for k in model if isinstance(k, NodeKernel) and not isinstance(k, HostKernel)]
    missing = [k for k in left if k.function is None]
    if missing:
        raise UnsupportedOperatorError(missing_text(missing, settings, cpu_kernels().op_types(), delegation.errors))
    if settings.strict and left:
        cause = next((delegation.errors[k] for k in left if k in delegation.errors), None)
        raise FallbackError(
            f"strict mode: {len(left)} kernels would run on the CPU, the first are {_names(left)}"
            f"{_why(left[0], delegation)}."
        ) from cause
    if settings.delegates and left:
        delegated = sum(len(run) for model in models for run in model.replaced.values())
        _log.info("%d of %d kernels stay on the CPU", len(left), len(left) + delegated)


def _why(kernel: Kernel, delegation: Delegation) -> str:
    first = next(iter(delegation.rejections.get(kernel, {}).values()), None)
    return "" if first is None else f"; '{kernel.name}' because of {first.code}: {first.reason}"


def _names(kernels: Sequence[Kernel], most: int = 5) -> str:
    text = ", ".join(f"'{k.name}' ({k.type})" for k in kernels[:most])
    return text + (", ..." if len(kernels) > most else "")
