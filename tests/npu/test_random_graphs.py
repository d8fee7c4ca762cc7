"""Random graphs of whole numbers: the device must give exactly what numpy gives in the model's own layout.

Whole numbers up to 2048 are float16 numbers, so a wrong axis, a missing permute or a stale buffer cannot hide
behind a tolerance. Each result is clamped to [-6, 6] to keep what follows in that range.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.ir.types.enums import ReduceMode
from lite_delegate.tensors.tensor import Tensor
from tests.npu.graphs import Array, HostKernel, const, ints, node, out, predict, small_ints, variable

LIMIT = np.float32(6)
Draw = st.DrawFn


class Growing:
    """A graph under construction: kernels, and the value of every tensor so far."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.kernels: list[HostKernel] = []
        self.values: dict[Tensor, Array] = {}
        self.feeds: dict[Tensor, Array] = {}
        for i in range(draw(st.integers(1, 2))):
            shape = draw(st.sampled_from([(1, 3, 2, 4), (2, 2, 3, 2), (2, 3, 2), (1, 1, 4, 3), (6,)]))
            tensor = variable(f"x{i}", shape)
            self.feeds[tensor] = self.values[tensor] = small_ints(shape, draw(st.integers(0, 99)), -6, 7)

    def pick(self, *ranks: int) -> Tensor:
        fitting = [t for t in self.values if not ranks or len(t.shape) in ranks]
        return self.draw(st.sampled_from(fitting)) if fitting else self.add_reshape(1)

    def add(self, kernel: HostKernel, value: Array) -> Tensor:
        self.kernels.append(kernel)
        self.values[out(kernel)] = np.asarray(value, np.float32)
        return out(kernel)

    def clamped(self, tensor: Tensor) -> None:
        for op_type, function, limit in (("Minimum", np.minimum, LIMIT), ("Maximum", np.maximum, -LIMIT)):
            kernel = node(op_type, [tensor, const("limit", np.array(limit))], tensor.shape)
            tensor = self.add(kernel, function(self.values[tensor], limit))

    def add_conv(self) -> None:
        x = self.pick(4)
        if len(x.shape) != 4:
            return
        weight = small_ints((self.draw(st.integers(1, 4)), 1, 1, x.shape[3]), 1, -1, 2)
        kernel = node("Conv2DFusion", [x, const("w", weight)], (*x.shape[:3], len(weight)), group=1)
        self.clamped(self.add(kernel, self.values[x] @ weight[:, 0, 0].T))

    def add_pool(self) -> None:
        x = self.pick(4)
        if len(x.shape) != 4:
            return
        kernel = node("MaxPoolFusion", [x], (x.shape[0], 1, 1, x.shape[3]), global_=True)
        self.add(kernel, self.values[x].max((1, 2), keepdims=True))

    def add_neg(self) -> None:
        x = self.pick()
        self.add(node("Neg", [x], x.shape), -self.values[x])

    def add_binary(self) -> None:
        x, y = self.pick(), self.pick()
        op_type, function = self.draw(st.sampled_from([("AddFusion", np.add), ("SubFusion", np.subtract)]))
        try:
            value = function(self.values[x], self.values[y])
        except ValueError:
            return
        self.clamped(self.add(node(op_type, [x, y], value.shape), value))

    def add_constant(self) -> None:
        x = self.pick()
        kept = self.draw(st.integers(0, len(x.shape)))
        shape = [self.draw(st.sampled_from([1, d])) for d in x.shape[len(x.shape) - kept :]]
        constant = small_ints(shape, self.draw(st.integers(0, 99)))
        self.clamped(self.add(node("MulFusion", [x, const("c", constant)], x.shape), self.values[x] * constant))

    def add_transpose(self) -> None:
        x = self.pick()
        perm = self.draw(st.permutations(range(len(x.shape))))
        if len(x.shape) == 4 and self.draw(st.booleans()):
            perm = list(self.draw(st.sampled_from([(0, 3, 1, 2), (0, 2, 3, 1)])))
        self.add(node("Transpose", [x, ints(*perm)], [x.shape[a] for a in perm]), self.values[x].transpose(perm))

    def add_reshape(self, rank: int | None = None) -> Tensor:
        x = self.draw(st.sampled_from(list(self.values)))
        shape, rest = [], math.prod(x.shape)
        for _ in range((self.draw(st.integers(1, 4)) if rank is None else rank) - 1):
            shape.append(self.draw(st.sampled_from([d for d in range(1, rest + 1) if rest % d == 0])))
            rest //= shape[-1]
        shape.append(rest)
        return self.add(node("Reshape", [x, ints(*shape)], shape), self.values[x].reshape(shape))

    def add_concat(self) -> None:
        x = self.pick()
        if not x.shape or math.prod(x.shape) > 100:
            return
        axis = self.draw(st.integers(-len(x.shape), len(x.shape) - 1))
        others = [t for t in self.values if t.shape == x.shape]
        y = self.draw(st.sampled_from(others))
        value = np.concatenate([self.values[x], self.values[y]], axis)
        self.add(node("Concat", [x, y], value.shape, axis=axis), value)

    def add_reduce(self) -> None:
        x = self.pick()
        if not x.shape:
            return
        axes = self.draw(st.lists(st.integers(0, len(x.shape) - 1), min_size=1, unique=True))
        keep = self.draw(st.booleans())
        value = self.values[x].sum(tuple(axes), keepdims=keep)
        kernel = node("ReduceFusion", [x, ints(*axes)], value.shape, keep_dims=keep, mode=ReduceMode.ReduceSum)
        self.clamped(self.add(kernel, value))


STEPS: tuple[Callable[[Growing], object], ...] = (
    Growing.add_conv,
    Growing.add_pool,
    Growing.add_neg,
    Growing.add_binary,
    Growing.add_constant,
    Growing.add_transpose,
    Growing.add_reshape,
    Growing.add_concat,
    Growing.add_reduce,
)


@st.composite
def graphs(draw: Draw) -> Growing:
    graph = Growing(draw)
    for step in draw(st.lists(st.sampled_from(STEPS), min_size=2, max_size=14)):
        step(graph)
    return graph


@settings(max_examples=150, deadline=None, derandomize=True)
@given(graphs(), st.data())
def test_random_graphs(graph: Growing, data: st.DataObject) -> None:
    made = [out(kernel) for kernel in graph.kernels]
    if not made:
        return
    wanted = data.draw(st.lists(st.sampled_from(made), unique=True, min_size=1))
    results = predict(graph.kernels, graph.feeds, *wanted)
    for tensor, result in zip(wanted, results, strict=True):
        np.testing.assert_array_equal(result, graph.values[tensor])
