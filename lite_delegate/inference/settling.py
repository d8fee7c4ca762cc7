"""Settling: the shapes that commands take where nobody says them and the model does not take those of the rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..errors import LimitError, LiteDelegateError
from ..formats.input_shapes import close_shapes, is_open
from ..formats.plausible import plausible_shapes
from ..ir import Graph, OpenShape, Value
from ..runtime.binding.host import CustomOperator
from ..runtime.lifetimes.session import Session
from ..runtime.planning.optional import misfits
from ..runtime.records.notices import Notices
from ..runtime.settings import Settings
from .compiled_model import CompiledModel
from .planning import check_shapes

NO_METADATA: Mapping[str, str] = {}
NO_CUSTOMS: Mapping[str, CustomOperator] = {}


def settle_shapes(
    graph: Graph, metadata: Mapping[str, str] = NO_METADATA, customs: Mapping[str, CustomOperator] = NO_CUSTOMS
) -> bool:
    """Makes the plausible shapes that fit a graph best what its open inputs usually have (``OpenShape.usual``).

    These are the shapes of ``close_shapes`` where all nodes take them; else the first plausible ones that all nodes
    take, or those that the fewest nodes of branches that need not be taken do not take.

    Args:
        graph: as it was read or optimized; its inputs change.
        metadata: what the file has beside the model.
        customs: the user's operators.

    Returns:
        Whether it takes what its open inputs are taken to be now.
    """
    best: tuple[int, Mapping[Value, tuple[int, ...]]] | None = None
    for shapes in (close_shapes(graph.inputs).shapes, *plausible_shapes(graph.inputs, metadata)):
        count = _count_misfits(graph, shapes, customs)
        if count is not None and (best is None or count < best[0]):
            best = count, shapes
        if count == 0:
            break
    for value, dims in () if best is None else best[1].items():
        value.open_shape = replace(value.open_shape or OpenShape(), usual=dims)
    return best is not None


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
    from ..runtime.planning.scheduler import schedule

    settings = Settings(customs=customs, plan_only=True, rewrites=False)
    try:
        found = schedule(graph, shapes, settings, Notices(), Session((), {}))
        check_shapes(found)
        return len(misfits(found.delegation.models))
    except LimitError:
        raise
    except LiteDelegateError:
        return None
