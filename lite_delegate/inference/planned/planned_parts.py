"""The parts of a compiled model, planned from the start or from a plan for other shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...errors import ShapeError, UnsupportedShapesError
from ...formats.input_shapes import ALL_KNOWN, ClosedShapes, is_open, ways_to_say
from ...ir import Graph, Value
from ...partition.options import FASTEST
from ...runtime.lifetimes.session import open_session
from ...runtime.planning.scheduled import Scheduled
from ...runtime.records.notices import Notices
from ...runtime.settings import Settings
from ..model_file.parts import ModelParts


def planned_anew(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    notices: Notices,
    closed: ClosedShapes = ALL_KNOWN,
) -> ModelParts:
    """The parts of a graph that is planned from the start, with newly opened delegates.

    A graph that rejects the shapes in ``closed``, or needs unknown shapes, is planned later, see ``unplanned_model``.
    """
    try:
        return _planned_anew(graph, input_shapes, settings, notices, closed)
    except ShapeError as e:
        if all(value in input_shapes or not is_open(value) for value in graph.inputs):
            raise
        from .unplanned_model import waiting_parts

        return waiting_parts(graph, input_shapes, settings, notices, closed, e)


def _planned_anew(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    notices: Notices,
    closed: ClosedShapes,
) -> ModelParts:
    if settings.partition.placement != FASTEST:
        return _planned(graph, input_shapes, settings, notices, closed)
    from ..placing.fastest_plan import fastest_parts

    settings = replace(settings, cpu_backends=())  # with "fastest", runtimes of the CPU are measured as delegates

    def plan(wanted: Settings, heard: Notices) -> ModelParts:
        return _planned(graph, input_shapes, wanted, heard, closed)

    return fastest_parts(settings, notices, plan)


def _planned(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    notices: Notices,
    closed: ClosedShapes,
) -> ModelParts:
    from ...runtime.planning.plan_log import telling
    from ...runtime.planning.scheduler import schedule  # the planner is loaded with the first model

    with telling(graph, settings):
        session = open_session(settings.delegates)
    try:
        shapes = {**closed.shapes, **input_shapes}
        found = schedule(graph, shapes, settings, notices, session)
        if closed.shapes and settings.plan_only:
            check_shapes(found)
        return ModelParts(graph, found, closed, None)
    finally:
        session.let_go()  # the plan holds the session, too


def check_shapes(scheduled: Scheduled) -> None:
    """Checks that all nodes of a plan that never runs take their shapes; the planner checks plans that run.

    Raises:
        UnsupportedShapesError: a node does not take its shapes.
    """
    from ...runtime.planning.optional_nodes import misfits
    from ...runtime.planning.shapes.missing import misfit_text

    found = [kernel for kernel in misfits(scheduled.delegation.models) if kernel.function is None]
    if found:
        scheduled.lease.close()
        raise UnsupportedShapesError(misfit_text(found))


def planned_after(
    parts: ModelParts,
    shapes: Sequence[tuple[int, ...]],
    settings: Settings,
    warnings: list[str],
    *,
    has_lost_device: bool,
) -> ModelParts:
    """The parts of a graph, planned for other shapes, see ``CompiledModel.reshaped``."""
    try:
        return _planned_after(parts, shapes, settings, warnings, has_lost_device=has_lost_device)
    except ShapeError as e:
        if not any(map(is_open, parts.graph.inputs)):
            raise
        raise type(e)(f"{e} {_taken(parts.graph, shapes)}: {ways_to_say(parts.graph.inputs)}.") from e


def _taken(graph: Graph, shapes: Sequence[tuple[int, ...]]) -> str:
    given = ", ".join(f"'{v.name}' {list(dims)}" for v, dims in zip(graph.inputs, shapes, strict=True))
    return f"This is for {given}"


def _planned_after(
    parts: ModelParts,
    shapes: Sequence[tuple[int, ...]],
    settings: Settings,
    warnings: list[str],
    *,
    has_lost_device: bool,
) -> ModelParts:
    graph, scheduled = parts.graph, parts.scheduled
    scheduled.lease.check()
    wanted = dict(zip(graph.inputs, shapes, strict=True))
    notices, session = Notices(warnings=warnings), scheduled.session
    fastest = settings.partition.placement == FASTEST  # another plan may be the fastest for other shapes
    if has_lost_device or fastest or not session.serves(settings.delegates):
        return planned_anew(graph, wanted, settings, notices)
    from ...runtime.planning.scheduler import schedule

    return ModelParts(graph, schedule(graph, wanted, settings, notices, session, scheduled), ALL_KNOWN, None)
