"""Usual shapes: the shapes that commands choose for open inputs, if ``close_shapes`` gives none that fit."""

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
    """The plausible shapes of open inputs that fit a graph best; None where the graph takes no plausible shapes.

    The shapes of ``close_shapes`` come first, then the plausible shapes in order. The first shapes without a misfit are
    chosen, or the shapes with the fewest misfits, all in optional branches.

    Args:
        graph: as it was read or optimized.
        metadata: of the file.
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
    """Makes ``fitting_shapes`` the usual shapes (``OpenShape.usual``) of a graph's open inputs.

    Args:
        graph: as it was read; its inputs change.
        metadata: of the file.

    Returns:
        Whether fitting shapes were found.
    """
    shapes = fitting_shapes(graph, metadata)
    for value, dims in (shapes or {}).items():
        value.open_shape = replace(value.open_shape or OpenShape(), usual=dims)
    return shapes is not None


def has_misfits(compiled: CompiledModel) -> bool:
    """Whether a model, or a node of the model, rejects the sizes that were chosen for open dimensions."""
    closed, scheduled = compiled.closed_shapes.shapes, compiled.parts().scheduled
    return compiled.shape_error is not None or bool(closed and misfits(scheduled.delegation.models))


def _count_misfits(
    graph: Graph, shapes: Mapping[Value, tuple[int, ...]], customs: Mapping[str, CustomOperator]
) -> int | None:
    """The number of misfits in optional branches; None where a node that always runs rejects the shapes."""
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
    """A graph in its form for known shapes, where some of its nodes run with known shapes only.

    Args:
        graph: as it was read.
        metadata: gives the metadata of the file.

    Returns:
        The graph, read again for the shapes of ``settle_shapes``, and one line about the shapes; or the given graph and
        "", where shapes do not matter to the graph or the graph takes no plausible shapes.
    """
    if graph.reading is None or not settle_shapes(graph, metadata()):
        return graph, ""
    from ...runtime.planning.shapes.rereading import read_for

    closed = close_shapes(graph.inputs)
    return read_for(graph, closed.shapes)[0], closed.text
