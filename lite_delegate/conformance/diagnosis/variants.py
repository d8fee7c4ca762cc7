"""Chains as a delegate with a certain defect would compute them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..judging.case import Array
from ..judging.chain import Chain, ChainNode
from ..reports.defects import Defect

Variant = tuple[Defect, str, Chain]
ACTIVATIONS = frozenset({"Activation", "LeakyRelu", "Elu", "Clip", "PReLUFusion", "GLU"})
"""Operators that are an activation of what they read."""
SPATIAL = ("kernel_size", "stride", "strides", "dilation", "output_paddings", "block_size", "block_shape", "window")
"""Attributes that have a number for H and one for W."""
PADS = ("pad_list", "pad")
"""Attributes that have numbers for the upper, lower, left and right padding."""


def variants(chain: Chain) -> Iterator[Variant]:
    """The variants, the most telling ones first."""
    for make in (_without_nodes, _without_activations, _without_attributes, _padded_otherwise, _turned, _as_if_packed):
        yield from make(chain)
    for make in (_other_inputs, _broadcast_otherwise, _without_inputs):
        yield from make(chain)


def without_node(chain: Chain, node: ChainNode) -> Chain:
    """The chain with who reads the node's first output reading its first input instead."""
    source, gone = node.inputs[0], node.outputs[0]
    nodes = [
        replace(n, inputs=tuple(source if name == gone else name for name in n.inputs))
        for n in chain.nodes
        if n is not node
    ]
    outputs = tuple(str(source) if name == gone else name for name in chain.outputs)
    return replace(chain, nodes=tuple(nodes), outputs=outputs)


def _without_nodes(chain: Chain) -> Iterator[Variant]:
    for node in chain.nodes:
        activation = node.attributes.get("activation_type", "NO_ACTIVATION")
        if activation != "NO_ACTIVATION" and node.op_type not in ACTIVATIONS:
            attributes = {k: v for k, v in node.attributes.items() if k != "activation_type"}
            note = f"{activation} of '{node.name}' ({node.op_type})"
            yield Defect.ACTIVATION_DROPPED, note, _with_node(chain, node, replace(node, attributes=attributes))
    for node in chain.nodes if len(chain.nodes) > 1 else ():
        if len(node.outputs) == 1 and node.inputs and node.inputs[0] is not None:
            defect = Defect.ACTIVATION_DROPPED if node.op_type in ACTIVATIONS else Defect.NODE_DROPPED
            yield defect, f"'{node.name}' ({node.op_type})", without_node(chain, node)


def _without_activations(chain: Chain) -> Iterator[Variant]:
    """All of them at once."""
    found = chain
    for node in chain.nodes:
        if node.op_type in ACTIVATIONS and len(found.nodes) > 1 and node.inputs[0] is not None:
            found = without_node(found, next(n for n in found.nodes if n.name == node.name))
    yield Defect.ACTIVATION_DROPPED, "every one", found


def _without_attributes(chain: Chain) -> Iterator[Variant]:
    for node in chain.nodes:
        for name in node.attributes:
            attributes = {k: v for k, v in node.attributes.items() if k != name}
            yield Defect.ATTRIBUTE_IGNORED, name, _with_node(chain, node, replace(node, attributes=attributes))


def _padded_otherwise(chain: Chain) -> Iterator[Variant]:
    """The window moved by one: by the padding where that is given, by the data where it is worked out."""
    for node in chain.nodes:
        for name in PADS:
            given = node.attributes.get(name)
            if given is not None and len(given) == 4:
                for pads in _moved_pads(given):
                    attributes = {**node.attributes, name: pads}
                    note = f"{list(pads)} for {name} {list(given)}"
                    yield Defect.PADDING, note, _with_node(chain, node, replace(node, attributes=attributes))
    for name, x in chain.arrays.items():
        if x.ndim == 2 and x.shape[1] == 2 and name in chain.constants and x.dtype.kind == "i":
            for axis in range(len(x)):
                for begin in (1, -1):
                    moved = x.copy()
                    moved[axis] += np.array((begin, -begin), x.dtype)
                    yield Defect.PADDING, f"along axis {axis}", chain.with_arrays({name: moved})
    for name, x in chain.inputs.items():
        if x.ndim == 4:
            for axes in ((1,), (2,), (1, 2)):
                for by in (1, -1):
                    yield Defect.PADDING, f"along axes {list(axes)}", chain.with_arrays({name: _shifted(x, axes, by)})


def _moved_pads(given: Sequence[int]) -> Iterator[tuple[int, ...]]:
    up, down, left, right = given
    for v in (-1, 0, 1):
        for h in (-1, 0, 1):
            pads = (up + v, down - v, left + h, right - h)
            if (v or h) and min(pads) >= 0:
                yield pads


def _shifted(x: Array, axes: Sequence[int], by: int) -> Array:
    for axis in axes:
        x = np.roll(x, by, axis)
        index: list[Any] = [slice(None)] * x.ndim
        index[axis] = 0 if by > 0 else -1
        x[tuple(index)] = 0
    return x


def _turned(chain: Chain) -> Iterator[Variant]:
    """H and W exchanged in attributes, weights and data, together and alone."""
    turned = {name: _spatial(x) for name, x in chain.arrays.items() if x.ndim == 4 and x.shape[1:3] != (1, 1)}
    weights = {name: x for name, x in turned.items() if name in chain.constants}
    nodes = replace(chain, nodes=tuple(replace(n, attributes=_turned_attributes(n)) for n in chain.nodes))
    yield Defect.SWAPPED_SPATIAL, "in attributes", nodes
    yield Defect.SWAPPED_SPATIAL, "in attributes and weights", nodes.with_arrays(weights)
    yield Defect.SWAPPED_SPATIAL, "in weights", chain.with_arrays(weights)
    for name, x in turned.items():
        if name in chain.inputs:
            yield Defect.SWAPPED_SPATIAL, f"in {name}", chain.with_arrays({name: x})
    for name, x in chain.constants.items():
        if x.shape == (2,) and x.dtype.kind in "iu":
            yield Defect.SWAPPED_SPATIAL, f"in {name}", chain.with_arrays({name: x[::-1].copy()})


def _turned_attributes(node: ChainNode) -> Mapping[str, Any]:
    found = dict(node.attributes)
    for name in SPATIAL:
        if name in found and isinstance(found[name], Sequence) and len(found[name]) == 2:
            found[name] = tuple(reversed(found[name]))
    for name in PADS:
        if name in found and len(found[name]) == 4:
            up, down, left, right = found[name]
            found[name] = (left, right, up, down)
    for height, width in (("new_height", "new_width"),):
        if height in found and width in found:
            found[height], found[width] = found[width], found[height]
    return found


def _spatial(x: Array) -> Array:
    return np.ascontiguousarray(np.swapaxes(x, 1, 2))


def _as_if_packed(chain: Chain) -> Iterator[Variant]:
    """One array read as it lies in memory, in the other layout."""
    for name, x in chain.arrays.items():
        if x.ndim == 4 and x.shape[3] > 1 and x.shape[1] * x.shape[2] > 1:
            for read in (_channels_first_read_last, _channels_last_read_first):
                yield Defect.LAYOUT, f"of {name}", chain.with_arrays({name: read(x)})


def _channels_first_read_last(x: Array) -> Array:
    return np.ascontiguousarray(np.transpose(x, (0, 3, 1, 2))).reshape(x.shape)


def _channels_last_read_first(x: Array) -> Array:
    n, h, w, c = x.shape
    return np.ascontiguousarray(np.transpose(x.reshape(n, c, h, w), (0, 2, 3, 1)))


def _other_inputs(chain: Chain) -> Iterator[Variant]:
    for node in chain.nodes:
        if len(node.inputs) > 1 and None not in node.inputs[:2] and node.inputs[0] != node.inputs[1]:
            inputs = (node.inputs[1], node.inputs[0], *node.inputs[2:])
            yield Defect.INPUTS_SWAPPED, f"of '{node.name}'", _with_node(chain, node, replace(node, inputs=inputs))


def _broadcast_otherwise(chain: Chain) -> Iterator[Variant]:
    rank = max((x.ndim for x in chain.inputs.values()), default=0)
    for name, x in chain.arrays.items():
        if 0 < x.ndim < rank and name in _operands(chain):
            yield Defect.BROADCAST_SIDE, f"of {name}", _reshaped(chain, name, x.shape + (1,) * (rank - x.ndim))
        elif x.ndim == 2 and 1 in x.shape and x.shape[0] != x.shape[1]:
            yield Defect.BROADCAST_SIDE, f"of {name}", _reshaped(chain, name, x.shape[::-1])


def _operands(chain: Chain) -> set[str | None]:
    return {name for node in chain.nodes for name in node.inputs if len(node.inputs) > 1}


def _reshaped(chain: Chain, name: str, shape: tuple[int, ...]) -> Chain:
    return chain.with_arrays({name: chain.arrays[name].reshape(shape)})


def _without_inputs(chain: Chain) -> Iterator[Variant]:
    """An input left out, or zeros, or ones, in its place."""
    for node in chain.nodes:
        for i, name in enumerate(node.inputs):
            if i and name is not None:
                inputs = (*node.inputs[:i], None, *node.inputs[i + 1 :])
                yield Defect.INPUT_IGNORED, str(name), _with_node(chain, node, replace(node, inputs=inputs))
    fills: tuple[Callable[[Array], Array], ...] = (np.zeros_like, np.ones_like)
    for name, x in chain.arrays.items():
        for fill in fills if x.dtype.kind in "fiu" and len(chain.arrays) > 1 else ():
            yield Defect.INPUT_IGNORED, name, chain.with_arrays({name: fill(x)})


def _with_node(chain: Chain, old: ChainNode, new: ChainNode) -> Chain:
    return replace(chain, nodes=tuple(new if n is old else n for n in chain.nodes))
