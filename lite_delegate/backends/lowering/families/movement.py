"""Operators that move elements: reshapes, transposes, concatenations, slices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from ....delegate import Kernel, RejectCode
from ....ir.primitives import (
    Concat,
    Crop,
    FormatTranspose,
    ReverseV2,
    SliceFusion,
    Split,
    SplitWithOverlap,
    Stack,
    StridedSlice,
    Unstack,
)
from ....semantics.operands import int_values, normalized, operand, primitive_of, required
from ....semantics.slicing import Grid, SlicedPart, crop_cut, slice_cut, split_cuts, strided_cut, unstack_cuts
from ....tensors.tensor import Tensor
from ..lowering import Lowering, constant_value, wanted
from ..term import Lowered
from .common_order import common_order
from .elementwise import as_it_lies
from .reshaping import reshaped
from .results import as_model, given_shape

HUGE = np.iinfo(np.int64).max


def lower_depend(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The first input. The order that Depend asks for does not matter: the operators of a run have no effects."""
    return lowering.value(required(kernel, 0))


def lower_reshape(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Lowers Reshape: the elements of the input in another shape."""
    return reshaped(lowering, lowering.value(required(kernel, 0)), given_shape(kernel))


def lower_transpose(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Axes under other names: nothing is written."""
    value, rank = lowering.value(required(kernel, 0)), lowering.value(required(kernel, 0)).rank
    given = [normalized(axis, rank) for axis in known(kernel, 1, "the permutation")]
    return transposed(value, _permutation(given, rank))


def transposed(value: Lowered, permutation: Sequence[int]) -> Lowered:
    """A tensor whose axis i is axis ``permutation[i]`` of another."""
    shape = tuple(value.shape[axis] for axis in permutation)
    if value.constant is not None:
        return constant_value(value.constant.transpose(permutation))
    place = {axis: i for i, axis in enumerate(permutation)}
    made = {tuple(place[axis] for axis in order): term for order, term in value.made.items()}
    return Lowered(shape, value.dtype, tuple(place[axis] for axis in value.order), value.term, made=made)


def _permutation(given: Sequence[int], rank: int) -> list[int]:
    """The permutation that MindSpore Lite makes of the given axes.

    No axes reverse the order; four axes for a tensor of three swap its last two; any other number is the identity.
    """
    if not given:
        return list(range(rank))[::-1]
    if len(given) == 4 and rank == 3:
        return [0, 2, 1]
    return list(given) if len(given) == rank else list(range(rank))


def lower_concat(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Operands one behind the other."""
    values = [lowering.value(tensor) for tensor in kernel.inputs]
    axis = normalized(primitive_of(kernel, Concat).axis, values[0].rank)
    shape = given_shape(kernel)
    order = common_order(values, len(shape))
    terms = [lowering.in_order(value, order) for value in values]
    physical = tuple(shape[each] for each in order)
    term = lowering.emit("Concat", terms, values[0].dtype, physical, axis=order.index(axis))
    return Lowered(shape, term.dtype, order, term)


def lower_stack(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Operands one behind the other along a new axis."""
    shape = given_shape(kernel)
    axis = normalized(primitive_of(kernel, Stack).axis, len(shape))
    part = (*shape[:axis], 1, *shape[axis + 1 :])
    values = [reshaped(lowering, lowering.value(tensor), part) for tensor in kernel.inputs]
    terms = [lowering.in_order(value) for value in values]
    return as_model(lowering.emit("Concat", terms, terms[0].dtype, shape, axis=axis))


def lower_split(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """Parts one behind the other along an axis."""
    value, given = lowering.value(required(kernel, 0)), operand(kernel, 1)
    sizes = None if given is None else known(kernel, 1, "the sizes")
    cuts = split_cuts(value.shape, primitive_of(kernel, Split), sizes, len(kernel.outputs))
    axis = normalized(primitive_of(kernel, Split).axis, value.rank)
    place = value.order.index(axis)
    shapes = [tuple(cut.shape[each] for each in value.order) for cut in cuts]
    if len(cuts) == 1:
        return [value]
    terms = lowering.emit_several(
        "Split",
        [as_it_lies(lowering, value), lowering.ints([cut.shape[axis] for cut in cuts])],
        [(value.dtype, shape) for shape in shapes],
        axis=place,
    )
    return [Lowered(cut.shape, value.dtype, value.order, term) for cut, term in zip(cuts, terms, strict=True)]


def lower_unstack(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """Parts of one position along an axis, without it."""
    value = lowering.value(required(kernel, 0))
    cuts = unstack_cuts(value.shape, primitive_of(kernel, Unstack).axis, len(kernel.outputs))
    return [_cut(lowering, value, cut) for cut in cuts]


def lower_split_with_overlap(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """Parts of one axis in given ratios, each extended into its neighbors."""
    value, primitive = lowering.value(required(kernel, 0)), primitive_of(kernel, SplitWithOverlap)
    axis, ratios, count = primitive.split_dim, primitive.ratio or (), len(kernel.outputs)
    dim, borders = value.shape[axis], list(accumulate(ratios, initial=0))
    tops, zeros = primitive.extend_top or (0,) * count, (0,) * value.rank
    made = []
    for place in range(count):
        start = -(-dim * borders[place] // borders[-1]) - tops[place]
        starts = (*zeros[:axis], start, *zeros[axis + 1 :])
        made.append(sliced(lowering, value, Grid(starts, given_shape(kernel, place), (1,) * value.rank)))
    return made


def lower_slice_fusion(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A box of the input."""
    value = lowering.value(required(kernel, 0))
    begin, size = known(kernel, 1, "begin"), known(kernel, 2, "size")
    return _cut(lowering, value, slice_cut(value.shape, begin, size, primitive_of(kernel, SliceFusion).axes))


def lower_strided_slice(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Every n-th position of ranges of the input."""
    value = lowering.value(required(kernel, 0))
    begin, end, third = (known(kernel, position, "begin, end and strides") for position in (1, 2, 3))
    fourth = None if operand(kernel, 4) is None else known(kernel, 4, "strides")
    strides, axes = (third, None) if fourth is None else (fourth, third)
    return _cut(
        lowering, value, strided_cut(value.shape, primitive_of(kernel, StridedSlice), begin, end, strides, axes)
    )


def lower_crop(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A box of the input with the second input's shape."""
    value = lowering.value(required(kernel, 0))
    return _cut(lowering, value, crop_cut(value.shape, primitive_of(kernel, Crop), tuple(required(kernel, 1).shape)))


def lower_reverse(kernel: Kernel, lowering: Lowering) -> Lowered:
    """The order of elements along axes turned round."""
    value = lowering.value(required(kernel, 0))
    axes = {normalized(axis, value.rank) for axis in primitive_of(kernel, ReverseV2).axis or ()}
    starts = tuple(dim - 1 if axis in axes else 0 for axis, dim in enumerate(value.shape))
    return sliced(lowering, value, Grid(starts, value.shape, tuple(-1 if a in axes else 1 for a in range(value.rank))))


def lower_format_transpose(kernel: Kernel, lowering: Lowering) -> Lowered:
    """Axes in another order, by names of formats."""
    primitive, value = primitive_of(kernel, FormatTranspose), lowering.value(required(kernel, 0))
    source, target = primitive.src_format.name, primitive.dst_format.name
    fits = source.isalpha() and sorted(source) == sorted(target) and len(source) == value.rank
    wanted(fits, RejectCode.ATTRIBUTE, "formats of the same letters", f"are {source} and {target}")
    return transposed(value, [source.index(letter) for letter in target])


def lower_dropout(kernel: Kernel, lowering: Lowering) -> list[Lowered]:
    """The input, and a mask of ones."""
    value = lowering.value(required(kernel, 0))
    mask = constant_value(np.ones(value.shape, value.dtype))
    return [value, mask][: len(kernel.outputs)]


def _cut(lowering: Lowering, value: Lowered, cut: SlicedPart) -> Lowered:
    """A part of a tensor; no operator is written for the whole tensor."""
    return reshaped(lowering, sliced(lowering, value, cut.positions), cut.shape)


def sliced(lowering: Lowering, value: Lowered, grid: Grid) -> Lowered:
    """The elements of a grid of a tensor's places."""
    named = [
        (place, axis)
        for place, axis in enumerate(value.order)
        if (grid.starts[axis], grid.counts[axis], grid.strides[axis]) != (0, value.shape[axis], 1)
    ]
    if not named:
        return value
    starts = [grid.starts[axis] for _, axis in named]
    ends = [_end(grid, axis) for _, axis in named]
    operands = [starts, ends, [place for place, _ in named], [grid.strides[axis] for _, axis in named]]
    physical = tuple(grid.counts[axis] for axis in value.order)
    source = as_it_lies(lowering, value)
    term = lowering.emit("Slice", [source, *map(lowering.ints, operands)], value.dtype, physical)
    return Lowered(grid.counts, value.dtype, value.order, term)


def _end(grid: Grid, axis: int) -> int:
    """The first position that is not taken; one before the first element is far below all."""
    end = grid.starts[axis] + grid.counts[axis] * grid.strides[axis]
    return end if end >= 0 else -HUGE


def known(kernel: Kernel, position: int, what: str) -> tuple[int, ...]:
    """The elements of an input that must be constant.

    Raises:
        NotLowered: the input is not constant; ``what`` names its contents.
    """
    tensor: Tensor = required(kernel, position)
    wanted(tensor.is_const, RejectCode.NOT_CONSTANT, f"{what} must be constant", f"'{tensor.name}' is not")
    return int_values(tensor)


LOWERINGS = {
    **dict.fromkeys(("Reshape", "Flatten", "Squeeze", "Unsqueeze", "ExpandDims"), lower_reshape),
    "Depend": lower_depend,
    "Transpose": lower_transpose,
    "Concat": lower_concat,
    "Stack": lower_stack,
    "Split": lower_split,
    "SplitWithOverlap": lower_split_with_overlap,
    "Unstack": lower_unstack,
    "SliceFusion": lower_slice_fusion,
    "StridedSlice": lower_strided_slice,
    "Crop": lower_crop,
    "ReverseV2": lower_reverse,
    "FormatTranspose": lower_format_transpose,
    "Dropout": lower_dropout,
}
