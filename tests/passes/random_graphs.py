"""Random graphs of image and sequence operators with transposes among them, and running a graph for comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np
from hypothesis import strategies as st

from lite_delegate import DataType, Model
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive

Array = np.ndarray[Any, Any]
TO_NCHW, TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)


class Builder:
    """Makes a graph node by node; knows the shape of every value that it made."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.nodes: list[Node] = []
        self.inputs: list[Value] = []

    def input(self, name: str, shape: tuple[int, ...], dtype: DataType = DataType.FLOAT32) -> Value:
        value = Value(name, dtype, shape)
        self.inputs.append(value)
        return value

    def const(self, data: Any, dtype: Any = np.float32) -> Value:
        return constant(f"c{self.rng.integers(1 << 40)}", np.asarray(data, dtype))

    def weights(self, *shape: int) -> Value:
        return self.const(self.rng.normal(size=shape))

    @overload
    def node(
        self, op: str, *inputs: Value | None, shapes: list[tuple[int, ...]], dtype: Any = None, **attributes: Any
    ) -> list[Value]: ...

    @overload
    def node(
        self,
        op: str,
        *inputs: Value | None,
        shapes: tuple[int, ...] | None = None,
        dtype: Any = None,
        **attributes: Any,
    ) -> Value: ...

    def node(
        self,
        op: str,
        *inputs: Value | None,
        shapes: list[tuple[int, ...]] | tuple[int, ...] | None = None,
        dtype: Any = None,
        **attributes: Any,
    ) -> Value | list[Value]:
        """A node; its outputs have the shapes that it is told, one (a tuple) or several (a list of them)."""
        first = next(v for v in inputs if v is not None)
        listed = shapes if isinstance(shapes, list) else [first.shape if shapes is None else shapes]
        name = f"{op}{len(self.nodes)}"
        kind = dtype or first.dtype
        outputs = [Value(f"{name}:{i}", kind, s) for i, s in enumerate(listed)]
        self.nodes.append(Node(name, make_primitive(op, **attributes), list(inputs), outputs))
        return outputs if isinstance(shapes, list) else outputs[0]

    def transpose(self, x: Value, perm: tuple[int, ...]) -> Value:
        assert x.shape is not None
        shape = tuple(x.shape[a] for a in perm)
        return self.node("Transpose", x, self.const(perm, np.int32), shapes=shape)

    def conv(self, x: Value, cout: int, kernel: int = 3, **attributes: Any) -> Value:
        """A convolution in (N, C, H, W), as an importer writes it: the operator between two transposes."""
        assert x.shape is not None
        n, c, h, w = x.shape
        inside = self.transpose(x, TO_NHWC)
        weight = self.weights(cout, kernel, kernel, c)
        y = self.node(
            "Conv2DFusion", inside, weight, self.weights(cout), shapes=(n, h, w, cout), pad_mode="SAME",
            group=1, kernel_size=(kernel, kernel), stride=(1, 1), in_channel=c, out_channel=cout, **attributes,
        )  # fmt: skip
        return self.transpose(y, TO_NCHW)

    def graph(self, *outputs: Value) -> Graph:
        return Graph("main", self.inputs, list(outputs), self.nodes)


def run(graph: Graph, inputs: dict[str, Array] | None = None, seed: int = 0) -> list[Array]:
    """The outputs for given inputs, or random ones."""
    model = Model()
    model.build_from_graph(graph)
    return [t.data for t in model.predict(random_inputs(graph, seed) if inputs is None else inputs)]


def random_inputs(graph: Graph, seed: int = 0) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    return {v.name: rng.normal(size=v.shape or ()).astype(np.float32) for v in graph.inputs}


def count(graph: Graph, op_type: str) -> int:
    return sum(n.op_type == op_type for n in graph.nodes)


Step = Callable[[Builder, Value, st.DrawFn], Value]


def _rank(x: Value) -> int:
    assert x.shape is not None
    return len(x.shape)


def _transpose(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    return b.transpose(x, tuple(draw(st.permutations(range(_rank(x))))))


def _conv(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    return b.conv(x, draw(st.integers(1, 3)), draw(st.sampled_from((1, 3)))) if _rank(x) == 4 else x


def _activation(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    return b.node("Activation", x, activation_type=draw(st.sampled_from(("RELU", "SIGMOID", "TANH"))))


def _add_constant(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    assert x.shape is not None
    shape = [d if draw(st.booleans()) else 1 for d in x.shape][draw(st.integers(0, _rank(x))) :]
    return b.node(draw(st.sampled_from(("AddFusion", "MulFusion"))), x, b.weights(*shape))


def _residual(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    return b.node("AddFusion", _activation(b, x, draw), _any_step(b, x, draw, keep=True))


def _concat(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    assert x.shape is not None
    if not x.shape:
        return x
    axis = draw(st.integers(-_rank(x), _rank(x) - 1))
    other = b.weights(*x.shape) if draw(st.booleans()) else _activation(b, x, draw)
    shape = tuple(2 * d if i == axis % _rank(x) else d for i, d in enumerate(x.shape))
    return b.node("Concat", x, other, shapes=shape, axis=axis)


def _split(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    assert x.shape is not None
    if not x.shape:
        return x
    axis = draw(st.integers(-_rank(x), _rank(x) - 1))
    if x.shape[axis] < 2:
        return x
    sizes = (1, x.shape[axis] - 1)
    shapes = [tuple(s if i == axis % _rank(x) else d for i, d in enumerate(x.shape)) for s in sizes]
    return b.node("Split", x, shapes=shapes, axis=axis, output_num=2, size_splits=sizes)[draw(st.integers(0, 1))]


def _reduce(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    assert x.shape is not None
    rank, keep = _rank(x), draw(st.booleans())
    if rank < 2:
        return x
    axes = draw(st.lists(st.integers(0, rank - 1), min_size=1, max_size=rank - 1, unique=True))
    shape = tuple(1 if i in axes else d for i, d in enumerate(x.shape) if keep or i not in axes)
    signed = [a - rank if draw(st.booleans()) else a for a in axes]
    mode = draw(st.sampled_from(("ReduceMean", "ReduceMax", "ReduceSum")))
    return b.node("ReduceFusion", x, b.const(signed, np.int32), shapes=shape, keep_dims=keep, mode=mode)


def _softmax(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    return b.node("Softmax", x, axis=(draw(st.integers(-_rank(x), _rank(x) - 1)),)) if _rank(x) else x


def _pad(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    assert x.shape is not None
    pads = [(draw(st.integers(0, 1)), draw(st.integers(0, 1))) for _ in x.shape]
    shape = tuple(d + p + q for d, (p, q) in zip(x.shape, pads, strict=True))
    return b.node("PadFusion", x, b.const(pads, np.int32), shapes=shape) if x.shape else x


def _slice(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    assert x.shape is not None
    begin = [draw(st.integers(0, d - 1)) for d in x.shape]
    shape = tuple(d - s for d, s in zip(x.shape, begin, strict=True))
    if draw(st.booleans()) and x.shape:
        axis = draw(st.integers(0, len(begin) - 1))
        ends = b.const([(1 << 31) - 1], np.int32)
        shape = tuple(n if i == axis else d for i, (n, d) in enumerate(zip(shape, x.shape, strict=True)))
        named, ones = b.const([axis], np.int32), b.const([1], np.int32)
        return b.node("StridedSlice", x, b.const([begin[axis]], np.int32), ends, named, ones, shapes=shape)
    return b.node("SliceFusion", x, b.const(begin, np.int32), b.const([-1] * len(begin), np.int32), shapes=shape)


def _unsqueeze(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    assert x.shape is not None
    if _rank(x) > 4:
        return x
    place = draw(st.integers(0, _rank(x)))
    shape = (*x.shape[:place], 1, *x.shape[place:])
    if draw(st.booleans()):
        return b.node("ExpandDims", x, b.const(place, np.int32), shapes=shape)
    return b.node("Unsqueeze", x, shapes=shape, axis=(place - len(shape),))


def _squeeze(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    assert x.shape is not None
    ones = [i for i, d in enumerate(x.shape) if d == 1]
    if not ones:
        return x
    axis = draw(st.sampled_from(ones))
    return b.node("Squeeze", x, shapes=tuple(d for i, d in enumerate(x.shape) if i != axis), axis=(axis,))


def _reshape(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    assert x.shape is not None
    shape = list(x.shape)
    if len(shape) > 1 and draw(st.booleans()):
        place = draw(st.integers(0, len(shape) - 2))
        shape[place : place + 2] = [shape[place] * shape[place + 1]]
    elif 0 < len(shape) < 5:
        place = draw(st.integers(0, len(shape) - 1))
        divisors = [d for d in range(1, shape[place] + 1) if shape[place] % d == 0]
        divisor = draw(st.sampled_from(divisors))
        shape[place : place + 1] = [divisor, shape[place] // divisor]
    told = list(shape)
    if len(told) > 0 and draw(st.booleans()):
        told[draw(st.integers(0, len(told) - 1))] = -1
    elif told and x.shape and told[0] == x.shape[0]:
        told[0] = 0
    return b.node("Reshape", x, b.const(told, np.int32), shapes=tuple(shape))


def _select(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    assert x.shape is not None
    if not x.shape:
        return x
    axis = draw(st.integers(0, _rank(x) - 1))
    indices = [draw(st.integers(0, x.shape[axis] - 1)) for _ in range(draw(st.integers(1, 3)))]
    shape = tuple(len(indices) if i == axis else d for i, d in enumerate(x.shape))
    return b.node("Gather", x, b.const(indices, np.int32), b.const(axis, np.int32), shapes=shape)


def _channels(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    if not _rank(x):
        return x
    assert x.shape is not None
    c = x.shape[-1]
    positive = b.const(b.rng.random(c) + 0.5)
    match draw(st.integers(0, 3)):
        case 0:
            return b.node("FusedBatchNorm", x, b.weights(c), b.weights(c), b.weights(c), positive, epsilon=1e-3)
        case 1:
            return b.node("BatchNorm", x, b.weights(c), positive, epsilon=1e-5)
        case 2:
            return b.node("ScaleFusion", x, b.weights(c), axis=-1, activation_type=draw(st.integers(0, 1)))
        case _:
            return b.node("BiasAdd", x, b.weights(c))


def _product(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    """A convolution or matrix product over the last axis."""
    assert x.shape is not None
    cout = draw(st.integers(1, 3))
    if _rank(x) == 4:
        c = x.shape[-1]
        bias = b.weights(cout) if draw(st.booleans()) else None
        return b.node(
            "Conv2DFusion", x, b.weights(cout, 1, 1, c), *([bias] if bias else []), shapes=(*x.shape[:3], cout),
            group=1, kernel_size=(1, 1), stride=(1, 1), pad_mode="SAME",
        )  # fmt: skip
    if _rank(x) in (2, 3):
        flip = draw(st.booleans())
        weight = b.weights(cout, x.shape[-1]) if flip else b.weights(x.shape[-1], cout)
        return b.node("MatMulFusion", x, weight, shapes=(*x.shape[:-1], cout), transpose_b=flip)
    return x


def _clip(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    return b.node("Clip", x, min=0.0, max=draw(st.sampled_from((1.0, 6.0, float("inf")))))


def _spelled_out(b: Builder, x: Value, draw: st.DrawFn) -> Value:
    """An activation or a normalization as several nodes."""
    kind = draw(st.integers(0, 3))
    if kind == 0:
        erf = b.node("Erf", b.node("MulFusion", x, b.const(0.5**0.5)))
        return b.node("MulFusion", b.node("MulFusion", x, b.node("AddFusion", erf, b.const(1))), b.const(0.5))
    if kind == 1:
        return b.node("MulFusion", x, b.node("Activation", x, activation_type="SIGMOID"))
    if kind == 2:
        relu6 = b.node("Activation", b.node("AddFusion", x, b.const(3)), activation_type="RELU6")
        return b.node("DivFusion", b.node("MulFusion", x, relu6), b.const(6))
    assert x.shape is not None
    if not x.shape:
        return x
    shape, last = (*x.shape[:-1], 1), b.const([-1], np.int32)
    centered = b.node("SubFusion", x, b.node("ReduceFusion", x, last, shapes=shape, keep_dims=True))
    square = b.node("PowFusion", centered, b.const(2))
    variance = b.node("ReduceFusion", square, last, shapes=shape, keep_dims=True)
    root = b.node("Sqrt", b.node("AddFusion", variance, b.const(1e-2)))
    scaled = b.node("MulFusion", b.node("DivFusion", centered, root), b.weights(x.shape[-1]))
    return b.node("AddFusion", scaled, b.weights(x.shape[-1]))


KEEPING: tuple[Step, ...] = (_activation, _softmax)
STEPS: tuple[Step, ...] = (
    _transpose, _transpose, _conv, _conv, _activation, _add_constant, _residual, _concat, _split, _reduce, _softmax,
    _pad, _slice, _unsqueeze, _squeeze, _reshape, _reshape, _select, _channels, _channels, _product, _product, _clip,
    _spelled_out,
)  # fmt: skip


def _any_step(b: Builder, x: Value, draw: st.DrawFn, *, keep: bool = False) -> Value:
    step = draw(st.sampled_from(KEEPING if keep else STEPS))
    return step(b, x, draw)


@st.composite
def graphs(draw: st.DrawFn, steps: int = 14) -> Graph:
    """A graph of up to ``steps`` steps, each from any value before it, with one to three outputs."""
    b = Builder(draw(st.integers(0, 99)))
    values = [b.input("x", draw(st.sampled_from([(1, 3, 4, 4), (2, 2, 3, 4), (2, 1, 1, 3)])))]
    for _ in range(draw(st.integers(2, steps))):
        source = values[-1] if draw(st.integers(0, 3)) else draw(st.sampled_from(values))
        made = _any_step(b, source, draw)
        if made not in values and np.prod(made.shape or ()) < 5000:
            values.append(made)
    made_by_nodes = [v for v in values[1:] if any(v in n.outputs for n in b.nodes)]
    if not made_by_nodes:
        made_by_nodes = [_activation(b, values[0], draw)]
    extra = draw(st.lists(st.sampled_from(made_by_nodes), max_size=2))
    return b.graph(*dict.fromkeys([made_by_nodes[-1], *extra]))
