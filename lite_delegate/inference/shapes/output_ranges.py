"""The ranges of a model's output dimensions, from the bounds of its inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from lite_delegate_kernels import ArraySpec, Shape

from ...errors import LiteDelegateError
from ...ir import Graph
from ...runtime.binding.specs import spec_of_value
from ...runtime.settings import Settings
from ...tensors.tensor import Tensor
from ..tensors.port import Bounds, Ranges, ranges_of

MOST_APART = 3
"""The maximum number of input dimensions that are tried one by one, each at one end with all others at the other."""
MAIN = 0
Shapes = tuple[Shape, ...]
OPEN = (0, None)


def output_ranges(graph: Graph, settings: Settings, bounds: Bounds, declared: Sequence[Tensor]) -> list[Ranges | None]:
    """The ranges of outputs. An output dimension has a range if it grows or shrinks with the input dimensions.

    The inference at the bounds, and between, decides. Dimensions that are not monotone or follow from data are open,
    and all dimensions of a model with an input dimension without an upper bound.

    Args:
        graph: of the model.
        settings: of the compilation.
        bounds: of the inputs.
        declared: the outputs for any input shapes.
    """
    plain = [ranges_of(tensor) for tensor in declared]
    if all(each is not None and all(least == most for least, most in each) for each in plain):
        return plain
    if any(each is None or any(most is None for _, most in each) for each in bounds):
        return plain
    line = [_outputs(graph, settings, shapes) for shapes in _line(bounds)]
    found = [shapes for shapes in line if shapes]
    if not (line[0] and line[-1]):
        return plain
    apart = [shapes for each in _corners(bounds) if (shapes := _outputs(graph, settings, each))]
    return [
        _ranges([shapes[number] for shapes in found], [shapes[number] for shapes in apart], had)
        for number, had in enumerate(plain)
    ]


def _ranges(line: Sequence[Shape | None], apart: Sequence[Shape | None], declared: Ranges | None) -> Ranges | None:
    """The ranges of one output, from its shapes for inputs from the least to the largest, and for mixed corners."""
    shapes = [shape for shape in (*line, *apart) if shape is not None]
    if len(shapes) < len(line) + len(apart) or len({len(shape) for shape in shapes}) != 1:
        return declared
    way = [tuple(sizes) for sizes in zip(*shapes[: len(line)], strict=True)]
    return tuple(
        (min(sizes), max(sizes)) if min(sizes) >= 0 and _is_monotone(way[axis]) else OPEN
        for axis, sizes in enumerate(zip(*shapes, strict=True))
    )


def _is_monotone(sizes: Sequence[int]) -> bool:
    pairs = list(pairwise(sizes))
    return all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)


def _line(bounds: Bounds) -> list[Shapes]:
    """Input shapes from the least to the largest, with all dimensions growing together."""
    pairs = [_pairs(each) for each in bounds]
    found = [tuple(tuple(least for least, _ in each) for each in pairs)]
    found.append(tuple(tuple(min(least + 1, most) for least, most in each) for each in pairs))
    for quarters in (1, 2, 4):
        found.append(tuple(tuple(least + (most - least) * quarters // 4 for least, most in each) for each in pairs))
    return list(dict.fromkeys(found))


def _corners(bounds: Bounds) -> Iterator[Shapes]:
    """Input shapes with one dimension at one end of its range, and all other dimensions at the other end."""
    places = [
        (number, axis)
        for number, each in enumerate(bounds)
        for axis, (least, most) in enumerate(_pairs(each))
        if least != most
    ]
    if not 1 < len(places) <= MOST_APART:
        return
    for place in places:
        for end in (0, 1):
            yield tuple(
                tuple(pair[end if (number, axis) == place else 1 - end] for axis, pair in enumerate(_pairs(each)))
                for number, each in enumerate(bounds)
            )


def _pairs(ranges: Ranges | None) -> list[tuple[int, int]]:
    return [(least, least if most is None else most) for least, most in ranges or ()]


def _outputs(graph: Graph, settings: Settings, shapes: Shapes) -> list[Shape | None]:
    """The shapes of the outputs, None for an unknown shape; an empty list if the model rejects the inputs."""
    from ...runtime.planning.shapes.inferring import InferredModel

    try:
        given = dict(zip(graph.inputs, shapes, strict=True))
        specs = InferredModel(graph, given, replace(settings, folds=False)).specs[MAIN]
    except LiteDelegateError:
        return []
    known = (spec_of_value(value, specs) for value in graph.outputs)
    return [spec.shape if isinstance(spec, ArraySpec) else None for spec in known]
