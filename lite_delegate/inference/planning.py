"""Planning: the parts of a compiled model, from the start or after other shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..errors import ShapeError
from ..formats.input_shapes import ALL_KNOWN, ClosedShapes
from ..ir import Graph, Value
from ..partition.options import FASTEST
from ..runtime.lifetimes.session import open_session
from ..runtime.records.notices import Notices
from ..runtime.settings import Settings
from .model_file.parts import ModelParts


def planned_anew(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    notices: Notices,
    closed: ClosedShapes = ALL_KNOWN,
) -> ModelParts:
    """A graph planned from the start: with delegates that are initialized for it; of several plans the fastest."""
    if settings.partition.placement != FASTEST:
        return _planned_anew(graph, input_shapes, settings, notices, closed)
    from .fastest import fastest_parts

    settings = replace(settings, cpu_backends=())  # who wants them asks for them as delegates, and they are measured

    def plan(wanted: Settings, heard: Notices) -> ModelParts:
        return _planned_anew(graph, input_shapes, wanted, heard, closed)

    return fastest_parts(settings, notices, plan)


def _planned_anew(
    graph: Graph,
    input_shapes: Mapping[Value, tuple[int, ...]],
    settings: Settings,
    notices: Notices,
    closed: ClosedShapes,
) -> ModelParts:
    from ..runtime.planning.scheduler import schedule  # what plans is loaded with the first model, not before
    from ..runtime.planning.telling import telling

    with telling(graph, settings):
        session = open_session(settings.delegates)
    try:
        shapes = {**closed.shapes, **input_shapes}
        return ModelParts(graph, schedule(graph, shapes, settings, notices, session), closed, None)
    except ShapeError as e:
        if not closed.shapes:
            raise
        return ModelParts(graph, schedule(graph, input_shapes, settings, notices, session), closed, e)
    finally:
        session.let_go()  # the plan has its own share


def planned_after(
    parts: ModelParts,
    shapes: Sequence[tuple[int, ...]],
    settings: Settings,
    warnings: list[str],
    *,
    has_lost_device: bool,
) -> ModelParts:
    """The same graph planned for other shapes, see ``CompiledModel.reshaped``."""
    graph, scheduled = parts.graph, parts.scheduled
    scheduled.lease.check()
    wanted = dict(zip(graph.inputs, shapes, strict=True))
    notices, session = Notices(warnings=warnings), scheduled.session
    fastest = settings.partition.placement == FASTEST  # for other shapes it may be another plan
    if has_lost_device or fastest or not session.serves(settings.delegates):
        return planned_anew(graph, wanted, settings, notices)
    from ..runtime.planning.scheduler import schedule

    return ModelParts(graph, schedule(graph, wanted, settings, notices, session, scheduled), ALL_KNOWN, None)
