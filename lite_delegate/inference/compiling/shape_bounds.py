"""The bounds of models with open dimensions: a model that was compiled for usual shapes runs with all shapes within."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from ..model_file.parts import ModelParts
from ..tensors.port import Bounds, Ranges, ranges, ranges_of

ALL_OPEN: Mapping[str, Ranges] = MappingProxyType({})


def opened(parts: ModelParts, bounded: Mapping[str, Ranges] = ALL_OPEN) -> ModelParts:
    """The parts of a model that was compiled for usual shapes, with the bounds that its file allows.

    Args:
        parts: of the model; an input of ``bounded`` was compiled for its largest shape.
        bounded: the ranges that the user gave for the dimensions of inputs, by name.
    """
    bounds = _bounds_of(parts, bounded)
    return parts if bounds is None else replace(parts, bounds=bounds)


def _bounds_of(parts: ModelParts, bounded: Mapping[str, Ranges]) -> Bounds | None:
    """The bounds of a model's inputs; None for a model without open dimensions.

    The bounds of an input whose shape or ranges the user gave are the given ones.
    """
    closed = parts.closed_shapes.shapes
    if parts.bounds is not None:  # from the file of the compiled model
        return parts.bounds
    if not closed and not bounded:
        return None
    return tuple(
        bounded.get(value.name, ranges(value.shape or ()) if value in closed else ranges_of(tensor))
        for value, tensor in zip(parts.graph.inputs, parts.scheduled.plan.inputs, strict=True)
    )
