"""Models that wait for shapes: what there is of a model before the shapes of its inputs are known.

A file may leave dimensions open that nothing can be said of: a convolution net that joins feature maps of two sizes
does not take an image of 1 by 1. Such a model is built all the same, with a plan that only says what there is; a run,
or ``resize``, plans it for the shapes that it has.
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
"""Why nodes of such a model have no device."""


def waiting_parts(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    notices: Notices,
    closed: ClosedShapes,
    error: ShapeError,
) -> ModelParts:
    """The parts of a model that waits for shapes: no delegate is asked for any node, and nothing of it runs.

    Args:
        graph: leaves dimensions of inputs open.
        input_shapes: of other inputs.
        settings: that it is planned with later.
        notices: gets what the user is told.
        closed: what its open dimensions were taken to be.
        error: why it does not take them.

    Raises:
        UnsupportedOperatorError: there is no delegate, and the CPU cannot run a node, whatever the shapes.
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
        session.let_go()  # the plan has its own share
    plan = replace(found.plan, record=_waiting(found.plan.record, settings))
    versions = versions_of(settings.delegates)
    scheduled = replace(found, plan=plan, settings=settings, partition=settings.partition, versions=versions)
    return ModelParts(graph, scheduled, closed, error)


def _check_operators(scheduled: Scheduled, settings: Settings) -> None:
    """Raises UnsupportedOperatorError for nodes that the CPU cannot run, whatever the shapes; a delegate might."""
    left = [kernel for kernel in left_to_cpu(scheduled.delegation.models) if kernel.function is None]
    missing = [kernel for kernel in left if not waits_for_shapes(kernel.node)]
    if missing:
        scheduled.lease.close()
        raise UnsupportedOperatorError(missing_text(missing, settings, built_in_kernels().op_types(), {}))


def _waiting(record: PartitionRecord, settings: Settings) -> PartitionRecord:
    """The record of a model that waits: its nodes have a reason, and no device is spoken of."""
    nodes = tuple(replace(node, code=RejectCode.SHAPE, reason=UNPLANNED, hint="") for node in record.nodes)
    name = ", ".join(settings.delegate_names) or None
    return replace(record, delegate=name, nodes=nodes, notes=(), options=settings.partition)


def not_planned(graph: Graph, closed: ClosedShapes, error: ShapeError, what: str) -> ShapeError:
    """The error of who asks a model that waits for shapes for what only a planned one has.

    Args:
        graph: of the model.
        closed: what its open dimensions were taken to be.
        error: why it does not take them.
        what: cannot be done: "run", "be exported".
    """
    return ShapeError(
        f"The model cannot {what} before the shapes of its inputs are known: {ways_to_say(graph.inputs)}. "
        f"{_why(closed, error)}"
    )


def no_runner(graph: Graph, closed: ClosedShapes, error: ShapeError, instead: Instead | None = None) -> NoReturn:
    """What takes the place of ``runner_of`` for a model that waits for shapes.

    Raises:
        ShapeError: always.
    """
    raise not_planned(graph, closed, error, "run")


def _why(closed: ClosedShapes, error: ShapeError) -> str:
    taken = closed.taken
    return f"Tried: {taken}; {error}" if taken else str(error)
