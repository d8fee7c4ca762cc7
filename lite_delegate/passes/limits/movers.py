"""Movers: the operators that only move elements, as steps of a movement."""

from __future__ import annotations

from collections.abc import Callable

from lite_delegate_kernels import KernelInputError
from lite_delegate_kernels.op_strided_slice import strided_pieces

from ...ir import Node
from ...ir.traits import SIDE_EFFECTS
from .facts import RewriteFacts
from .movement import Movement, Shape

MoverFunction = Callable[[Node, int, Movement, RewriteFacts], Movement | None]
"""Maps a node, the number of an output, and the movement that gives the node's input to the movement of the output.

None where the output is no movement of the input, or may not be."""


def is_mover(node: Node, facts: RewriteFacts) -> bool:
    """True for a node that only moves elements of its first input, all of one quantization."""
    x = node.inputs[0] if node.inputs else None
    if node.op_type not in MOVERS or x is None or x.is_constant or len(x.quant_params) > 1:
        return False
    if node.op_type in SIDE_EFFECTS or any(v in facts.draft.variables for v in node.inputs if v is not None):
        return False
    return all(output.quant_params == x.quant_params and output.dtype == x.dtype for output in node.outputs)


def moved(node: Node, output: int, movement: Movement, facts: RewriteFacts) -> Movement | None:
    """The movement of an output of a mover, from the one of its input; None where it is none."""
    shape = facts.shape(node.outputs[output])
    made = None if shape is None else MOVERS[node.op_type](node, output, movement, facts)
    return made if made is not None and made.shape == shape else None


def _reshaped(node: Node, output: int, movement: Movement, facts: RewriteFacts) -> Movement | None:
    shape = facts.shape(node.outputs[output])
    return None if shape is None else movement.reshaped(shape)


def _transposed(node: Node, output: int, movement: Movement, facts: RewriteFacts) -> Movement | None:
    axes, rank = facts.ints(node.inputs[1]), len(movement.shape)
    if axes is None or sorted(axis % max(rank, 1) for axis in axes) != list(range(rank)):
        return None
    return movement.transposed([axis % rank for axis in axes])


def _split(node: Node, output: int, movement: Movement, facts: RewriteFacts) -> Movement | None:
    axis = int(node.primitive.attributes()["axis"]) % len(movement.shape)
    shapes = [facts.shape(value) for value in node.outputs[: output + 1]]
    sizes = [shape[axis] for shape in shapes if shape is not None]
    if len(sizes) != len(shapes):
        return None
    return movement.sliced(axis, sum(sizes[:-1]), sum(sizes))


def _unstacked(node: Node, output: int, movement: Movement, facts: RewriteFacts) -> Movement | None:
    axis = int(node.primitive.attributes()["axis"]) % len(movement.shape)
    return _picked(movement, axis, output)


def _gathered(node: Node, output: int, movement: Movement, facts: RewriteFacts) -> Movement | None:
    indices, axes = facts.ints(node.inputs[1]), facts.ints(node.inputs[2])
    shape = facts.shape(node.outputs[output])
    if indices is None or axes is None or shape is None or len(indices) != 1 or len(axes) != 1:
        return None
    axis = axes[0] % len(movement.shape)
    picked = _picked(movement, axis, indices[0] % movement.shape[axis])
    return None if picked is None else picked.reshaped(shape)


def _boxed(node: Node, output: int, movement: Movement, facts: RewriteFacts) -> Movement | None:
    begin, size = facts.ints(node.inputs[1]), facts.ints(node.inputs[2])
    shape, rank = facts.shape(node.outputs[output]), len(movement.shape)
    axes = [axis % rank for axis in node.primitive.attributes()["axes"] or range(rank)]
    if begin is None or size is None or shape is None or not len(axes) == len(begin) == len(shape) == rank:
        return None
    return _cut(movement, {axis: (start, 1, shape[axis]) for axis, start in zip(axes, begin, strict=True)})


def _strided(node: Node, output: int, movement: Movement, facts: RewriteFacts) -> Movement | None:
    arrays = [facts.constant(value) for value in node.inputs[1:]]
    shape, attributes = facts.shape(node.outputs[output]), node.primitive.attributes()
    if shape is None or len(arrays) not in (3, 4) or any(array is None for array in arrays):
        return None
    begin, end, third, fourth = (*arrays, None)[:4]
    masks = tuple(int(attributes[f"{name}_mask"]) for name in _MASKS)
    try:
        pieces = strided_pieces(movement.shape, (begin, end, third, fourth), masks)  # type: ignore[arg-type]
    except KernelInputError:
        return None
    ranges = {}
    for axis, index in enumerate(piece.index for piece in pieces if piece.index is not None):
        places = range(movement.shape[axis])[index] if isinstance(index, slice) else range(index, index + 1)
        ranges[axis] = places.start, places.step, len(places)
    cut = _cut(movement, ranges)
    return None if cut is None else cut.reshaped(shape)


def _cut(movement: Movement, ranges: dict[int, tuple[int, int, int]]) -> Movement | None:
    """The places of each axis from the first on, in steps of the second, as many as the third number."""
    made: Movement | None = movement
    for axis, (start, step, count) in ranges.items():
        if made is None or count < 1 or step < 1:
            return None
        made = made.sliced(axis, start, start + count) if step == 1 else _every(made, axis, start, step, count)
    return made


def _every(movement: Movement, axis: int, start: int, step: int, count: int) -> Movement | None:
    """The movement to every ``step``-th place of an axis that has a whole number of such steps, to its end."""
    size = movement.shape[axis]
    if size % step or start >= step or count != size // step:
        return None
    before, behind = movement.shape[:axis], movement.shape[axis + 1 :]
    made = movement.reshaped((*before, size // step, step, *behind)).sliced(axis + 1, start, start + 1)
    return None if made is None else made.reshaped((*before, size // step, *behind))


def _picked(movement: Movement, axis: int, index: int) -> Movement | None:
    made = movement.sliced(axis, index, index + 1)
    return None if made is None else made.reshaped(movement.shape[:axis] + movement.shape[axis + 1 :])


def _depth_to_space(node: Node, output: int, movement: Movement, facts: RewriteFacts) -> Movement | None:
    attributes = node.primitive.attributes()
    n, h, w, c = movement.shape
    b = int(attributes["block_size"])
    left = c // (b * b)
    if attributes["mode"] == "CRD":
        return _blocks(movement, (n, h, w, left, b, b), (0, 1, 4, 2, 5, 3), (n, h * b, w * b, left))
    return _blocks(movement, (n, h, w, b, b, left), (0, 1, 3, 2, 4, 5), (n, h * b, w * b, left))


def _space_to_depth(node: Node, output: int, movement: Movement, facts: RewriteFacts) -> Movement | None:
    n, h, w, c = movement.shape
    b = int(node.primitive.attributes()["block_size"])
    return _blocks(movement, (n, h // b, b, w // b, b, c), (0, 1, 3, 2, 4, 5), (n, h // b, w // b, c * b * b))


def _blocks(movement: Movement, blocks: Shape, axes: Shape, shape: Shape) -> Movement | None:
    made = movement.reshaped(blocks).transposed(axes)
    return None if made is None else made.reshaped(shape)


_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
MOVERS: dict[str, MoverFunction] = {
    "DepthToSpace": _depth_to_space,
    "ExpandDims": _reshaped,
    "Flatten": _reshaped,
    "Gather": _gathered,
    "Reshape": _reshaped,
    "SliceFusion": _boxed,
    "SpaceToDepth": _space_to_depth,
    "Split": _split,
    "Squeeze": _reshaped,
    "StridedSlice": _strided,
    "Transpose": _transposed,
    "Unsqueeze": _reshaped,
    "Unstack": _unstacked,
}
"""By operator."""
