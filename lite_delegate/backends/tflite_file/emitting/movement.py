"""Operators that move elements."""

from __future__ import annotations

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from .call import LoweredCall, Write

_END = 2**31 - 1
_MOST = 5
"""Dimensions that STRIDED_SLICE and PAD take."""


def write_reshape(call: LoweredCall) -> list[TfliteTensor]:
    """The same elements in another shape."""
    return [call.builtins.reshape(call.x(), call.shape)]


def write_transpose(call: LoweredCall) -> list[TfliteTensor]:
    """Axes in another order; reversed where none is given."""
    return [call.builtins.transpose(call.x(), call.ints("perm", range(call.rank)[::-1]))]


def write_concat(call: LoweredCall) -> list[TfliteTensor]:
    """Operands one behind the other."""
    xs = [call.x(position) for position in range(len(call.operands))]
    axis = call.integer("axis", 0) % max(call.rank, 1)
    return [call.builtins.op("CONCATENATION", xs, call.shape, None, "ConcatenationOptions", axis=axis)]


def write_split(call: LoweredCall) -> list[TfliteTensor]:
    """Parts one behind the other."""
    axis, x = call.integer("axis", 0), call.x()
    sizes = call.builtins.ints([shape[axis] for _, shape in call.results])
    place = call.builtins.constant(np.array(axis, np.int32))
    results = [(None, shape) for _, shape in call.results]
    return call.builtins.ops("SPLIT_V", [x, sizes, place], results, "SplitVOptions", num_splits=len(results))


def write_slice(call: LoweredCall) -> list[TfliteTensor]:
    """Every n-th position of ranges."""
    x = call.x()
    starts, ends = call.places(1, "starts"), call.places(2, "ends")
    axes = call.places(3, "axes") if call.has(3) else list(range(len(starts)))
    steps = call.places(4, "steps") if call.has(4) else [1] * len(starts)
    return [sliced(call, x, {a % x.rank: (b, e, s) for a, b, e, s in zip(axes, starts, ends, steps, strict=True)})]


def sliced(call: LoweredCall, x: TfliteTensor, ranges: dict[int, tuple[int, int, int]]) -> TfliteTensor:
    """A tensor cut along axes: begin, end and step of each."""
    call.wanted(x.rank <= _MOST, RejectCode.RANK, "slices of at most 5 dimensions", f"has {x.rank}")
    begin, end, strides, mask, shape = [], [], [], 0, []
    for axis, dim in enumerate(x.shape):
        first, last, step = ranges.get(axis, (0, dim, 1))
        positions = range(dim)[slice(first, None if step < 0 and last < -dim else last, step)]
        begin.append(positions.start)
        end.append(max(positions.stop, -_END))
        strides.append(step)
        mask |= int(positions.stop < 0) << axis
        shape.append(len(positions))
    if all(step == 1 for step in strides):
        operands = [x, call.builtins.ints(begin), call.builtins.ints(shape)]
        return call.builtins.op("SLICE", operands, shape, None, "SliceOptions")
    operands = [x, *(call.builtins.ints(each) for each in (begin, end, strides))]
    return call.builtins.op("STRIDED_SLICE", operands, shape, None, "StridedSliceOptions", end_mask=mask)


def write_tile(call: LoweredCall) -> list[TfliteTensor]:
    """Copies one behind the other along each axis."""
    times = call.builtins.ints(call.places(1, "multiples"))
    return [call.builtins.op("TILE", [call.x(), times], call.shape, None, "TileOptions")]


def write_expand(call: LoweredCall) -> list[TfliteTensor]:
    """The operand, broadcast."""
    x = call.x()
    if x.shape == call.shape:
        return [x]
    folded = call.builtins.reshape(x, (1,)) if not x.shape else x
    operands = [folded, call.builtins.ints(call.shape)]
    return [call.builtins.op("BROADCAST_TO", operands, call.shape, None, "BroadcastToOptions")]


def write_pad(call: LoweredCall) -> list[TfliteTensor]:
    """More elements at both ends of axes."""
    x, pads, mode = call.x(), call.places(1, "paddings"), call.text("mode", "constant")
    rank = x.rank
    pairs = call.builtins.constant(
        np.array(list(zip(pads[:rank], pads[rank:], strict=True)), np.int32).reshape(rank, 2)
    )
    call.wanted(0 < rank <= _MOST, RejectCode.RANK, "borders of 1 to 5 dimensions", f"has {rank}")
    if mode == "reflect":
        return [call.builtins.op("MIRROR_PAD", [x, pairs], call.shape, None, "MirrorPadOptions", mode=0)]
    call.wanted(mode == "constant", RejectCode.ATTRIBUTE, "borders of one number, or mirrored", f"is {mode}")
    value = call.x(2) if call.has(2) else call.scalar(0, x.dtype)
    return [call.builtins.op("PADV2", [x, pairs, value], call.shape, None, "PadV2Options")]


def write_depth_to_space(call: LoweredCall) -> list[TfliteTensor]:
    """Channels (N, C, H, W) spread over blocks of positions."""
    x, block = call.x(), call.integer("blocksize", 1)
    batch, channels, height, width = x.shape
    less = channels // (block * block)
    first = call.text("mode", "DCR") == "DCR"
    apart = (batch, block, block, less, height, width) if first else (batch, less, block, block, height, width)
    order = (0, 3, 4, 1, 5, 2) if first else (0, 1, 4, 2, 5, 3)
    return [call.builtins.reshape(call.builtins.transpose(call.builtins.reshape(x, apart), order), call.shape)]


def write_space_to_depth(call: LoweredCall) -> list[TfliteTensor]:
    """Blocks of positions (N, C, H, W) as channels."""
    x, block = call.x(), call.integer("blocksize", 1)
    batch, channels, height, width = x.shape
    apart = (batch, channels, height // block, block, width // block, block)
    turned = call.builtins.transpose(call.builtins.reshape(x, apart), (0, 3, 5, 1, 2, 4))
    return [call.builtins.reshape(turned, call.shape)]


def write_reverse_sequence(call: LoweredCall) -> list[TfliteTensor]:
    """The first elements along an axis in reverse, as many as a length says for each of a batch."""
    lengths = call.builtins.cast(call.x(1), "int32")
    options = {"seq_dim": call.integer("time_axis", 0), "batch_dim": call.integer("batch_axis", 1)}
    operands = [call.x(), lengths]
    return [call.builtins.op("REVERSE_SEQUENCE", operands, call.shape, None, "ReverseSequenceOptions", **options)]


OPERATORS: dict[str, Write] = {
    "Reshape": write_reshape,
    "Transpose": write_transpose,
    "Concat": write_concat,
    "Split": write_split,
    "Slice": write_slice,
    "Tile": write_tile,
    "Expand": write_expand,
    "Pad": write_pad,
    "DepthToSpace": write_depth_to_space,
    "SpaceToDepth": write_space_to_depth,
    "ReverseSequence": write_reverse_sequence,
}
"""Writers of this file by ONNX's names."""
