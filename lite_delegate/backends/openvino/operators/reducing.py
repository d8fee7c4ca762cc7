"""Reductions of Transposes and Reshapes: OpenVINO moves these behind the reduction, with wrong axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....basics.data_class import dataclass

Axes = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class ReducedView:
    """A tensor as another one with its axes in another order, and with dimensions of 1 more or less.

    Attributes:
        source: the other one, an output of OpenVINO's.
        axes: which axis of the source each axis is; None for a dimension of 1 that the source has not.
        is_shaped: whether dimensions of 1 were added or taken away.
    """

    source: Any
    axes: Axes
    is_shaped: bool = False


def reduced(name: str, x: Any, axes: Sequence[int], *, keeps: bool) -> Any:
    """A reduction over constant axes.

    OpenVINO's pass ``PullThroughReduce`` takes a dimension of 1 to another place where it is added before a reduction
    that keeps its dimensions. Its CPU loses a Transpose that moves nothing but dimensions of 1 behind a reduction that
    drops its own; before such a reduction, too, as OpenVINO moves it behind. Then the shape is wrong, and so are the
    numbers where the result is broadcast. So a reduction reads what is behind Reshapes and Transposes here, drops all
    dimensions of 1, and its result gets those that it should have.

    Args:
        name: of the reduction in OpenVINO's opset.
        x: an output of OpenVINO's.
        axes: not negative.
        keeps: the result has dimensions of 1 in their places.
    """
    view = behind(x)
    dims = x.get_partial_shape()
    left = [axis for axis in range(len(dims)) if axis not in axes]
    wide = [source for axis in left if (source := view.axes[axis]) is not None and not _is_one(dims[axis])]
    is_plain = not view.is_shaped if keeps else view.source is x and len(wide) == len(left)
    if is_plain:
        return _reduce(name, x, axes, keeps=keeps)
    y = _without(name, view.source, wide)
    kept = range(len(dims)) if keeps else left
    return _with_ones(y, [place for place, axis in enumerate(kept) if axis in axes or _is_new(view, dims, axis)])


def _is_new(view: ReducedView, dims: Any, axis: int) -> bool:
    """Whether a dimension has to be added after the reduction."""
    return view.axes[axis] is None or _is_one(dims[axis])


def _is_one(dim: Any) -> bool:
    return bool(dim.is_static and dim.get_length() == 1)


def behind(x: Any) -> ReducedView:
    """The tensor that a tensor is a view of, and the view; a computed tensor is a view of itself."""
    view = ReducedView(x, tuple(range(x.get_partial_shape().rank.get_length())))
    while (step := _step(view.source)) is not None:
        axes = tuple(None if axis is None else step.axes[axis] for axis in view.axes)
        view = ReducedView(step.source, axes, view.is_shaped or step.is_shaped)
    return view


def _step(x: Any) -> ReducedView | None:
    """The node that gives a tensor, where that is a view of its input."""
    node = x.get_node()
    kind = node.get_type_name()
    if kind == "Transpose":
        order = node.input_value(1).get_node()
        return ReducedView(node.input_value(0), tuple(map(int, order.get_data()))) if _is_constant(order) else None
    if kind not in ("Reshape", "Squeeze", "Unsqueeze"):
        return None
    before, after = node.get_input_partial_shape(0), node.get_output_partial_shape(0)
    return (
        _shaped(node.input_value(0), list(before.to_shape()), list(after.to_shape())) if _both(before, after) else None
    )


def _shaped(source: Any, before: Sequence[int], after: Sequence[int]) -> ReducedView | None:
    """A reshaped tensor where only dimensions of 1 came or went."""
    wide = [axis for axis, dim in enumerate(before) if dim != 1]
    if [before[axis] for axis in wide] != [dim for dim in after if dim != 1]:
        return None
    places = iter(wide)
    return ReducedView(source, tuple(None if dim == 1 else next(places) for dim in after), is_shaped=True)


def _without(name: str, source: Any, order: Sequence[int]) -> Any:
    """The reduction over all axes but these, which come in this order."""
    from openvino import opset16

    rank = source.get_partial_shape().rank.get_length()
    over = [axis for axis in range(rank) if axis not in order]
    if not over:  # of single elements
        source, over, order = opset16.unsqueeze(source, _ints([0])).output(0), [0], [axis + 1 for axis in order]
    y = _reduce(name, source, over, keeps=False)
    places = [sorted(order).index(axis) for axis in order]
    return y if places == sorted(places) else opset16.transpose(y, _ints(places)).output(0)


def _with_ones(y: Any, places: Sequence[int]) -> Any:
    from openvino import opset16

    return opset16.unsqueeze(y, _ints(places)).output(0) if places else y


def _reduce(name: str, x: Any, axes: Sequence[int], *, keeps: bool) -> Any:
    from openvino import opset16

    return getattr(opset16, name)(x, _ints(axes), keeps).output(0)


def _is_constant(node: Any) -> bool:
    found: str = node.get_type_name()
    return found == "Constant"


def _both(before: Any, after: Any) -> bool:
    return bool(before.is_static and after.is_static)


def _ints(values: Sequence[int]) -> Any:
    return np.array(values, np.int64)
