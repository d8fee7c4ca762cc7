"""Settling: the shapes that commands take where nobody says them and the model does not take those of the rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ...errors import LimitError, LiteDelegateError
from ...formats.input_shapes import close_shapes, is_open
from ...formats.plausible import plausible_shapes
from ...ir import Graph, OpenShape, Value
from ...runtime.binding.host import CustomOperator
from ...runtime.lifetimes.session import Session
from ...runtime.planning.optional_nodes import misfits
from ...runtime.records.notices import Notices
from ...runtime.settings import Settings
from ..model.compiled_model import CompiledModel
from ..planned.planned_parts import check_shapes

NO_METADATA: Mapping[str, str] = {}
NO_CUSTOMS: Mapping[str, CustomOperator] = {}


def fitting_shapes(
    graph: Graph, metadata: Mapping[str, str] = NO_METADATA, customs: Mapping[str, CustomOperator] = NO_CUSTOMS
) -> Mapping[Value, tuple[int, ...]] | None:
    """The plausible shapes of open inputs that fit a graph best; None where there are none that it takes.

    These are the shapes of ``close_shapes`` where all nodes take them; else the first plausible ones that all nodes
    take, or those that the fewest nodes of branches that need not be taken do not take.

    Args:
        graph: as it was read or optimized.
        metadata: what the file has beside the model.
        customs: the user's operators.
    """
    best: tuple[int, Mapping[Value, tuple[int, ...]]] | None = None
    for shapes in (close_shapes(graph.inputs).shapes, *plausible_shapes(graph.inputs, metadata)):
        count = _count_misfits(graph, shapes, customs)
        if count is not None and (best is None or count < best[0]):
            best = count, shapes
        if count == 0:
            break
    return None if best is None else best[1]


def settle_shapes(graph: Graph, metadata: Mapping[str, str] = NO_METADATA) -> bool:
    """Makes ``fitting_shapes`` what the open inputs of a graph usually have (``OpenShape.usual``), where there are any.

    Args:
        graph: as it was read; its inputs change.
        metadata: what the file has beside the model.

    Returns:
        Whether there are any.
    """
    shapes = fitting_shapes(graph, metadata)
    for value, dims in (shapes or {}).items():
        value.open_shape = replace(value.open_shape or OpenShape(), usual=dims)
    return shapes is not None


def has_misfits(compiled: CompiledModel) -> bool:
    """Whether a model, or a node of it, does not take the shapes that its open inputs were taken to have."""
    closed, scheduled = compiled.closed_shapes.shapes, compiled.parts().scheduled
    return compiled.shape_error is not None or bool(closed and misfits(scheduled.delegation.models))


def _count_misfits(
    graph: Graph, shapes: Mapping[Value, tuple[int, ...]], customs: Mapping[str, CustomOperator]
) -> int | None:
    """How many nodes of branches that need not be taken do not take shapes; None where others do not."""
    if any(is_open(value) and value not in shapes for value in graph.inputs):
        return None
    from ...runtime.planning.scheduler import schedule

    settings = Settings(customs=customs, plan_only=True, rewrites=False)
    try:
        found = schedule(graph, shapes, settings, Notices(), Session((), {}))
        check_shapes(found)
        return len(misfits(found.delegation.models))
    except LimitError:
        raise
    except LiteDelegateError:
        return None


def settled_graph(graph: Graph, metadata: Callable[[], Mapping[str, str]] = dict) -> tuple[Graph, str]:
    """A graph that was just read, in the form for known shapes where it has nodes that nothing runs without them.

    Args:
        graph: as it was read.
        metadata: gives what the file has beside the model.

    Returns:
        The graph read again for the shapes of ``settle_shapes``, and one line on what these are; the given graph, and
        "", where shapes make no difference to it, or none are found that it takes.
    """
    if graph.reading is None or not settle_shapes(graph, metadata()):
        return graph, ""
    from ...runtime.planning.shapes.rereading import read_for

    closed = close_shapes(graph.inputs)
    return read_for(graph, closed.shapes)[0], closed.text
