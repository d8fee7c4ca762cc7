"""Steps that add nodes to a growing model: elementwise, reducing, moving and indexing operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.random_models.onnx_growing import Growing
from tests.random_models.steps import Array, has_length, has_roots

Grow = Callable[[Growing], object]
"""Tries to add nodes; what does not fit adds none."""

FLOATS = (np.float32, np.float32, np.float32, np.float16, np.float64)
INTEGERS = (np.int8, np.uint8, np.int16, np.int32, np.int64)
UNARY = (
    *("Abs", "Neg", "Relu", "Sigmoid", "Tanh", "Softplus", "Softsign", "Elu", "Selu", "Celu", "HardSigmoid"),
    *("HardSwish", "LeakyRelu", "ThresholdedRelu", "Mish", "Gelu", "Erf", "Sin", "Cos", "Atan", "Sinh", "Asinh"),
    *("Ceil", "Floor", "Round", "Sign", "Identity", "Exp", "Reciprocal", "Sqrt", "Log", "Acosh", "Tan", "Cosh"),
)
BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min", "Mean", "Sum")
INTEGER_BINARY = ("Add", "Sub", "Mul", "Max", "Min", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Mod")
COMPARING = ("Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal")
LOGICAL = ("And", "Or", "Xor")
REDUCTIONS = ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare")


def unary(g: Growing) -> None:
    x = g.pick(g.rng.choice(FLOATS))
    if x is not None:
        op = g.rng.choice(UNARY)
        if op != "Sqrt" or has_roots(g.arrays[x]):
            g.node(op, [x])


def binary(g: Growing) -> None:
    """With another value that broadcasts, a constant, or the same value twice."""
    x = g.pick(g.rng.choice(FLOATS))
    if x is not None:
        pair = [x, _partner(g, x)]
        g.rng.shuffle(pair)
        g.node(g.rng.choice(BINARY), pair)


def _partner(g: Growing, x: str) -> str:
    array = g.arrays[x]
    other = g.pick(array.dtype, where=lambda y: _broadcasts(array, y))
    if other is not None and g.rng.random() < 0.6:
        return other
    shape = [size if g.rng.random() < 0.5 else 1 for size in array.shape]
    shape = shape[g.rng.randint(0, len(shape)) :]
    return g.constant(g.numbers(*shape, dtype=array.dtype))


def _broadcasts(a: Array, b: Array) -> bool:
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return False
    return True


def integer_binary(g: Growing) -> None:
    x = g.pick(g.rng.choice(INTEGERS))
    if x is not None:
        op = g.rng.choice(INTEGER_BINARY)
        more: dict[str, Any] = {"fmod": g.rng.randint(0, 1)} if op == "Mod" else {}
        g.node(op, [x, _partner(g, x)], **more)


def slope(g: Growing) -> None:
    """With slopes that broadcast to the value, not the other way round."""
    x = g.pick()
    if x is not None:
        shape = [size if g.rng.random() < 0.5 else 1 for size in g.arrays[x].shape]
        g.node("PRelu", [x, g.constant(g.numbers(*shape[g.rng.randint(0, len(shape)) :]))])


def power(g: Growing) -> None:
    x = g.pick()
    if x is not None:
        exponent = g.rng.choice([2.0, 3.0, 0.5, 1.0, -1.0])
        if exponent != 0.5 or has_roots(g.arrays[x]):
            g.node("Pow", [x, g.constant(exponent, np.float32)])


def clip(g: Growing) -> None:
    x = g.pick(g.rng.choice(FLOATS))
    if x is not None:
        kind = g.arrays[x].dtype
        low, high = sorted(g.rng.choice([(0, 6), (-1, 1), (0, 0.5), (-2, 3)]))
        bounds = [g.constant(low, kind) if g.rng.random() < 0.8 else "", g.constant(high, kind)]
        g.node("Clip", [x, *bounds])


def compare(g: Growing) -> None:
    x = g.pick(g.rng.choice((np.float32, np.int32, np.int64)))
    if x is not None:
        g.node(g.rng.choice(COMPARING), [x, _partner(g, x)])


def logical(g: Growing) -> None:
    x = g.pick(np.bool_)
    if x is not None:
        if g.rng.random() < 0.3:
            g.node("Not", [x])
        else:
            g.node(g.rng.choice(LOGICAL), [x, _partner(g, x)])


def where(g: Growing) -> None:
    condition, x = g.pick(np.bool_), g.pick(g.rng.choice((np.float32, np.int32)))
    if condition is not None and x is not None and _broadcasts(g.arrays[condition], g.arrays[x]):
        g.node("Where", [condition, x, _partner(g, x)])


_INTEGER_KINDS = ((6, np.int32), (7, np.int64), (3, np.int8), (2, np.uint8), (5, np.int16))
"""Of ONNX's data types, as numpy's."""


def cast(g: Growing) -> None:
    """A real number becomes no truth value: approximations differ in what is still more than 0.

    What a real number beyond an integer's range becomes is undefined.
    """
    x = g.pick(*FLOATS, *INTEGERS, np.bool_)
    if x is not None:
        array = g.arrays[x]
        kinds = [
            1,
            1,
            10,
            11,
            *(kind for kind, dtype in _INTEGER_KINDS if array.dtype.kind != "f" or _fits(array, dtype)),
        ]
        g.node("Cast", [x], to=g.rng.choice(kinds + [9] * (array.dtype.kind != "f")))


def _fits(array: Array, dtype: type[np.integer[Any]]) -> bool:
    limits = np.iinfo(dtype)
    wide = array.astype(np.float64)
    return bool(np.all((wide >= limits.min) & (wide <= limits.max)))


def _axes(g: Growing, rank: int, most: int | None = None) -> list[int]:
    axes = g.rng.sample(range(rank), g.rng.randint(1, most or rank))
    return [axis - rank if g.rng.random() < 0.3 else axis for axis in axes]


def reduce(g: Growing) -> None:
    x = g.pick(g.rng.choice(FLOATS), where=lambda a: a.ndim > 0)
    if x is not None:
        axes = g.constant(_axes(g, g.arrays[x].ndim), np.int64)
        g.node(g.rng.choice(REDUCTIONS), [x, axes], keepdims=g.rng.randint(0, 1))


def softmax(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0)
    if x is not None:
        op = g.rng.choice(["Softmax", "LogSoftmax", "LpNormalization", "Hardmax"])
        axis = _axes(g, g.arrays[x].ndim, 1)[0]
        if op != "LpNormalization" or has_length(g.arrays[x], axis):
            g.node(op, [x], axis=axis)


def arg_reduce(g: Growing) -> None:
    x = g.pick(g.rng.choice((np.float32, np.int32)), where=lambda a: a.ndim > 0)
    if x is not None:
        axis, keep = _axes(g, g.arrays[x].ndim, 1)[0], g.rng.randint(0, 1)
        g.node(g.rng.choice(["ArgMax", "ArgMin"]), [x], axis=axis, keepdims=keep, select_last_index=g.rng.randint(0, 1))


def top_k(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0 and 0 not in a.shape)
    if x is not None:
        axis = _axes(g, g.arrays[x].ndim, 1)[0]
        k = g.constant([g.rng.randint(1, g.arrays[x].shape[axis])], np.int64)
        g.node("TopK", [x, k], 2, axis=axis, largest=g.rng.randint(0, 1))


def cumulative(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0)
    if x is not None:
        axis = g.constant(_axes(g, g.arrays[x].ndim, 1)[0], np.int64)
        g.node("CumSum", [x, axis], exclusive=g.rng.randint(0, 1), reverse=g.rng.randint(0, 1))


def _any(g: Growing, min_rank: int = 0) -> str | None:
    kind = g.rng.choice((np.float32, np.float32, np.float32, np.float16, np.int32, np.int64, np.int8, np.bool_))
    return g.pick(kind, where=lambda a: a.ndim >= min_rank)


def transpose(g: Growing) -> None:
    x = _any(g, 2)
    if x is not None:
        g.node("Transpose", [x], perm=g.rng.sample(range(g.arrays[x].ndim), g.arrays[x].ndim))


def reshape(g: Growing) -> None:
    """To other dimensions, some of them 0 (as the input's) or -1; sometimes computed from the input's shape."""
    x = _any(g)
    if x is None:
        return
    dims = g.other_dims(g.arrays[x].size, 5)
    if g.rng.random() < 0.4:
        dims[g.rng.randrange(len(dims))] = -1
    if dims[0] == (g.arrays[x].shape or (0,))[0] and g.rng.random() < 0.5:
        dims[0] = 0
    g.node("Reshape", [x, g.constant(dims, np.int64)])


def reshape_like_itself(g: Growing) -> None:
    """The chain that exporters write: Shape, Gather, Concat, Reshape."""
    x = g.pick(where=lambda a: a.ndim >= 2)
    if x is None:
        return
    shape = g.node("Shape", [x])
    first = g.node("Gather", [*shape, g.constant([0], np.int64)], axis=0) if shape else []
    if first:
        whole = g.node("Concat", [*first, g.constant([-1], np.int64)], axis=0)
        g.node("Reshape", [x, *whole])


def flatten(g: Growing) -> None:
    x = g.pick()
    if x is not None:
        g.node("Flatten", [x], axis=g.rng.randint(0, g.arrays[x].ndim))


def squeeze(g: Growing) -> None:
    x = _any(g)
    if x is None:
        return
    ones = [axis for axis, size in enumerate(g.arrays[x].shape) if size == 1]
    if ones and g.rng.random() < 0.6:
        g.node("Squeeze", [x, g.constant(g.rng.sample(ones, g.rng.randint(1, len(ones))), np.int64)])
    else:
        g.node("Unsqueeze", [x, g.constant(_axes(g, g.arrays[x].ndim + 1, 1), np.int64)])


def concat(g: Growing) -> None:
    x = _any(g, 1)
    if x is None:
        return
    array, axis = g.arrays[x], _axes(g, g.arrays[x].ndim, 1)[0]
    rest = [size for at, size in enumerate(array.shape) if at != axis % array.ndim]

    def fits(other: Array) -> bool:
        if other.ndim != array.ndim:
            return False
        return [size for at, size in enumerate(other.shape) if at != axis % array.ndim] == rest

    parts = [x, g.pick(array.dtype, where=fits) or x]
    if g.rng.random() < 0.3:
        parts.append(g.constant(g.numbers(*array.shape, dtype=array.dtype)))
    g.rng.shuffle(parts)
    g.node("Concat", parts, axis=axis)


def split(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0 and max(a.shape) > 1)
    if x is None:
        return
    shape = g.arrays[x].shape
    axis = g.rng.choice([axis for axis, size in enumerate(shape) if size > 1])
    first = g.rng.randint(1, shape[axis] - 1)
    g.node("Split", [x, g.constant([first, shape[axis] - first], np.int64)], 2, axis=axis)


def slice_(g: Growing) -> None:
    x = _any(g, 1)
    if x is None:
        return
    shape = g.arrays[x].shape
    axes = g.rng.sample(range(len(shape)), g.rng.randint(1, len(shape)))
    steps = [g.rng.choice([1, 1, 1, 2, -1]) for _ in axes]
    pairs = [sorted((g.rng.randint(-shape[a], shape[a]), g.rng.choice([shape[a], 2**31, -1, 1]))) for a in axes]
    starts = [pair[0] if step > 0 else pair[1] for pair, step in zip(pairs, steps, strict=True)]
    ends = [pair[1] if step > 0 else pair[0] for pair, step in zip(pairs, steps, strict=True)]
    g.node("Slice", [x, *(g.constant(each, np.int64) for each in (starts, ends, axes, steps))])


def gather(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0 and 0 not in a.shape)
    if x is None:
        return
    array = g.arrays[x]
    axis = g.rng.randrange(array.ndim)
    size = array.shape[axis]
    shape = [g.rng.randint(1, 3) for _ in range(g.rng.randint(0, 2))]
    op = g.rng.choice(["Gather", "Gather", "GatherElements", "GatherND"])
    if op == "GatherElements":
        shape = [n if at != axis else g.rng.randint(1, 4) for at, n in enumerate(array.shape)]
    if op == "GatherND":
        places, axis = np.array([[g.rng.randrange(n) for n in array.shape[: g.rng.randint(1, array.ndim)]]]), 0
    else:
        places = np.array([g.rng.randrange(-size, size) for _ in range(int(np.prod(shape)))]).reshape(shape)
    more: dict[str, Any] = {} if op == "GatherND" else {"axis": axis}
    g.node(op, [x, _places(g, places)], **more)


def _places(g: Growing, places: Array) -> str:
    """Constant, or an input of the model."""
    kept = places.astype(np.int64)
    return g.input(kept) if g.rng.random() < 0.3 and not g.prefix else g.constant(kept)


def scatter(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0 and 0 not in a.shape)
    if x is None:
        return
    array = g.arrays[x]
    axis, reduction = g.rng.randrange(array.ndim), g.rng.choice(["none", "add", "max", "mul"])
    if g.rng.random() < 0.5:
        order = g.rng.sample(range(array.shape[axis]), g.rng.randint(1, array.shape[axis]))
        shape = [n if at != axis else len(order) for at, n in enumerate(array.shape)]
        column = np.array(order).reshape([-1 if at == axis else 1 for at in range(array.ndim)])
        places, updates = np.broadcast_to(column, shape), g.constant(g.numbers(*shape))
        g.node("ScatterElements", [x, _places(g, places), updates], axis=axis, reduction=reduction)
    else:
        rows = g.rng.sample(range(array.shape[0]), g.rng.randint(1, array.shape[0]))
        updates = g.constant(g.numbers(len(rows), *array.shape[1:]))
        g.node("ScatterND", [x, _places(g, np.array(rows)[:, None]), updates], reduction=reduction)


def one_hot(g: Growing) -> None:
    places = np.array([g.rng.randint(-4, 5) for _ in range(g.rng.randint(1, 4))])
    depth, values = g.constant(g.rng.randint(4, 6), np.int64), g.constant([0, 1], np.float32)
    g.node("OneHot", [_places(g, places), depth, values], axis=g.rng.choice([-1, 0, 1]))


def expand(g: Growing) -> None:
    x = _any(g)
    if x is None:
        return
    shape = [n if n != 1 else g.rng.randint(1, 3) for n in g.arrays[x].shape]
    if g.rng.random() < 0.5:
        g.node("Expand", [x, g.constant([g.rng.randint(1, 2), *shape], np.int64)])
    else:
        g.node("Tile", [x, g.constant([g.rng.randint(1, 2) for _ in shape], np.int64)])


def pad(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim > 0)
    if x is None:
        return
    rank, mode = g.arrays[x].ndim, g.rng.choice(["constant", "constant", "reflect", "edge", "wrap"])
    amounts = [g.rng.choice([0, 0, 1, 2, *([-1] if mode == "constant" else [])]) for _ in range(2 * rank)]
    value = [g.constant(g.rng.choice([0.0, 1.5]), np.float32)] if mode == "constant" else []
    g.node("Pad", [x, g.constant(amounts, np.int64), *value], mode=mode)


def triangle(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim >= 2)
    if x is not None:
        g.node("Trilu", [x, g.constant(g.rng.randint(-2, 2), np.int64)], upper=g.rng.randint(0, 1))


def reverse(g: Growing) -> None:
    x = g.pick(where=lambda a: a.ndim >= 2 and 0 not in a.shape)
    if x is not None:
        time = g.rng.randint(0, 1)
        shape = g.arrays[x].shape
        lengths = np.array([g.rng.randint(1, shape[time]) for _ in range(shape[1 - time])])
        g.node("ReverseSequence", [x, _places(g, lengths)], batch_axis=1 - time, time_axis=time)


ELEMENTWISE: tuple[Grow, ...] = (unary, unary, binary, binary, slope, power, clip)
"""What keeps shapes, more or less; bodies of loops and branches are made of it."""
STEPS: tuple[Grow, ...] = (
    *(*ELEMENTWISE, integer_binary, compare, logical, where, cast),
    *(reduce, reduce, softmax, arg_reduce, top_k, cumulative),
    *(transpose, transpose, reshape, reshape, reshape_like_itself, flatten, squeeze, squeeze, concat, split, slice_),
    *(gather, scatter, one_hot, expand, pad, triangle, reverse),
)
