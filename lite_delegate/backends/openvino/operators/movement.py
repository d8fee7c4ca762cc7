"""Operators that move elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lowering import as_open
from .call import OperatorCall
from .operator import FLOATS, INDICES, MOVED, OnnxOperator


def write_reshape(call: OperatorCall) -> list[Any]:
    """Writes Reshape: the elements of the operand in another shape."""
    from openvino import opset16

    if not call.shape:
        return _single(call)
    return [opset16.reshape(call.inputs[0], call.positions(call.shape), False).output(0)]


def write_shaped(call: OperatorCall) -> list[Any]:
    """Writes the elements of the operand in a given shape: 0 copies a dimension, -1 follows from the rest."""
    from openvino import opset16

    if not call.shape:
        return _single(call)
    return [opset16.reshape(*call.inputs, True).output(0)]


def _single(call: OperatorCall) -> list[Any]:
    """One number without dimensions: OpenVINO reads beyond its memory at a Reshape to that behind a MatMul."""
    from openvino import opset16

    x, rank = call.inputs[0], len(call.term(0).shape)
    return [opset16.squeeze(x, call.positions(range(rank))).output(0)] if rank else [x]


HEADS_FIRST = [0, 2, 1, 3]


def write_transpose(call: OperatorCall) -> list[Any]:
    """Axes in another order; reversed where none is given.

    OpenVINO computes attention in one go, with the transposes of heads around it, and writes the result over the query
    where both have the same dimensions. As many queries as heads have that with one of these transposes taken in: what
    is still to be read is overwritten then. Of 5 axes it takes none in.
    """
    from openvino import opset16

    x, shape = call.inputs[0], [as_open(dim) for dim in call.shape]
    order = call.ints("perm", range(len(shape))[::-1])
    if order != HEADS_FIRST or shape[1] != shape[2] or shape[1] < 0:
        return [opset16.transpose(x, call.positions(order)).output(0)]
    _, rows, heads, width = shape
    apart = opset16.reshape(x, call.positions((0, heads, rows, 1, width)), True)
    turned = opset16.transpose(apart, call.positions((0, 2, 1, 3, 4)))
    return [opset16.reshape(turned, call.positions((0, rows, heads, width)), True).output(0)]


def write_concat(call: OperatorCall) -> list[Any]:
    """Operands one behind the other."""
    from openvino import opset16

    return [opset16.concat(call.inputs, call.integer("axis", 0)).output(0)]


def write_split(call: OperatorCall) -> list[Any]:
    """Parts one behind the other."""
    from openvino import opset16

    axis = call.integer("axis", 0)
    sizes = call.positions([shape[axis] for _, shape in call.results])
    node = opset16.variadic_split(call.inputs[0], call.position(axis), sizes)
    return [node.output(number) for number in range(len(call.results))]


def write_slice(call: OperatorCall) -> list[Any]:
    """Every n-th position of ranges; axes and steps may be absent."""
    from openvino import opset16

    rank = len(call.term(0).shape)
    x, starts, ends = call.inputs[:3]
    axes = call.term(3).handle if call.has(3) else call.positions(range(rank))
    steps = call.term(4).handle if call.has(4) else call.positions([1] * rank)
    return [opset16.slice(x, starts, ends, steps, axes).output(0)]


def write_gather(call: OperatorCall) -> list[Any]:
    """Slices at positions along an axis; negative ones count from the end."""
    from openvino import opset16

    data, indices = call.inputs
    return [opset16.gather(data, indices, call.position(call.integer("axis", 0))).output(0)]


def write_gather_elements(call: OperatorCall) -> list[Any]:
    """Elements at positions along an axis.

    OpenVINO wants what lies beyond the positions on other axes cut off, and takes a Slice in front away
    (NopSliceBeforeGatherElements).
    """
    from openvino import opset16

    x, indices = call.inputs
    axis, given = call.integer("axis", 0), call.term(0).shape
    for other, (size, kept) in enumerate(zip(given, call.shape, strict=True)):
        if other != axis and kept != size:
            parts = call.positions((kept, size - kept))
            x = opset16.variadic_split(x, call.position(other), parts).output(0)
    return [opset16.gather_elements(x, indices, axis).output(0)]


def write_gather_nd(call: OperatorCall) -> list[Any]:
    """Slices at positions of several axes."""
    from openvino import opset16

    batch = call.integer("batch_dims", 0)
    x, places = call.inputs
    return [opset16.gather_nd(x, places, batch).output(0)]


def write_tile(call: OperatorCall) -> list[Any]:
    """Copies one behind the other along each axis."""
    from openvino import opset16

    return [opset16.tile(*call.inputs).output(0)]


def write_expand(call: OperatorCall) -> list[Any]:
    """The operand, broadcast."""
    from openvino import opset16

    return [opset16.broadcast(*call.inputs, "BIDIRECTIONAL").output(0)]


def write_pad(call: OperatorCall) -> list[Any]:
    """More elements at both ends of axes."""
    from openvino import opset16

    mode = call.text("mode", "constant")
    pads = call.term(1).constant
    assert pads is not None
    rank = len(call.shape)
    before, after = pads[:rank], pads[rank:]
    value = call.term(2).handle if call.has(2) else np.array(0, call.dtype)
    given = value if mode == "constant" else None
    return [opset16.pad(call.inputs[0], before, after, mode, given).output(0)]


def write_depth_to_space(call: OperatorCall) -> list[Any]:
    """Channels spread over blocks of positions."""
    from openvino import opset16

    mode = "blocks_first" if call.text("mode", "DCR") == "DCR" else "depth_first"
    return [opset16.depth_to_space(call.inputs[0], mode, call.integer("blocksize", 1)).output(0)]


def write_space_to_depth(call: OperatorCall) -> list[Any]:
    """Blocks of positions as channels."""
    from openvino import opset16

    return [opset16.space_to_depth(call.inputs[0], "blocks_first", call.integer("blocksize", 1)).output(0)]


def write_scatter_elements(call: OperatorCall) -> list[Any]:
    """The operand with elements at positions along an axis replaced, or combined with others."""
    from openvino import opset16

    axis, how = call.position(call.integer("axis", 0)), COMBINED[call.text("reduction", "none")]
    x, places, updates = call.inputs
    return [opset16.scatter_elements_update(x, places, updates, axis, how).output(0)]


def write_scatter_nd(call: OperatorCall) -> list[Any]:
    """The operand with slices at positions of several axes replaced."""
    from openvino import opset16

    return [opset16.scatter_nd_update(*call.inputs).output(0)]


def write_reverse_sequence(call: OperatorCall) -> list[Any]:
    """The first elements along an axis in reverse, as many as a length says for each of a batch."""
    from openvino import opset16

    x, lengths = call.inputs
    axes = call.integer("batch_axis", 1), call.integer("time_axis", 0)
    return [opset16.reverse_sequence(x, lengths, *axes).output(0)]


COMBINED = {"none": "none", "add": "sum", "mul": "prod", "max": "max", "min": "min"}
"""OpenVINO's names of ONNX's reductions."""
SHAPES = dict.fromkeys(range(1, 5), INDICES)
"""Operands after the first are positions and sizes."""
OPERATORS = {
    "Reshape": OnnxOperator(write_shaped, MOVED, None, SHAPES),
    "Squeeze": OnnxOperator(write_reshape, MOVED, None, SHAPES),
    "Unsqueeze": OnnxOperator(write_reshape, MOVED, None, SHAPES),
    "Flatten": OnnxOperator(write_reshape, MOVED, None, SHAPES),
    "Transpose": OnnxOperator(write_transpose, MOVED),
    "Concat": OnnxOperator(write_concat, MOVED),
    "Split": OnnxOperator(write_split, MOVED, None, SHAPES),
    "Slice": OnnxOperator(write_slice, MOVED, None, SHAPES),
    "Gather": OnnxOperator(write_gather, MOVED, None, SHAPES),
    "GatherElements": OnnxOperator(write_gather_elements, MOVED, None, SHAPES),
    "GatherND": OnnxOperator(write_gather_nd, MOVED, None, SHAPES),
    "Tile": OnnxOperator(write_tile, MOVED, None, SHAPES),
    "Expand": OnnxOperator(write_expand, MOVED, None, SHAPES),
    "Pad": OnnxOperator(write_pad, MOVED, None, {1: INDICES, 3: INDICES}),
    "ScatterElements": OnnxOperator(write_scatter_elements, MOVED, None, {1: INDICES}),
    "ScatterND": OnnxOperator(write_scatter_nd, MOVED, None, {1: INDICES}),
    "ReverseSequence": OnnxOperator(write_reverse_sequence, FLOATS, None, {1: INDICES}),
    "DepthToSpace": OnnxOperator(write_depth_to_space, MOVED),
    "SpaceToDepth": OnnxOperator(write_space_to_depth, MOVED),
}
