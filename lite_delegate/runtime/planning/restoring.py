"""Restoring: a plan made again from its graph, layout and record, without asking a delegate or compiling anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter_ns
from typing import TypeAlias

from lite_delegate_kernels.built_in import built_in_kernels

from ...basics.counted import counted
from ...delegate import Kernel
from ...delegate.wishes import wishing
from ...errors import FallbackError, ModelFormatError, UnsupportedOperatorError
from ...ir import Graph, Value
from ...tensors.tensor import Tensor
from ..binding.bind import BoundGraph
from ..binding.host_kernel import HostKernel
from ..binding.node_kernel import NodeKernel
from ..drafting.draft import GraphDraft
from ..execution.stand_in import stand_ins_of
from ..lifetimes.session import Session, versions_of
from ..records.records import PartitionRecord, with_cpu
from ..settings import Settings
from .building.plan_kernels import PlanKernels
from .claims.delegation import Delegation
from .claims.off_device import with_off_device
from .layout import GraphLayout, KernelLayout, numbered
from .optional_nodes import put_off
from .plan_log import log_of, tell_plan, telling
from .rest.cpu_nodes import computed_on_cpu, left_to_cpu, on_cpu_text, rest_of, said_of
from .rest.groups import with_groups
from .scheduled import Scheduled
from .shapes.affordable import check_affordable
from .shapes.assembling import assembled
from .shapes.inferring import InferredModel
from .shapes.missing import missing_text

MakeKernel: TypeAlias = Callable[[KernelLayout, Sequence[Tensor], Sequence[Tensor]], Kernel]
"""Makes the graph kernel of a layout, not prepared, for tensors that it reads and writes."""


def restore(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    session: Session,
    layouts: Sequence[GraphLayout],
    record: PartitionRecord,
    make: MakeKernel,
) -> Scheduled:
    """The plan that a file describes.

    Args:
        graph: the graph of the plan (``Scheduled.graph``).
        input_shapes: shapes of inputs that differ from what the graph declares.
        settings: the delegates, which are not asked, and the settings that apply when the model runs.
        session: the session of the delegates.
        layouts: the layouts of its graphs.
        record: the partition of the plan.
        make: makes graph kernels.

    Raises:
        ModelFormatError: the layouts do not fit this graph.
        UnsupportedOperatorError: the CPU has no kernel for a node that it is to run.
        FallbackError: nodes run on the CPU, which ``settings.strict`` does not allow.
        LimitError: a prediction would take more memory or steps than ``settings.budget`` has.
        DelegateError: a graph kernel cannot be made or prepared.
    """
    started = perf_counter_ns()
    with telling(graph, settings), wishing(settings.wishes):
        found = _restored(graph, input_shapes, settings, session, layouts, record, make)
    tell_plan(found.log, record, "imported", perf_counter_ns() - started)
    return found


def _restored(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    session: Session,
    layouts: Sequence[GraphLayout],
    record: PartitionRecord,
    make: MakeKernel,
) -> Scheduled:
    """The plan, see ``restore``."""
    inferred = InferredModel(graph, input_shapes, replace(settings, folds=False))
    graphs: Sequence[BoundGraph] = inferred.bind()
    if not settings.plan_only:
        check_affordable(graphs, settings.budget)
    if len(layouts) != len(graphs):
        raise ModelFormatError(f"the plan must have {counted(len(graphs), 'graph')}, found {len(layouts)}.")
    made, delegation = PlanKernels(settings.plan_only), Delegation(settings.delegate_names)
    try:
        for bound, layout in zip(graphs, layouts, strict=True):
            delegation.models[bound.label] = _placed(bound, layout, make, made, delegation.owners)
        put_off(_missing(delegation), graphs, inferred)
        _check_left(delegation, settings)
        notes: list[str] = []
        stand_ins = stand_ins_of(delegation.models.values(), notes) if settings.falls_back else {}
        record = replace(record, notes=(*record.notes, *(note for note in notes if note not in record.notes)))
        held = made.held
        rest = rest_of(graphs, delegation.models, settings, made)
        record = with_off_device(with_groups(record, rest.groups, rest.models), session)
        stand_ins = {**stand_ins, **rest.stand_ins}
        plan = assembled(graphs, rest.models, stand_ins, inferred, record, settings.budget, rest.names)
        made.share(session)
    except BaseException:
        made.give_up_all()
        raise
    lease, versions = made.lease(), versions_of(settings.delegates)
    partition, log = settings.partition, log_of(record)
    return Scheduled(
        graph, plan, settings, partition, graphs, delegation, session, versions, held, lease, log, is_restored=True
    )


def _placed(
    graph: BoundGraph, layout: GraphLayout, make: MakeKernel, made: PlanKernels, owners: dict[Kernel, str]
) -> GraphDraft:
    """One graph with its graph kernels, which are prepared."""
    names = [kernel.name for kernel in graph.kernels]
    if list(layout.nodes) != names or sorted(layout.order) != list(range(len(names))):
        raise ModelFormatError("the plan must have the nodes of the graph, found other nodes.")
    tensors, kernels = numbered(graph, layout.order), [graph.kernels[i] for i in layout.order]
    fixed = [kernel for kernel in kernels if isinstance(kernel, HostKernel)]
    draft = GraphDraft(kernels, graph.inputs, graph.outputs, (), fixed, tuple(graph.variables))
    for each in layout.kernels:
        kernel = make(each, _of(tensors, each.inputs), _of(tensors, each.outputs))
        kernel.name = each.name
        draft.adopt(kernels[each.start : each.stop], kernel)
        owners[kernel] = each.delegate
        made.prepare(kernel)
    return draft


def _of(tensors: Sequence[Tensor], numbers: Sequence[int]) -> list[Tensor]:
    if not all(0 <= number < len(tensors) for number in numbers):
        raise ModelFormatError(f"graph kernels must have tensors below {len(tensors)}, found {list(numbers)}.")
    return [tensors[number] for number in numbers]


def _missing(delegation: Delegation) -> list[NodeKernel]:
    return [kernel for kernel in left_to_cpu(delegation.models) if kernel.function is None]


def _check_left(delegation: Delegation, settings: Settings) -> None:
    """Checks that the CPU can run, and may run, the nodes outside graph kernels."""
    missing = _missing(delegation)
    if missing and not settings.plan_only:
        raise UnsupportedOperatorError(missing_text(missing, settings, built_in_kernels().op_types(), {}))
    left = computed_on_cpu(delegation.models)
    if settings.strict and left:
        device = with_cpu(settings.whole) if settings.whole else ""
        raise FallbackError(on_cpu_text(len(left), said_of(left[0]), device))
