"""ONNX's LSTM and GRU as operators of this package where possible; all other nodes, and RNN, are Custom nodes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....basics.data_class import dataclass
from ....ir import Value
from ...rejection import Why
from ..builder import UNKNOWN
from ..conversion import Converter, OnnxNode, Outputs
from ..protobuf.types import type_id

_DIRECTIONS = {"forward": 1, "reverse": 1, "bidirectional": 2}
_KERNEL_DTYPES = ("float32", "float16")


@dataclass(frozen=True)
class _Sizes:
    """The sizes of a cell: directions, and rows of its state."""

    directions: int
    hidden: int


def lstm(node: OnnxNode) -> Outputs:
    """The outputs of the schema's LSTM; rejects features that it lacks."""
    node.reject_unless(node.optional(7) is None, Why.OPERATOR, "LSTM has no peepholes")
    node.reject_unless(not node.get("input_forget", 0), Why.ATTRIBUTE, "LSTM has no coupled gates")
    node.reject_unless(not _has_lengths(node), Why.OPERATOR, "LSTM has no lengths of sequences")
    return _by_kernel(node, "LSTM", 4, 2, ["sigmoid", "tanh", "tanh"])


def _gru(node: OnnxNode) -> Outputs:
    after = node.get("linear_before_reset", 0)
    node.reject_unless(not after, Why.ATTRIBUTE, "GRU's reset gate acts before the product")
    # The kernel goes backwards in a second direction only; turning the input around fits sequences of one length.
    turned = node.get("direction", "forward") == "reverse"
    node.reject_unless(
        not (turned and _has_lengths(node)), Why.ATTRIBUTE, "GRU goes forward along lengths of sequences"
    )
    return _by_kernel(node, "GRU", 3, 1, ["sigmoid", "tanh"])


def _rnn(node: OnnxNode) -> Outputs:
    node.reject(Why.OPERATOR, "there is no such operator in the .ms format")


def _by_kernel(node: OnnxNode, op_type: str, gates: int, states: int, default: Sequence[str]) -> list[Value]:
    sizes = _sizes(node, gates)
    _check_plain(node, [*default] * sizes.directions)
    batch_first, turned = bool(node.get("layout", 0)), node.get("direction", "forward") == "reverse"
    x = node.transpose(node.x(0), [1, 0, 2]) if batch_first else node.x(0)
    bias = node.optional(3)
    if bias is None:
        zeros = np.zeros((sizes.directions, 2 * gates * sizes.hidden), node.dtype(x))
        bias = node.constant(zeros, "bias")
    first = [_first_state(node, x, number, sizes, batch_first) for number in range(states)]
    inputs = [node.emit("ReverseV2", x, axis=[0]) if turned else x, node.x(1), node.x(2), bias, *first]
    lengths = node.optional(4)
    if lengths is not None and _has_lengths(node):
        inputs.append(lengths)
    y, *last = node.emit_all(op_type, 1 + states, *inputs, bidirectional=sizes.directions == 2)
    y = node.emit("ReverseV2", y, axis=[0]) if turned else y
    if not batch_first:
        return [y, *last]
    return [node.transpose(y, [2, 0, 1, 3]), *(node.transpose(s, [1, 0, 2]) for s in last)]


def _check_plain(node: OnnxNode, usual: Sequence[str]) -> None:
    """Rejects nodes that the kernels do not compute: other activations, clipping, other dtypes."""
    names = [name.lower() for name in node.get("activations", None) or usual]
    node.reject_unless(names == list(usual), Why.ATTRIBUTE, f"activations are {list(usual)}, found {names}")
    clip = float(node.get("clip", 0.0))
    node.reject_unless(clip == 0, Why.ATTRIBUTE, f"gates are not clipped, found clip {clip:g}")
    dtype = node.dtype(node.x(0)).name
    node.reject_unless(dtype in _KERNEL_DTYPES, Why.DTYPE, f"takes {', '.join(_KERNEL_DTYPES)}, found {dtype}")


def _sizes(node: OnnxNode, gates: int) -> _Sizes:
    direction = node.get("direction", "forward")
    node.reject_unless(direction in _DIRECTIONS, Why.ATTRIBUTE, f"direction {direction}")
    directions, (count, rows, hidden) = _DIRECTIONS[direction], node.dims(node.x(2))
    node.reject_unless(hidden != UNKNOWN, Why.SHAPE, "the shape of the state's weight must be known")
    node.reject_unless(
        count == directions and rows == gates * hidden,
        Why.SHAPE,
        f"the state's weight must be {[directions, gates * hidden, hidden]}, found {[count, rows, hidden]}",
    )
    return _Sizes(directions, hidden)


def _first_state(node: OnnxNode, x: Value, number: int, sizes: _Sizes, batch_first: bool) -> Value:
    """A first state (D, B, H) of all directions."""
    given = node.optional(5 + number)
    if given is not None:
        return node.transpose(given, [1, 0, 2]) if batch_first else given
    batch = node.dims(x)[1]
    if batch != UNKNOWN:
        zeros = np.zeros((sizes.directions, batch, sizes.hidden), node.dtype(x))
        return node.builder.constant(f"{node.name}/zeros", zeros)
    places = node.emit("Gather", node.emit("Shape", x), node.ints([1]), node.axis_operand(0))
    ends = node.ints([sizes.directions]), node.ints([sizes.hidden])
    shape = node.emit("Concat", ends[0], node.cast(places, "int32"), ends[1], axis=0)
    return node.emit("ConstantOfShape", shape, data_type=type_id(node.dtype(x)), value=[0.0])


def _has_lengths(node: OnnxNode) -> bool:
    """Whether sequences may be shorter than all time steps."""
    lengths = node.optional(4)
    if lengths is None:
        return False
    known, steps = node.known(lengths), node.dims(node.x(0))[1 if node.get("layout", 0) else 0]
    return known is None or bool((known != steps).any())


CONVERTERS: dict[str, Converter] = {"GRU": _gru, "LSTM": lstm, "RNN": _rnn}
