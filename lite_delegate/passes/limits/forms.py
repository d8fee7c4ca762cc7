"""Forms of a movement: reshapes, slices and transposes within a device's limits that come to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from ...basics.data_class import dataclass
from ...delegate import DelegateLimits
from ...ir.axes import Axes, permute_shape
from .movement import Factor, Movement, Shape, merged_factors
from .routes import route


@dataclass(frozen=True, slots=True)
class Reshaped:
    """A step that gives the elements another shape."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Sliced:
    """A box: the positions of each axis from ``begin`` on, ``size`` of them."""

    begin: Axes
    size: Shape


@dataclass(frozen=True, slots=True)
class Permuted:
    """The axes in another order."""

    axes: Axes


Step: TypeAlias = Reshaped | Sliced | Permuted
Form: TypeAlias = tuple[Step, ...]


def shape_after(shape: Shape, step: Step) -> Shape:
    """The shape of a step's result, for an operand of the given shape."""
    match step:
        case Reshaped(made):
            return made
        case Sliced(_, size):
            return size
        case Permuted(axes):
            return permute_shape(shape, axes)


def forms_of(movement: Movement, limits: DelegateLimits) -> list[Form]:
    """All candidate forms of a movement, each once, the shortest first.

    1. A slice comes first: on the tensor's own axes where these have its ranges, else on other axes.
    2. A permutation is of the result's axes, of the operand's axes, or of as few axes as possible; or several
       permutations replace it.

    Only the operand and the result may have more dimensions than the limit.
    """
    first = _slices(movement, limits)
    shape = first[-1].size if first and isinstance(first[-1], Sliced) else movement.root
    sizes, order = _compressed(movement)
    moved = _Moved(shape, sizes, order, movement.shape)
    ways = [steps for way in _WAYS if (steps := way(moved, limits)) is not None]
    found = dict.fromkeys(_joined(movement.root, (*first, *steps)) for steps in ways)
    return sorted((form for form in found if _is_within(form, movement.root, limits)), key=len)


@dataclass(frozen=True, slots=True)
class _Moved:
    """A movement without slices: of an operand of shape ``source``, whose factors are ``sizes``."""

    source: Shape
    sizes: tuple[int, ...]
    order: Axes
    target: Shape


def _compressed(movement: Movement) -> tuple[Shape, Axes]:
    """The sizes of the taken factors, neighbors that stay neighbors as one factor, and their order."""
    taken = tuple(factor.length for factor in movement.factors if factor.length > 1)
    active = [position for position, factor in enumerate(movement.factors) if factor.length > 1]
    order = tuple(active.index(position) for position in movement.order)
    whole = tuple(Factor(size, 0, size) for size in taken)
    merged = merged_factors(Movement(taken, whole, order, movement.shape))
    return tuple(factor.size for factor in merged.factors if factor.size > 1), merged.order


def _slices(movement: Movement, limits: DelegateLimits) -> list[Step]:
    """The steps that leave the taken elements, in the tensor's order."""
    ranges = [position for position, factor in enumerate(movement.factors) if not factor.is_whole]
    if not ranges:
        return []
    own = _on_axes(movement.root, movement.factors, ranges) if limits.allows_rank(len(movement.root)) else None
    if own is not None:
        return [own]
    sizes = [factor.size for factor in movement.factors]
    steps: list[Step] = []
    for position in reversed(ranges):
        factor, inner = movement.factors[position], prod(sizes[position + 1 :])
        steps.append(Reshaped((prod(sizes[:position]), factor.size * inner)))
        steps.append(Sliced((0, factor.start * inner), (prod(sizes[:position]), factor.length * inner)))
        sizes[position] = factor.length
    return steps


def _on_axes(shape: Shape, factors: Sequence[Factor], ranges: Sequence[int]) -> Sliced | None:
    """The ranges of factors as ranges of axes; None where an axis does not begin with the factor."""
    begin, size = [0] * len(shape), list(shape)
    for position in ranges:
        factor, inner = factors[position], prod(f.size for f in factors[position + 1 :])
        places = [a for a in range(len(shape)) if prod(shape[a:]) == inner * factor.size and shape[a] > 1]
        step = prod(shape[places[0] + 1 :]) if places else 0
        if not places or factor.start * inner % step or factor.stop * inner % step:
            return None
        begin[places[0]], size[places[0]] = factor.start * inner // step, factor.length * inner // step
    return Sliced(tuple(begin), tuple(size))


def _by_target(moved: _Moved, limits: DelegateLimits) -> Form | None:
    """One permutation that gives the result's axes."""
    places = _places(moved.sizes, moved.order, moved.target)
    if places is None:
        return None
    wide = [axis for axis, size in enumerate(moved.target) if size > 1]
    by_place = sorted(wide, key=lambda axis: places[axis])
    axes = list(range(len(moved.target)))
    for slot, axis in zip(wide, by_place, strict=True):
        axes[axis] = slot
    shape = [1] * len(moved.target)
    for axis, slot in enumerate(axes):
        shape[slot] = moved.target[axis]
    return (Reshaped(tuple(shape)), Permuted(tuple(axes)))


def _by_source(moved: _Moved, limits: DelegateLimits) -> Form | None:
    """One permutation of the operand's axes."""
    sizes, back = tuple(moved.sizes[number] for number in moved.order), _inverse(moved.order)
    places = _places(sizes, back, moved.source)
    if places is None:
        return None
    wide = [axis for axis, size in enumerate(moved.source) if size > 1]
    axes = list(range(len(moved.source)))
    for slot, axis in zip(wide, sorted(wide, key=lambda axis: places[axis]), strict=True):
        axes[slot] = axis
    return (Permuted(tuple(axes)), Reshaped(moved.target))


def _by_route(moved: _Moved, limits: DelegateLimits) -> Form | None:
    """As few permutations of as few axes as the limits allow."""
    legs = route(moved.order, limits)
    if legs is None:
        return None
    steps: list[Step] = []
    for leg in legs:
        steps.append(Reshaped(tuple(prod(moved.sizes[number] for number in group) for group in leg.groups)))
        steps.append(Permuted(leg.axes))
    return (*steps, Reshaped(moved.target))


_WAYS: tuple[Callable[[_Moved, DelegateLimits], Form | None], ...] = (_by_target, _by_source, _by_route)


def _places(sizes: Shape, order: Axes, shape: Shape) -> dict[int, tuple[int, int]] | None:
    """For each axis of ``shape`` where it is in a tensor of factors ``sizes``, of which it shows some order.

    None where an axis is not in one piece there.
    """
    split = Movement(sizes, tuple(Factor(size, 0, size) for size in sizes), order, shape).split()
    if split is None or any(run != tuple(range(run[0], run[0] + len(run))) for run in split.runs if run):
        return None
    return {axis: (run[0], run[-1]) for axis, run in enumerate(split.runs) if run}


def _inverse(order: Axes) -> Axes:
    return tuple(order.index(number) for number in range(len(order)))


def _joined(shape: Shape, steps: Sequence[Step]) -> Form:
    """The steps that change something; of reshapes in a row only the last."""
    kept: list[Step] = []
    before = [shape]
    for step in steps:
        if kept and isinstance(step, Reshaped) and isinstance(kept[-1], Reshaped):
            kept.pop()
            before.pop()
        made = shape_after(before[-1], step)
        is_nothing = isinstance(step, Permuted) and step.axes == tuple(range(len(step.axes)))
        if is_nothing or (isinstance(step, Reshaped) and made == before[-1]):
            continue
        kept.append(step)
        before.append(made)
    return tuple(kept)


def _is_within(form: Form, shape: Shape, limits: DelegateLimits) -> bool:
    """True where each slice and permutation, and each tensor between steps, keeps the limits."""
    for step in form:
        if isinstance(step, Permuted) and not limits.allows(step.axes):
            return False
        if not isinstance(step, Reshaped) and not limits.allows_rank(len(shape)):
            return False
        shape = shape_after(shape, step)
        if step is not form[-1] and not limits.allows_rank(len(shape)):
            return False
    return True
