"""Padding: runs of a model with bounded dimensions use plans for a few sizes, where the operators allow padding."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from lite_delegate_kernels import Array, ArraySpec

from ...basics.data_class import dataclass
from ...errors import LiteDelegateError
from ...ir import Graph, Node, Value
from ...runtime.binding.inference import input_spec
from ...runtime.binding.specs import spec_of_value
from ...runtime.settings import Settings
from ..tensors.port import Bounds
from .corners import Pair, corner, is_shape_operand, keeps_corners
from .element_moves import MOVES, Specs, can_be_tried, moves_alike

if TYPE_CHECKING:
    from ...runtime.planning.shapes.inferring import InferredModel

Shapes = tuple[tuple[int, ...], ...]
MOST_PROOFS = 256
MOST_SIZES = 16
MAIN = 0


@dataclass(frozen=True, slots=True)
class Padded:
    """The padding of a run.

    Attributes:
        shapes: of the padded inputs, or of the inputs of a run without padding.
        outputs: the shapes of the outputs without padding.
        reason: why the run is not padded; "" for a run with padding, or without need of padding.
    """

    shapes: Shapes
    outputs: Shapes = ()
    reason: str = ""

    def inputs(self, arrays: Sequence[Array]) -> list[Array]:
        """The inputs with their last elements repeated: an operator that takes the inputs takes these values, too."""
        return [_padded(array, shape) for array, shape in zip(arrays, self.shapes, strict=True)]

    def results(self, arrays: Sequence[Array]) -> list[Array]:
        """The outputs without the part of the padding."""
        return [np.ascontiguousarray(array[corner(shape)]) for array, shape in zip(arrays, self.outputs, strict=True)]


class Padding:
    """The choice of planned sizes, and the proof that runs of other sizes may be padded to a planned size.

    A bounded dimension is planned for powers of two, and for its upper bound. A run is padded if every node's result is
    the leading part of its padded result, by the rules of ``corners``. Each set of shapes has a proof of its own.

    Args:
        graph: of the model.
        settings: of the compilation.
        bounds: of the inputs.
    """

    def __init__(self, graph: Graph, settings: Settings, bounds: Bounds) -> None:
        self._graph, self._settings, self._bounds = graph, settings, bounds
        self.of = lru_cache(MOST_PROOFS)(self._of)
        self._large = lru_cache(MOST_SIZES)(self._inferred)

    def _of(self, shapes: Shapes) -> Padded:
        """The padding of a run with given input shapes."""
        sizes = self.sizes(shapes)
        if sizes == shapes:
            return Padded(shapes)
        try:
            small, large = self._inferred(shapes), self._large(sizes)
            reason = why_not_padded(small, large)
        except LiteDelegateError as e:
            return Padded(shapes, reason=str(e))
        if reason:
            return Padded(shapes, reason=reason)
        return Padded(sizes, tuple(_shape(small, value) for value in small.graph.outputs))

    def sizes(self, shapes: Shapes) -> Shapes:
        """The planned shapes for given shapes: each bounded dimension is the next power of two, or its upper bound."""
        return tuple(
            shape if ranges is None else tuple(map(_size, shape, ranges))
            for shape, ranges in zip(shapes, self._bounds, strict=True)
        )

    @property
    def note(self) -> str:
        """One line for the report on the padding of runs, by the smallest shapes to pad; "" without padding."""
        found = self.of(tuple(tuple(map(_example, ranges or ())) for ranges in self._bounds))
        if found.reason:
            return f"Bounded dimensions: each run is planned for its own shapes, because {found.reason}"
        return "Bounded dimensions: runs are padded to the next power of two, or the bound" if found.outputs else ""

    def _inferred(self, shapes: Shapes) -> InferredModel:
        from ...runtime.planning.shapes.inferring import InferredModel

        return InferredModel(self._graph, dict(zip(self._graph.inputs, shapes, strict=True)), self._settings)


def _padded(array: Array, shape: tuple[int, ...]) -> Array:
    if array.shape == shape or min(shape, default=0) < 0:  # strings have no size
        return array
    return np.pad(array, [(0, size - had) for had, size in zip(array.shape, shape, strict=True)], mode="edge")


def _shape(model: InferredModel, value: Value) -> tuple[int, ...]:
    spec = spec_of_value(value, model.specs[MAIN])
    return (spec.shape if isinstance(spec, ArraySpec) else None) or ()


def needs_padding(settings: Settings, bounds: Bounds | None) -> bool:
    """Whether runs may be padded: a dimension has an upper bound, and a device compiles the plans."""
    pairs = [pair for ranges in bounds or () for pair in ranges or ()]
    return bool(settings.delegates) and any(most is not None and least != most for least, most in pairs)


def _size(size: int, extents: tuple[int, int | None]) -> int:
    least, most = extents
    return size if most is None or least == most or size < 1 else min(1 << (size - 1).bit_length(), most)


def _example(extents: tuple[int, int | None]) -> int:
    least, most = extents
    if most is None:
        return max(least, 1)
    return next((size for size in range(least, min(least + 2, most) + 1) if _size(size, extents) != size), least)


def why_not_padded(small: InferredModel, large: InferredModel) -> str:
    """Why a run cannot be padded, naming the first node that keeps no corners; "" if padding is allowed.

    Args:
        small: the model for the inputs without padding.
        large: the model for the padded inputs.
    """
    if len(small.specs) > 1:
        return "the model has control flow"
    if small.state_names:
        return f"the model has state '{small.state_names[0]}'"
    nodes = small.graph.nodes, large.graph.nodes
    if [node.primitive for node in nodes[0]] != [node.primitive for node in nodes[1]]:
        return "the model computes otherwise for other shapes"
    for node, same in zip(*nodes, strict=True):
        reason = _misfit(node, same, small, large)
        if reason:
            return f"node '{node.name}' ({node.op_type}) {reason}"
    return ""


def _misfit(node: Node, same: Node, small: InferredModel, large: InferredModel) -> str:
    inputs, outputs, moving = [], [], _moving(node, same, small, large)
    for position, values in enumerate(zip(node.inputs, same.inputs, strict=True)):
        is_told = is_shape_operand(node.op_type, position) or (moving is not None and position > 0)
        pair = None if is_told else _pair(*values, small, large)
        if isinstance(pair, str):
            return pair
        if pair is not None:
            inputs.append(pair)
    for both in zip(node.outputs, same.outputs, strict=True):
        found = _pair(*both, small, large)
        if not isinstance(found, Pair):
            return found or "has a result that is not known"
        outputs.append(found)
    is_kept = keeps_corners(node.primitive, inputs, outputs) if moving is None else moves_alike((node, same), moving)
    return "" if is_kept else "cannot be padded"


def _moving(node: Node, same: Node, small: InferredModel, large: InferredModel) -> tuple[Specs, Specs] | None:
    """The specs of a node's inputs in both plans, for a node that moves elements to known positions; None otherwise."""
    if node.op_type not in MOVES:
        return None
    found = _inputs(node, small), _inputs(same, large)
    return found if all(map(can_be_tried, found)) else None


def _inputs(node: Node, model: InferredModel) -> Specs:
    return [input_spec(value, model.specs[MAIN]) for value in node.inputs]


def _pair(one: Value | None, other: Value | None, small: InferredModel, large: InferredModel) -> Pair | str | None:
    """A value in both plans; None for an absent value, or the reason why the small value is no corner of the large."""
    if one is None or other is None:
        return None if one is other else "reads something else"
    a, b = spec_of_value(one, small.specs[MAIN]), spec_of_value(other, large.specs[MAIN])
    if not (isinstance(a, ArraySpec) and isinstance(b, ArraySpec) and a.known and b.known):
        return "has shapes that follow from data"
    before, after = a.shape or (), b.shape or ()
    if len(before) != len(after) or any(x > y for x, y in zip(before, after, strict=True)):
        return "gives a smaller result for larger inputs"
    if a.value is b.value:
        return Pair(before, after, a.value)
    if a.value is None or b.value is None or not np.array_equal(a.value, b.value[corner(before)]):
        return "depends on the size"
    return Pair(before, after, a.value if before == after else None)
