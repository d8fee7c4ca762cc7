"""Models of files that leave dimensions open: compiled for usual shapes, they are opened for all that these allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from ..model.compiled_model import CompiledModel, of_parts
from ..planned.planned_graph import PlannedGraph
from ..tensors.port import Bounds, Ranges, ranges

ALL_OPEN: Mapping[str, Ranges] = MappingProxyType({})


def opened(model: CompiledModel, bounded: Mapping[str, Ranges] = ALL_OPEN) -> CompiledModel:
    """A model that was compiled for the usual shapes of a file that leaves dimensions open, for all shapes of it.

    Args:
        model: compiled; where ``bounded`` has an input, for its largest shape.
        bounded: what the dimensions of inputs may be, by name, where the user said so.
    """
    if model.parts().bounds is not None:  # its file said so
        return model
    bounds = _bounds_of(model, bounded)
    if bounds is None:
        return model
    return of_parts(replace(model.parts(), bounds=bounds), model.origin)


def _bounds_of(model: PlannedGraph, bounded: Mapping[str, Ranges]) -> Bounds | None:
    """What the dimensions of a model's inputs may be where its file leaves them open; None where it leaves none.

    Those of inputs that were given shapes are what was given.

    Args:
        model: compiled.
        bounded: what was given as ranges, by input.
    """
    closed = model.closed_shapes.shapes
    if not closed and not bounded:
        return None
    return tuple(
        bounded.get(value.name, ranges(value.shape or ()) if value in closed else port.ranges)
        for value, port in zip(model.graph.inputs, model.inputs, strict=True)
    )
