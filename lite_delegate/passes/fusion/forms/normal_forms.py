"""Normal forms: the nodes for a standardized value, by the axes over which it is taken."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from lite_delegate_kernels import UNKNOWN

from ....ir import Node, Value, to_numpy
from ...framework.draft import Array
from ...parts import NodeParts
from .pattern import Scene
from .standardized import Standardized


def normal_form(node: Node, found: Standardized, scene: Scene) -> list[Node] | None:
    """The nodes that give a node's result by a normalization; None where the shapes are not known well enough.

    1. Over the last axes: LayerNormFusion.
    2. Over all axes but the first and the last, where the parameters belong to the last axis: InstanceNorm.
    3. Over other axes: LayerNormFusion between two transposes.
    4. A gamma or beta of another shape: MulFusion or AddFusion behind it.
    """
    rank = scene.rank(found.source)
    if rank is None or any(each is not None and each.ndim > rank for each in (found.gamma, found.beta)):
        return None
    parts = NodeParts(node, found.source, node.outputs[0].shape)  # type: ignore[arg-type]  # a declared shape may be open
    made, rest = _normalized(parts, found, rank, scene)
    for op_type, data in (("MulFusion", rest.gamma), ("AddFusion", rest.beta)):
        if data is not None:
            made = parts.of(op_type, made, parts.constant(data.astype(to_numpy(found.source.dtype))))
    return list(parts.done())


def _normalized(parts: NodeParts, found: Standardized, rank: int, scene: Scene) -> tuple[Value, Standardized]:
    """The normalized value, and the normalization with the parameters that remain to be applied behind it."""
    last = tuple(range(rank - len(found.axes), rank))
    if found.axes == last:
        return _layer_norm(parts, found.source, found, rank, scene)
    if rank > 2 and found.axes == tuple(range(1, rank - 1)):
        made = _instance_norm(parts, found, rank, scene)
        if made is not None:
            return made, replace(found, gamma=None, beta=None)
    order = (*(axis for axis in range(rank) if axis not in found.axes), *found.axes)
    x = _transposed(parts, found.source, order)
    made, rest = _layer_norm(parts, x, found, rank, scene)
    return _transposed(parts, made, tuple(np.argsort(order).tolist())), rest


def _layer_norm(parts: NodeParts, x: Value, found: Standardized, rank: int, scene: Scene) -> tuple[Value, Standardized]:
    """LayerNormFusion over the last axes of ``x``, which are the source's axes; with gamma and beta, or neither."""
    begin = rank - len(found.axes)
    spec = scene.specs.get(found.source)
    sizes = () if spec is None or spec.shape is None else tuple(spec.shape[axis] for axis in found.axes)
    gamma, beta = _along(found.gamma, found.axes, rank, sizes, 1.0), _along(found.beta, found.axes, rank, sizes, 0.0)
    rest = replace(found, gamma=None, beta=None)
    if gamma is None or (found.gamma is None and (found.beta is None or beta is None)):
        gamma, beta, rest = None, None, found
    elif beta is None:
        beta, rest = np.zeros_like(gamma), replace(found, gamma=None)
    attributes = {"begin_norm_axis": begin, "begin_params_axis": begin, "epsilon": found.epsilon}
    dtype = to_numpy(found.source.dtype)
    if gamma is None or beta is None:
        return parts.of("LayerNormFusion", x, shape=x.shape, **attributes), rest
    inputs = [parts.constant(each.astype(dtype)) for each in (gamma, beta)]
    return parts.of("LayerNormFusion", x, *inputs, shape=x.shape, elementwise_affine=True, **attributes), rest


def _instance_norm(parts: NodeParts, found: Standardized, rank: int, scene: Scene) -> Value | None:
    spec = scene.specs.get(found.source)
    sizes = () if spec is None or spec.shape is None else spec.shape[-1:]
    gamma, beta = (_along(data, (rank - 1,), rank, sizes, n) for data, n in ((found.gamma, 1.0), (found.beta, 0.0)))
    if gamma is None or beta is None:
        return None
    dtype = to_numpy(found.source.dtype)
    inputs = [parts.constant(each.astype(dtype)) for each in (gamma, beta)]
    return parts.of("InstanceNorm", found.source, *inputs, epsilon=found.epsilon)


def _along(data: Array | None, axes: tuple[int, ...], rank: int, sizes: tuple[int, ...], usual: float) -> Array | None:
    """A parameter as one number for each place along some axes: of these sizes.

    None where it differs along another axis, or where sizes are not known.

    Args:
        data: broadcasts against the value; None for ``usual`` everywhere.
        axes: of the value.
        rank: of the value.
        sizes: of the value along the axes; fewer, or negative ones, where they are not known.
        usual: the number that does nothing.
    """
    if len(sizes) != len(axes) or min(sizes, default=-1) < 0:
        return None
    if data is None:
        return np.full(sizes, usual)
    wide = data.reshape((1,) * (rank - data.ndim) + data.shape)
    if any(size != 1 for axis, size in enumerate(wide.shape) if axis not in axes):
        return None
    return np.broadcast_to(wide.reshape([wide.shape[axis] for axis in axes]), sizes)


def _transposed(parts: NodeParts, value: Value, order: tuple[int, ...]) -> Value:
    shape = tuple(UNKNOWN if value.shape is None else value.shape[axis] for axis in order)
    return parts.of("Transpose", value, parts.ints(*order), shape=shape)
