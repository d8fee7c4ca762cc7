"""The compilation of graphs to compiled models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...formats.input_shapes import close_shapes, given_shapes
from ...ir import Graph
from ...runtime.records.notices import Notices
from ...runtime.settings import Settings
from ..model.compiled_model import CompiledModel, of_parts
from ..model_file.parts import ModelParts
from ..planned.planned_parts import planned_anew
from ..shapes.given_shapes import NO_SHAPES


def compile_graph(
    graph: Graph,
    settings: Settings,
    warnings: list[str] | None = None,
    shapes: Mapping[str, Sequence[int]] = NO_SHAPES,
) -> CompiledModel:
    """Plans a graph for its declared shapes; ``close_shapes`` chooses sizes for open dimensions.

    A graph that does not take the chosen sizes is planned later, see ``unplanned_model``.

    Args:
        graph: a verified graph, which must not be changed afterwards.
        settings: of the user.
        warnings: gets the warnings for the user, also of a compilation that fails.
        shapes: other shapes than the declared ones, by input name.

    Raises:
        InputError: a name of ``shapes`` is no input, or a shape does not fit the declared one.
        LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
    """
    return of_parts(graph_parts(graph, settings, [] if warnings is None else warnings, shapes))


def graph_parts(
    graph: Graph, settings: Settings, warnings: list[str], shapes: Mapping[str, Sequence[int]] = NO_SHAPES
) -> ModelParts:
    """The parts of the compiled model that ``compile_graph`` makes, with the same arguments."""
    given = given_shapes(graph.inputs, shapes)
    closed = close_shapes([v for v in graph.inputs if v not in given])
    return planned_anew(graph, given, settings, Notices(warnings=warnings), closed)


def compile_for_shapes(
    graph: Graph, shapes: Sequence[Sequence[int]], settings: Settings, warnings: list[str]
) -> CompiledModel:
    """Plans a graph for any shapes of its inputs, declared or not; no graph kernel is reused, unlike in ``reshaped``.

    Args:
        graph, settings, warnings: as for ``compile_graph``.
        shapes: of the inputs, in order.

    Raises:
        LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
    """
    given = {value: tuple(shape) for value, shape in zip(graph.inputs, shapes, strict=True)}
    return of_parts(planned_anew(graph, given, settings, Notices(warnings=warnings)))
