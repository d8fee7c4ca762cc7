"""Corners: rules for nodes whose output for smaller inputs is the leading part of the output for larger inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from lite_delegate_kernels import Array, Shape

from ...basics.data_class import dataclass
from ...ir import Primitive, custom_type
from ...ir.traits import ALONG_AXIS, ELEMENTWISE, VIEWS, ElementPattern, of_pattern

MOST_ELEMENTS = 1 << 22
"""The maximum size of a tensor whose reshape is tried element by element."""
GRU_WITH_LENGTHS = 6
"""The number of inputs of a GRU node with sequence lengths."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One tensor in two plans.

    Attributes:
        small: the shape for the inputs without padding.
        large: the shape for the padded inputs; no dimension is smaller.
        value: the contents, where both plans have an equal constant.
    """

    small: Shape
    large: Shape
    value: Array | None = None

    @property
    def is_same(self) -> bool:
        """True where no dimension is padded."""
        return self.small == self.large

    def is_same_along(self, axis: int) -> bool:
        """True where a dimension is not padded; a negative axis counts from the end."""
        return -len(self.small) <= axis < len(self.small) and self.small[axis] == self.large[axis]

    def is_same_from(self, axis: int) -> bool:
        """True where a dimension and all later dimensions are not padded."""
        return self.small[axis:] == self.large[axis:]


Rule = Callable[[Primitive, Sequence[Pair], Sequence[Pair]], bool]
"""Whether a node keeps corners: if each small input is the leading corner of the large input, so is each output."""


def corner(shape: Shape) -> tuple[slice, ...]:
    """The slices of a tensor's leading part."""
    return tuple(slice(0, size) for size in shape)


def _spreads(operand: Pair, result: Pair) -> bool:
    """Whether an operand broadcasts a dimension in both plans or in neither."""
    sizes = zip(operand.small[::-1], operand.large[::-1], result.small[::-1], strict=False)
    return all(small == large or small != 1 or out == 1 for small, large, out in sizes)


def _by_element(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    return all(_spreads(each, outputs[0]) for each in inputs)


def _alike(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    """Element-wise, with operands of the result's rank, or of one element."""
    has_axes = all(len(each.small) == len(outputs[0].small) or math.prod(each.large) == 1 for each in inputs)
    return has_axes and _by_element(primitive, inputs, outputs)


def _with_parameters(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    """Element-wise, with parameters along one dimension."""
    return all(each.is_same for each in inputs[1:])


def _by_item(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    """Independent items along dimension 0."""
    return inputs[0].is_same_from(1) and all(each.is_same for each in inputs[1:])


def _always(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    return all(each.is_same for each in inputs[1:])


def _along_axis(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    """Elements along an axis depend on each other; without an axis all elements do."""
    given = primitive.attributes()["axis"]
    axes = range(len(inputs[0].small)) if given in (None, ()) else np.atleast_1d(given)
    return all(inputs[0].is_same_along(int(axis)) for axis in axes)


def _reduce(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    data = inputs[0]
    given = inputs[1].value if len(inputs) > 1 else None
    if given is None or not given.size:
        return data.is_same
    if primitive.attributes()["reduce_to_end"]:
        return data.is_same_from(int(given.reshape(-1)[0]))
    return all(data.is_same_along(int(axis)) for axis in given.reshape(-1))


def _layer_norm(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    begin = int(primitive.attributes()["begin_norm_axis"])
    return inputs[0].is_same_from(begin) and all(each.is_same for each in inputs[1:])


def _product(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    a, b, *bias = inputs
    attributes, result = primitive.attributes(), outputs[0]
    if min(len(a.small), len(b.small)) < 2:
        return False
    shared = (
        a.is_same_along(-2 if attributes["transpose_a"] else -1),
        b.is_same_along(-1 if attributes["transpose_b"] else -2),
    )
    batches = [Pair(each.small[:-2], each.large[:-2]) for each in (a, b, result)]
    return all(shared) and all(_spreads(each, batches[2]) for each in batches[:2]) and all(p.is_same for p in bias)


def _dense(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    return len(inputs[0].small) == len(outputs[0].small) and _by_item(primitive, inputs, outputs)


def _reshaped(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    """Tries every element of the corner; the outputs have the new shape."""
    before, after = inputs[0], outputs[0]
    if before.is_same and after.is_same:
        return True
    if math.prod(before.large) > MOST_ELEMENTS:
        return False
    places = np.arange(math.prod(before.large)).reshape(before.large)
    kept = places[corner(before.small)].reshape(after.small)
    return np.array_equal(kept, places.reshape(after.large)[corner(after.small)])


def _concat(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    axis = int(primitive.attributes()["axis"])
    return all(each.is_same_along(axis) for each in inputs[:-1])


def _gather(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    data, _, axis = inputs
    return axis.value is not None and data.is_same_along(int(axis.value.reshape(-1)[0]))


def _gather_by_axis(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    data, axis, _ = inputs
    return axis.value is not None and data.is_same_along(int(axis.value.reshape(-1)[0]))


def _gather_nd(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    """The indices are of leading dimensions, and may count from the end."""
    data, indices = inputs
    return indices.is_same_along(-1) and all(data.is_same_along(axis) for axis in range(indices.small[-1]))


def _running(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    """A running result from the first element, or in reverse from the last element."""
    data, axis = inputs
    if axis.value is None:
        return False
    is_reversed = primitive.attributes()["reverse"]
    return not is_reversed or data.is_same_along(int(axis.value.reshape(-1)[0]))


def _largest(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    data, count = inputs
    return count.value is not None and data.is_same_along(int(primitive.attributes()["axis"]))


def _recurrent(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    """Items along dimension 1 of the sequences. The number of steps may be padded where lengths are an input."""
    data = inputs[0]
    has_lengths = primitive.op_type == "GRU" and len(inputs) == GRU_WITH_LENGTHS
    return data.is_same_from(2) and (has_lengths or data.is_same_along(0))


def _any(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    return True


_ITEMS = [
    "AvgPoolFusion",
    "Conv2DFusion",
    "Conv2dTransposeFusion",
    "DepthToSpace",
    "GroupNormFusion",
    "InstanceNorm",
    "LRN",
    "MaxPoolFusion",
    "Resize",
    "SpaceToDepth",
]
RULES: Mapping[str, Rule] = {
    **dict.fromkeys(of_pattern(*ELEMENTWISE), _by_element),
    **dict.fromkeys(of_pattern(ElementPattern.ALIKE), _alike),
    **dict.fromkeys((*of_pattern(ElementPattern.CHANNELS), "ScaleFusion"), _with_parameters),
    **dict.fromkeys(ALONG_AXIS, _along_axis),
    **dict.fromkeys(VIEWS, _reshaped),
    **dict.fromkeys(_ITEMS, _by_item),
    "Concat": _concat,
    "Crop": _any,
    "CumSum": _running,
    "Depend": _any,
    "FormatTranspose": _always,
    "FullConnection": _dense,
    "GRU": _recurrent,
    "Gather": _gather,
    "GatherD": _gather_by_axis,
    "GatherNd": _gather_nd,
    "LSTM": _recurrent,
    "LayerNormFusion": _layer_norm,
    "MatMulFusion": _product,
    "OneHot": _always,
    "ReduceFusion": _reduce,
    "ReverseSequence": _any,
    "Stack": _any,
    "TopKFusion": _largest,
    "Transpose": _always,
}
"""The rules by operator, or by type of a Custom node; a node without a rule keeps no corners."""

_WHOLE_ACTIVATIONS = ("GLU", "UNKNOWN")
_SHAPE_OPERANDS = ("ExpandDims", "Reshape")


def keeps_corners(primitive: Primitive, inputs: Sequence[Pair], outputs: Sequence[Pair]) -> bool:
    """Whether the outputs of a node for smaller inputs are the leading corners of its outputs for larger inputs.

    Args:
        primitive: of the node.
        inputs: the inputs that are present; each small input is the corner of its large input.
        outputs: of the node.
    """
    if all(each.is_same for each in (*inputs, *outputs)):
        return True
    rule = RULES.get(custom_type(primitive))
    if rule is None or primitive.attributes().get("activation_type") in _WHOLE_ACTIVATIONS:
        return False
    return rule(primitive, inputs, outputs)


def is_shape_operand(op_type: str, position: int) -> bool:
    """Whether an input only has the shape of the output, which is known."""
    return op_type in _SHAPE_OPERANDS and position == 1
