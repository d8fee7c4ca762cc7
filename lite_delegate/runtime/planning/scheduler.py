"""The scheduler: from a graph to an execution plan, by way of the delegates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter_ns
from typing import TYPE_CHECKING

from lite_delegate_kernels import Array
from lite_delegate_kernels.built_in import built_in_kernels

from ...basics.counted import counted
from ...delegate import Kernel
from ...delegate.calls.progress import part_of_progress
from ...delegate.open_shapes import planning_open
from ...delegate.samples import Samples, sampling
from ...delegate.wishes import wishing
from ...errors import FallbackError, UnsupportedOperatorError, UnsupportedShapesError
from ...formats.input_shapes import is_open
from ...formats.rereading import waits_for_shapes
from ...ir import Graph, Value
from ...partition.options import COST, PartitionOptions
from ..binding.bind import BoundGraph
from ..binding.host import CustomOperator
from ..binding.node_kernel import NodeKernel
from ..execution.fallback import Fallbacks
from ..execution.plan import ExecutionPlan
from ..execution.run import Run
from ..execution.stand_in import stand_ins_of
from ..lifetimes.session import Session, versions_of
from ..records.notices import Notices
from ..records.records import RemovedRecord, RewriteRecord, with_cpu
from ..settings import Settings, check_delegate_names
from .building.building import Previous
from .building.plan_kernels import PlanKernels
from .claims.affinity import check_affinity, check_met
from .claims.asking import asked_graphs
from .claims.delegation import Delegation
from .claims.explain import make_record
from .claims.limits import inferred_for
from .claims.off_device import with_off_device
from .claims.partitioning import check_options
from .claims.unmatched import say_unmatched
from .delegating import by_name, delegate_graphs, say_absent
from .optional_nodes import put_off
from .plan_log import log_of, tell_plan, telling
from .rest.cpu_nodes import computed_on_cpu, left_to_cpu, rest_of
from .rest.groups import Rest, with_groups
from .scheduled import Scheduled
from .shapes.affordable import check_affordable
from .shapes.assembling import assembled
from .shapes.inferring import InferredModel
from .shapes.missing import misfit_text, missing_notes, missing_text
from .shapes.moves import Moves
from .shapes.naming import in_kernel_names, meanings_of, removed_records, words_of
from .shapes.type_names import in_model_types, types_of, unused_types

if TYPE_CHECKING:
    from .regions.whole_regions import RunAlone
    from .samples.planned_samples import PlanAlone

SHOWN = 3
"""Nodes whose reasons an error has."""


def schedule(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    notices: Notices,
    session: Session,
    previous: Scheduled | None = None,
) -> Scheduled:
    """The plan of a graph for the given shapes of its inputs.

    Args:
        graph: a verified graph.
        input_shapes: shapes of inputs that differ from what the graph declares.
        settings: the delegates, the user's partition options, and whether falling back is allowed.
        notices: gets the notes and warnings for the user, also where planning fails.
        session: the session of the settings' delegates.
        previous: the plan for other shapes, whose graph kernels go on where they can follow.

    Raises:
        ShapeError: shapes do not fit an operator.
        LimitError: a prediction would take more memory or steps than ``settings.budget`` has.
        GraphError: the control flow breaks a rule, see ``ModelInference.run``.
        UnsupportedOperatorError: nodes that neither a delegate takes nor the CPU has a kernel for;
            ``UnsupportedShapesError`` where other shapes of the inputs may change that.
        FallbackError: ``settings.strict`` is set and nodes would run on the CPU, or ``settings.falls_back``
            allows that.
        PlacementError: a node cannot run where ``settings.partition.affinity`` puts it.
        InputError: ``settings.partition`` names nodes, operator types or devices that do not exist.
        DelegateError: a delegate failed in a way that falling back cannot mend.
        RequestCancelled: nobody wants the plan any more.
    """
    started = perf_counter_ns()
    origin = graph if any(map(is_open, graph.inputs)) else None
    with telling(graph, settings), wishing(settings.wishes), planning_open(origin):
        found = _scheduled(graph, input_shapes, settings, notices, session, previous)
    if not settings.plan_only:
        tell_plan(found.log, found.plan.record, "compiled", perf_counter_ns() - started)
    return found


def _scheduled(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    notices: Notices,
    session: Session,
    previous: Scheduled | None,
) -> Scheduled:
    """The plan, see ``schedule``."""
    _check_strict(settings)
    versions = versions_of(settings.delegates)
    with part_of_progress(0.4, 0.5):
        inferred, rewrites = inferred_for(graph, input_shapes, settings, session, notices.warnings)
        if settings.rewrites and any(node.op_type == "Call" for node in inferred.graph.nodes):
            from .regions.whole_regions import with_whole_regions

            inferred = with_whole_regions(inferred, session, notices, settings.budget.steps, _on_cpu(settings))
    graphs: Sequence[BoundGraph] = inferred.bind()
    if not settings.plan_only:
        check_affordable(graphs, settings.budget)
    planned = replace(settings, partition=_in_model_names(inferred.graph, graphs, settings, notices))
    say_unmatched(inferred.graph, graphs, settings, session, notices)
    _note_targets(settings, notices)
    notices.notes += inferred.notes
    made = PlanKernels(settings.plan_only)
    moves = Moves()
    try:
        followed = None
        if previous is not None:
            from .following import follow

            followed = follow(previous, inferred, graphs, planned, session, versions, made, notices.warnings)
        if followed is None:
            reusable = _reusable(previous, versions)
            samples = _samples(inferred, graphs, planned, session, notices)
            with part_of_progress(0.5, 0.95), sampling(samples):
                delegation = _delegated(graphs, inferred, planned, session, reusable, made, notices)
        else:
            graphs, delegation, moves = followed.graphs, followed.delegation, followed.moves
            say_absent(settings, session, notices)
            notices.notes += followed.notes
        removed = removed_records(inferred.graph)
        with part_of_progress(0.95, 1.0):
            held = made.held
            rest = rest_of(graphs, delegation.models, settings, made)
            plan = _plan(graphs, delegation, rest, inferred, planned, session, notices, removed, rewrites)
        made.share(session)
    except BaseException:
        made.give_up_all()
        moves.undo()
        raise
    lease = made.lease()
    moves.commit()
    log = log_of(plan.record)
    return Scheduled(
        inferred.graph, plan, settings, planned.partition, graphs, delegation, session, versions, held, lease, log
    )


def _samples(
    inferred: InferredModel, graphs: Sequence[BoundGraph], settings: Settings, session: Session, notices: Notices
) -> Samples | None:
    """The samples of the model, where a delegate asks for them."""
    if not any(each.wanted_samples for each in session.delegates):
        return None
    from .samples.choosing import samples_for

    return samples_for(inferred, graphs, settings, session, _planned_alone(settings), notices)


def _planned_alone(settings: Settings) -> PlanAlone:
    """Plans graphs for the CPU, without delegates."""
    alone = Settings(
        threads=settings.threads,
        stream_threads=settings.stream_threads,
        chosen_threads=settings.chosen_threads,
        reference_kernels=settings.reference_kernels,
        budget=settings.budget,
    )

    def plan(
        graph: Graph, customs: Mapping[str, CustomOperator], shapes: Mapping[Value, tuple[int, ...]]
    ) -> ExecutionPlan:
        return schedule(graph, shapes, replace(alone, customs=customs), Notices(), Session((), {})).plan

    return plan


def _on_cpu(settings: Settings) -> RunAlone:
    """Runs graphs on the CPU, each planned once for its shapes."""
    planned: dict[tuple[int, tuple[tuple[int, ...], ...]], ExecutionPlan] = {}
    plan_alone = _planned_alone(settings)

    def run(graph: Graph, shapes: Mapping[Value, tuple[int, ...]], arrays: Sequence[Array]) -> Sequence[Array]:
        key = (id(graph), tuple(shapes.values()))
        if key not in planned:
            planned[key] = plan_alone(graph, settings.customs, shapes)
        return Run(planned[key], Fallbacks(planned[key])).execute(arrays)

    return run


def _in_model_names(
    graph: Graph, graphs: Sequence[BoundGraph], settings: Settings, notices: Notices
) -> PartitionOptions:
    """The options, checked, in names of kernels and in operator types that the model has."""
    from ...ir.primitives import PRIMITIVE_CLASSES

    check_delegate_names(settings.delegate_names)
    meanings, types = meanings_of(graphs), types_of(k for g in graphs for k in g.kernels)
    notices.notes += unused_types(settings.partition, types, PRIMITIVE_CLASSES, graph.removed)
    options = in_model_types(settings.partition, types, PRIMITIVE_CLASSES)
    options = in_kernel_names(options, meanings, graph)
    if settings.kernel_affinity or settings.kernel_groups:
        affinity = {**options.affinity, **settings.kernel_affinity}
        options = replace(options, affinity=affinity, groups=(*options.groups, *settings.kernel_groups))
    check_options(graphs, options, meanings, {*PRIMITIVE_CLASSES, *types})
    check_affinity(options.affinity, meanings, settings.delegate_names)
    return options


def _delegated(
    graphs: Sequence[BoundGraph],
    inferred: InferredModel,
    settings: Settings,
    session: Session,
    previous: Previous | None,
    made: PlanKernels,
    notices: Notices,
) -> Delegation:
    """The delegation of a model that is planned anew."""
    timing = None
    if settings.partition.placement == COST:
        from .timing.timing import Timing

        timing = Timing(graphs, inferred.state, settings, notices.notes)
    return delegate_graphs(graphs, settings, session, previous, made, notices, timing)


def _reusable(previous: Scheduled | None, versions: Mapping[str, str]) -> Previous | None:
    """The graph kernels of a plan whose delegates have not changed since."""
    if previous is None:
        return None
    owners, names = previous.delegation.owners, previous.plan.graph_kernels
    same = [name for name, version in previous.versions.items() if versions.get(name) == version]
    known = {(owners[kernel], names[kernel]): kernel for kernel in previous.held if owners[kernel] in same}
    runs = {k: run for draft in previous.delegation.models.values() for k, run in draft.replaced.items()}
    return Previous(known, runs, previous.held)


def _plan(
    graphs: Sequence[BoundGraph],
    delegation: Delegation,
    rest: Rest,
    inferred: InferredModel,
    settings: Settings,
    session: Session,
    notices: Notices,
    removed: tuple[RemovedRecord, ...],
    rewrites: tuple[RewriteRecord, ...],
) -> ExecutionPlan:
    """The plan for graphs whose kernels all have their place."""
    models, notes = delegation.models, notices.notes
    late = put_off(_missing(delegation), graphs, inferred)
    if late:
        notes = [*notes, f"{misfit_text(late)} A prediction that gets there fails."]
    if settings.plan_only:
        notes = [*notes, *missing_notes(_missing(delegation))]
    stand_ins = stand_ins_of(models.values(), notes) if settings.falls_back else {}
    asked = asked_graphs(graphs, delegation, settings.delegates)
    made = make_record(delegation, [*notes, *rest.notes], settings.partition)
    record = replace(made, asked=asked, removed=removed, rewrites=rewrites, failures=notices.failures)
    record = replace(record, threads=settings.chosen_threads)
    record = with_off_device(with_groups(record, rest.groups, rest.models), session)
    _check_fallback(delegation, settings)
    asked_for = {name: to for name, to in settings.partition.affinity.items() if name not in settings.kernel_affinity}
    check_met(asked_for, record.nodes, by_name(delegation.rejections))
    return assembled(
        graphs, rest.models, {**stand_ins, **rest.stand_ins}, inferred, record, settings.budget, rest.names
    )


def _check_strict(settings: Settings) -> None:
    if settings.strict and settings.falls_back:
        if settings.whole:
            raise FallbackError(
                f"Device '{settings.whole}' takes the whole model, so that there are no CPU kernels to fall back to, "
                "but ON_DEVICE_ERROR is FALLBACK: set it to RAISE, or compile for a device such as 'HETERO:NPU,CPU'."
            )
        raise FallbackError(
            "strict mode allows no kernel on the CPU, but on_delegate_error is 'fallback', which does: "
            "set on_delegate_error to 'raise', or strict to False."
        )


def _note_targets(settings: Settings, notices: Notices) -> None:
    if settings.unavailable:
        names = ", ".join(settings.unavailable)
        text = f"Target {names} is not available in this runtime; the CPU is used instead."
        notices.note(text)
        notices.warn(text)


def _check_fallback(delegation: Delegation, settings: Settings) -> None:
    """Checks that every node runs somewhere, and where the user demands it, on a device.

    Nodes that only the host can run, and those that only give a value another name, may run on the CPU.
    """
    left, missing = computed_on_cpu(delegation.models), _missing(delegation)
    waiting = [kernel for kernel in missing if waits_for_shapes(kernel.node)]
    if waiting and (settings.strict if settings.plan_only else len(waiting) == len(missing)):
        raise UnsupportedShapesError(misfit_text(waiting))
    if missing and not settings.plan_only:
        raise UnsupportedOperatorError(
            missing_text(missing, settings, built_in_kernels().op_types(), delegation.errors)
        )
    if settings.strict and left:
        cause = next((delegation.errors[k] for k in left if k in delegation.errors), None)
        if settings.whole:
            raise FallbackError(_not_whole(settings.whole, left, delegation)) from cause
        kernels = counted(len(left), "kernel")
        raise FallbackError(
            f"strict mode: {kernels} would run on the CPU: {_with_reasons(left, delegation)}."
        ) from cause


def _not_whole(device: str, left: Sequence[NodeKernel], delegation: Delegation) -> str:
    """The nodes that a device does not take, with its reasons, and the device that runs the model all the same."""
    nodes = counted(len(left), "node")
    return (
        f"Device '{device}' does not take {nodes} of the model: {_with_reasons(left, delegation)}. "
        f"'{with_cpu(device)}' lets the CPU run the other nodes."
    )


def _with_reasons(left: Sequence[NodeKernel], delegation: Delegation) -> str:
    """The first nodes on the CPU, each with the reason of a delegate, and the number of further nodes."""
    shown = ["'{}' ({}){}".format(*words_of(k), _reason(k, delegation)).removesuffix(".") for k in left[:SHOWN]]
    more = f"; and {len(left) - SHOWN} more" if len(left) > SHOWN else ""
    return f"{'; '.join(shown)}{more}"


def _reason(kernel: Kernel, delegation: Delegation) -> str:
    first = next(iter(delegation.rejections.get(kernel, {}).values()), None)
    return "" if first is None else f": {first.code}: {first.reason}"


def _missing(delegation: Delegation) -> list[NodeKernel]:
    """The nodes that can run nowhere."""
    return [k for k in left_to_cpu(delegation.models) if k.function is None]
