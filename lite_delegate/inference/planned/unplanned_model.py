"""Models that wait for shapes: the parts of a model before the shapes of its inputs are known.

A file may leave dimensions open for which no default size works: a convolution net that joins feature maps of two sizes
does not take an image of 1 by 1. Such a model is built with a plan that only describes its nodes; a run, or ``resize``,
plans the model for actual shapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NoReturn

from lite_delegate_kernels.built_in import built_in_kernels

from ...delegate import RejectCode
from ...errors import ShapeError, UnsupportedOperatorError
from ...formats.input_shapes import ClosedShapes, ways_to_say
from ...formats.rereading import waits_for_shapes
from ...ir import Graph, Value
from ...runtime.execution.run import Instead
from ...runtime.lifetimes.session import open_session, versions_of
from ...runtime.planning.rest.cpu_nodes import left_to_cpu
from ...runtime.planning.scheduled import Scheduled
from ...runtime.planning.shapes.missing import missing_text
from ...runtime.records.notices import Notices
from ...runtime.records.records import PartitionRecord
from ...runtime.settings import Settings
from ..model_file.parts import ModelParts

UNPLANNED = "the model is planned once the shapes of its inputs are known"
"""The reason that nodes of an unplanned model have no device."""


def waiting_parts(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    notices: Notices,
    closed: ClosedShapes,
    error: ShapeError,
) -> ModelParts:
    """The parts of a model that waits for shapes. No delegate is asked for claims, and the model cannot run.

    Args:
        graph: has inputs with open dimensions.
        input_shapes: of the inputs with known shapes.
        settings: for the later planning.
        notices: gets the notes and warnings for the user.
        closed: the sizes that were chosen for open dimensions.
        error: why the model rejects the chosen sizes.

    Raises:
        UnsupportedOperatorError: the settings have no delegate, and the CPU cannot run a node for any shapes.
        LiteDelegateError: the model can be planned for no shapes, see ``runtime.planning.scheduler.schedule``.
    """
    from ...runtime.planning.delegating import say_absent
    from ...runtime.planning.scheduler import schedule

    told = Settings(customs=settings.customs, plan_only=True, rewrites=False, budget=settings.budget)
    session = open_session(settings.delegates)
    try:
        say_absent(settings, session, notices)
        found = schedule(graph, input_shapes, told, Notices(), session)
        if not settings.delegates:
            _check_operators(found, settings)
    finally:
        session.let_go()  # the plan holds the session, too
    plan = replace(found.plan, record=_waiting(found.plan.record, settings))
    versions = versions_of(settings.delegates)
    scheduled = replace(found, plan=plan, settings=settings, partition=settings.partition, versions=versions)
    return ModelParts(graph, scheduled, closed, error)


def _check_operators(scheduled: Scheduled, settings: Settings) -> None:
    """Raises UnsupportedOperatorError for nodes that the CPU cannot run for any shapes."""
    left = [kernel for kernel in left_to_cpu(scheduled.delegation.models) if kernel.function is None]
    missing = [kernel for kernel in left if not waits_for_shapes(kernel.node)]
    if missing:
        scheduled.lease.close()
        raise UnsupportedOperatorError(missing_text(missing, settings, built_in_kernels().op_types(), {}))


def _waiting(record: PartitionRecord, settings: Settings) -> PartitionRecord:
    """The record of a model that waits for shapes: each node has a reason and no device."""
    nodes = tuple(replace(node, code=RejectCode.SHAPE, reason=UNPLANNED, hint="") for node in record.nodes)
    name = ", ".join(settings.delegate_names) or None
    return replace(record, delegate=name, nodes=nodes, notes=(), options=settings.partition)


def not_planned(graph: Graph, closed: ClosedShapes, error: ShapeError, what: str) -> ShapeError:
    """The error of an operation that a model which waits for shapes cannot do.

    Args:
        graph: of the model.
        closed: the sizes that were chosen for open dimensions.
        error: why the model rejects the chosen sizes.
        what: the operation: "run", "be exported".
    """
    return ShapeError(
        f"The model cannot {what} before the shapes of its inputs are known: {ways_to_say(graph.inputs)}. "
        f"{_why(closed, error)}"
    )


def no_runner(graph: Graph, closed: ClosedShapes, error: ShapeError, instead: Instead | None = None) -> NoReturn:
    """Takes the place of ``runner_of`` in a model that waits for shapes.

    Raises:
        ShapeError: always.
    """
    raise not_planned(graph, closed, error, "run")


def _why(closed: ClosedShapes, error: ShapeError) -> str:
    taken = closed.taken
    return f"Tried: {taken}; {error}" if taken else str(error)
