"""Statistics of a value over axes, as frameworks spell them out: means, variances, and one over a root."""

from __future__ import annotations

import math

from ....basics.data_class import dataclass
from ....ir import Node, Value
from ...clamp import clamp_of
from ...framework.patterns import is_activated, maker_of, scalar_of
from .pattern import Scene, near


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic of a value over axes: its mean, sum, largest element or variance.

    Attributes:
        source: the value.
        axes: the axes over which it is taken, counted from the front, ascending.
        keeps_dims: whether the axes stay, with one element each.
    """

    source: Value
    axes: tuple[int, ...]
    keeps_dims: bool

    def has_shape_of(self, value: Value, scene: Scene) -> bool:
        """Whether a value that shows the statistic's elements broadcasts against the source as the statistic does."""
        shape, whole = scene.shape(value), scene.shape(self.source)
        if shape is None or whole is None:
            return self.keeps_dims
        padded = (1,) * (len(whole) - len(shape)) + shape
        return padded == tuple(1 if axis in self.axes else size for axis, size in enumerate(whole))


def mean_of(value: Value, scene: Scene) -> Statistic | None:
    """The mean over axes that a value is, or shows: ReduceMean, or ReduceSum over the number of elements."""
    product = scene.product(scene.behind_views(value))
    if product is None or len(product.factors) != 1:
        return None
    node = maker_of(scene.draft, scene.behind_views(product.factors[0]), "ReduceFusion")
    found = None if node is None else reduced(node, scene)
    if node is None or found is None:
        return None
    mode, shape = node.primitive.attributes()["mode"], scene.shape(found.source)
    if mode == "ReduceMean":
        return found if product.number == 1.0 else None
    if mode != "ReduceSum" or shape is None:
        return None
    count = math.prod(shape[axis] for axis in found.axes)
    return found if count and near(product.number, 1 / count) else None


def reduced(node: Node, scene: Scene) -> Statistic | None:
    """The source and the axes of a ReduceFusion; None where the axes are not known."""
    source = node.inputs[0]
    axes = scene.draft.constant(node.inputs[1]) if len(node.inputs) == 2 else None
    rank, attributes = None if source is None else scene.rank(source), node.primitive.attributes()
    if source is None or rank is None or axes is None or not axes.size or attributes["reduce_to_end"]:
        return None
    return Statistic(source, tuple(sorted(int(a) % rank for a in axes.reshape(-1))), bool(attributes["keep_dims"]))


def center_of(value: Value, scene: Scene) -> Statistic | None:
    """The mean that is taken from its source where a value is ``x - mean(x)``."""
    node = maker_of(scene.draft, value, "SubFusion")
    if node is None or is_activated(node) or node.inputs[1] is None:
        return None
    mean = mean_of(node.inputs[1], scene)
    is_center = mean is not None and mean.source is node.inputs[0] and mean.has_shape_of(node.inputs[1], scene)
    return mean if is_center else None


def variance_of(value: Value, scene: Scene) -> Statistic | None:
    """The variance (of all elements, not of a sample) that a value is, or is a view of.

    1. The mean of ``(x - mean(x))**2``, or of SquaredDifference of the two.
    2. ``mean(x**2) - mean(x)**2``, from zero up or as it is.
    """
    value = scene.behind_views(value)
    of_squares = mean_of(value, scene)
    if of_squares is not None:
        return _of_centered(of_squares, scene)
    return _of_means(value, scene)


def _of_centered(of_squares: Statistic, scene: Scene) -> Statistic | None:
    difference = maker_of(scene.draft, of_squares.source, "SquaredDifference")
    if difference is not None:
        pairs = [tuple(difference.inputs), tuple(difference.inputs[::-1])]
        means = [(x, m, mean_of(m, scene)) for x, m in pairs if m is not None]
        found = [mean for x, m, mean in means if mean and m and mean.source is x and mean.has_shape_of(m, scene)]
    else:
        centered = square_root_of(of_squares.source, scene)
        center = None if centered is None else center_of(centered, scene)
        found = [] if center is None else [center]
    return found[0] if found and found[0].axes == of_squares.axes else None


def _of_means(value: Value, scene: Scene) -> Statistic | None:
    difference, clamping = _from_zero_up(value, scene)
    node = maker_of(scene.draft, scene.behind_views(difference), "SubFusion")
    if node is None or (is_activated(node) and node is not clamping) or None in node.inputs:
        return None
    left, right = node.inputs
    assert left is not None
    assert right is not None
    of_squares, mean = mean_of(left, scene), square_root_of(scene.behind_views(right), scene)
    source = None if of_squares is None else square_root_of(of_squares.source, scene)
    found = None if mean is None else mean_of(mean, scene)
    if found is None or of_squares is None or found.source is not source or found.axes != of_squares.axes:
        return None
    if scene.are_as_many(left, right, node.outputs[0]):
        return found
    is_open = scene.shape(node.outputs[0]) is None
    return found if is_open and found.keeps_dims and of_squares.keeps_dims else None


def _from_zero_up(value: Value, scene: Scene) -> tuple[Value, Node | None]:
    """``x`` where a value is ``max(x, 0)``, and the node that has it fused; the value itself where it is not."""
    node = scene.draft.producer(value)
    if node is None or not scene.draft.is_plain(node):
        return value, None
    if node.op_type == "Maximum":
        for operand, other in (node.inputs, node.inputs[::-1]):
            if operand is not None and scalar_of(scene.draft, other) == 0.0:
                return operand, None
    clamp = clamp_of(node, scene.draft)
    if clamp is None or (clamp.low, clamp.high) != (0.0, math.inf):
        return value, None
    return clamp.source, clamp.inside


def square_root_of(value: Value, scene: Scene) -> Value | None:
    """``x`` where a value is ``x**2``, spelled as Square, a power or a product."""
    product = scene.product(value)
    if product is None or product.number != 1.0 or len(product.factors) != 2:
        return None
    first, second = product.factors
    return first if first is second else None


def under_root(value: Value, scene: Scene, *, is_inverse: bool) -> Value | None:
    """``x`` where a value is, or shows, the square root of x; ``is_inverse``: one over it."""
    node = scene.draft.producer(scene.behind_views(value))
    if node is None or not scene.draft.is_plain(node) or node.inputs[0] is None:
        return None
    match node.op_type:
        case "Sqrt" if not is_inverse:
            return node.inputs[0]
        case "Rsqrt" if is_inverse:
            return node.inputs[0]
        case "Reciprocal" if is_inverse:
            return under_root(node.inputs[0], scene, is_inverse=False)
        case "DivFusion" if is_inverse and node.inputs[1] is not None and not is_activated(node):
            is_one = scalar_of(scene.draft, node.inputs[0]) == 1.0
            return under_root(node.inputs[1], scene, is_inverse=False) if is_one else None
        case "PowFusion" if scalar_of(scene.draft, node.inputs[1]) == (-0.5 if is_inverse else 0.5):
            attributes = node.primitive.attributes()
            return node.inputs[0] if (attributes["scale"], attributes["shift"]) == (1.0, 0.0) else None
    return None
