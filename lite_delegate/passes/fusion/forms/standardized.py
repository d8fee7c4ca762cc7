"""Standardized values: ``(x - mean(x)) / sqrt(variance(x) + epsilon)``, scaled and shifted by constants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import is_

import numpy as np

from ....basics.data_class import dataclass
from ....ir import Node, Value
from ...framework.draft import Array
from ...framework.patterns import is_activated
from .pattern import Scene
from .quotient import Quotient, quotient_of, terms_of
from .statistics import Statistic, center_of, mean_of, under_root, variance_of

ROOTS = ("AddFusion", "DivFusion", "MulFusion", "SubFusion")
"""Operators that a pattern may end with."""


@dataclass(frozen=True, slots=True)
class Standardized:
    """A value normalized over axes.

    Attributes:
        source: the value.
        axes: the axes over which mean and variance are taken, ascending.
        epsilon: the number that is added to the variance.
        gamma: the factor of the normalized value, float64, to be broadcast; None for ones.
        beta: the term that is added to the product, float64, to be broadcast; None for zeros.
    """

    source: Value
    axes: tuple[int, ...]
    epsilon: float
    gamma: Array | None
    beta: Array | None


def standardized(node: Node, scene: Scene) -> Standardized | None:
    """The result of a node as a standardized value; None where it is none."""
    if node.op_type not in ROOTS or is_activated(node):
        return None
    draft = scene.draft
    terms = list(terms_of(node.outputs[0], draft, lambda value: center_of(value, scene) is not None))
    shifts = [(sign, data) for sign, value in terms if (data := draft.constant(value)) is not None]
    others = [(sign, value) for sign, value in terms if draft.constant(value) is None]
    found = _scaled_center(others, scene) if len(others) == 1 else _scaled_apart(others, scene)
    if found is None or not _has_shape_of(node.outputs[0], found.source, scene):
        return None
    if not shifts:
        return found
    beta = _joined([sign * data.astype(np.float64) for sign, data in shifts], np.add)
    return None if beta is None else replace(found, beta=beta)


def _has_shape_of(value: Value, source: Value, scene: Scene) -> bool:
    """Whether the constants have stretched nothing, as far as shapes are known."""
    shapes = scene.specs.get(value), scene.specs.get(source)
    return all(spec is not None for spec in shapes) and len({spec.shape for spec in shapes if spec}) == 1


def _scaled_center(terms: Sequence[tuple[int, Value]], scene: Scene) -> Standardized | None:
    """``(x - mean) * ...``."""
    ((sign, value),) = terms
    found = quotient_of(value, scene.draft, lambda each: center_of(each, scene) is not None)
    for factor in found.over:
        center, rest = center_of(factor, scene), found.without(factor)
        if center is not None and rest is not None:
            return _by_root(center, rest.times(Quotient(float(sign), ())), scene)
    return None


def _scaled_apart(terms: Sequence[tuple[int, Value]], scene: Scene) -> Standardized | None:
    """``x * m - mean * m``, in either order."""
    if len(terms) != 2:
        return None
    for (sign, of_x), (minus, of_mean) in (terms, terms[::-1]):
        shifted = quotient_of(of_mean, scene.draft, lambda each: mean_of(each, scene) is not None)
        for factor in shifted.over:
            mean = mean_of(factor, scene)
            if mean is None or not mean.has_shape_of(factor, scene):
                continue
            scaled = quotient_of(of_x, scene.draft, partial(is_, mean.source)).without(mean.source)
            rest = shifted.without(factor)
            if scaled is None or rest is None or not scaled.has_values_of(rest):
                continue
            if scaled.number * sign == -rest.number * minus:
                return _by_root(mean, scaled.times(Quotient(float(sign), ())), scene)
    return None


def _by_root(mean: Statistic, scale: Quotient, scene: Scene) -> Standardized | None:
    """A standardized value, where a difference from a mean is scaled by one root and constants."""
    roots = [(v, under_root(v, scene, is_inverse=True)) for v in scale.over if scene.draft.constant(v) is None]
    roots += [(v, under_root(v, scene, is_inverse=False)) for v in scale.under if scene.draft.constant(v) is None]
    if len(roots) != 1:
        return None
    ((root, inside),) = roots
    total = None if inside is None else scene.sum_with_number(scene.behind_views(inside))
    if total is None or not total[1] >= 0 or not np.isfinite(total[1]):
        return None
    variance = variance_of(total[0], scene)
    if variance is None or (variance.source, variance.axes) != (mean.source, mean.axes):
        return None
    if not variance.has_shape_of(root, scene):
        return None
    gamma = _product(scale, root, scene)
    return None if gamma is None else Standardized(mean.source, mean.axes, total[1], *gamma, None)


def _product(scale: Quotient, root: Value, scene: Scene) -> tuple[Array | None] | None:
    """The constants of a scale as one, None for ones, in a tuple; None where they are no finite numbers."""
    over, under = (_constants(values, root, scene) for values in (scale.over, scale.under))
    if not over and not under and scale.number == 1.0:
        return (None,)
    with np.errstate(all="ignore"):
        inverted = [1 / each for each in under]
    made = _joined([np.asarray(scale.number, np.float64), *over, *inverted], np.multiply)
    return None if made is None else (made,)


def _joined(arrays: Sequence[Array], function: np.ufunc) -> Array | None:
    """A sum or product of constants; None where they do not fit, it is larger than each of them, or not finite."""
    try:
        shape = np.broadcast_shapes(*(each.shape for each in arrays))
    except ValueError:
        return None
    if math.prod(shape) > max(each.size for each in arrays):
        return None
    with np.errstate(all="ignore"):
        made = np.asarray(reduce(function, arrays))
    return made if np.isfinite(made).all() else None


def _constants(values: Iterable[Value], root: Value, scene: Scene) -> list[Array]:
    found = [scene.draft.constant(value) for value in values if value is not root]
    return [data.astype(np.float64) for data in found if data is not None]
