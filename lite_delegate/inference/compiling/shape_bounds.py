"""Models of files that leave dimensions open: compiled for usual shapes, they are opened for all that these allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from ..model_file.parts import ModelParts
from ..tensors.port import Bounds, Ranges, ranges, ranges_of

ALL_OPEN: Mapping[str, Ranges] = MappingProxyType({})


def opened(parts: ModelParts, bounded: Mapping[str, Ranges] = ALL_OPEN) -> ModelParts:
    """The parts of a model that was compiled for the usual shapes of its file, opened for all that the file allows.

    Args:
        parts: of the model; where ``bounded`` has an input, compiled for its largest shape.
        bounded: what the dimensions of inputs may be, by name, where the user said so.
    """
    bounds = _bounds_of(parts, bounded)
    return parts if bounds is None else replace(parts, bounds=bounds)


def _bounds_of(parts: ModelParts, bounded: Mapping[str, Ranges]) -> Bounds | None:
    """What the dimensions of a model's inputs may be where its file leaves them open; None where it leaves none.

    Those of inputs that were given shapes are what was given.
    """
    closed = parts.closed_shapes.shapes
    if parts.bounds is not None:  # its file said so
        return parts.bounds
    if not closed and not bounded:
        return None
    return tuple(
        bounded.get(value.name, ranges(value.shape or ()) if value in closed else ranges_of(tensor))
        for value, tensor in zip(parts.graph.inputs, parts.scheduled.plan.inputs, strict=True)
    )
