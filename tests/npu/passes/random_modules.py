"""Random modules of whole numbers that are exact in float16, so that no tolerance can hide a wrong axis.

Every value is a whole number of at most 6 but right behind a step that adds or scales, where it is at most 2048 (the
largest up to which float16 has them all) and is clamped at the latest after the third such step.
"""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction, ScaleShift
from lite_delegate.npu.device.instructions.convolution import Convolution
from lite_delegate.npu.device.instructions.depthwise import DepthwiseConvolution
from lite_delegate.npu.device.instructions.functions import RELU, RELU6, UNFUSED
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.movement import Concatenate, Permute, View
from lite_delegate.npu.device.instructions.normalize import Normalize
from lite_delegate.npu.device.instructions.padding import Pad
from lite_delegate.npu.device.instructions.pooling import MaxPool
from lite_delegate.npu.device.instructions.reduction import Reduce, ReductionFunction
from lite_delegate.npu.device.instructions.slicing import Slice
from lite_delegate.npu.device.programs.instruction import Instruction
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.device.programs.window import Window
from lite_delegate.npu.ir.layout import TO_NCHW, TO_NHWC
from lite_delegate.npu.ir.module import Module
from tests.npu.graphs import small_ints
from tests.npu.passes.modules import Sketch

SHAPES = [(1, 4, 2, 4), (2, 2, 4, 2), (2, 3, 2), (1, 1, 4, 3), (2, 2, 2, 3), (1, 2, 2, 2)]
LOOKUPS = [
    Lookup(Function.RELU),
    Lookup(Function.RELU6),
    Lookup(Function.CLAMP, (-2.0, 3.0)),
    Lookup(Function.LEAKY_RELU, (-1.0,)),
    Lookup(Function.NEG),
]
MOST_ELEMENTS = 200


class Growing:
    """A module under construction; each method adds a few steps to a buffer that is there."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.sketch = Sketch(draw(st.sampled_from([ElementType.FLOAT16, ElementType.FLOAT32])))
        self.made = [self.sketch.input(*draw(st.sampled_from(SHAPES))) for _ in range(draw(st.integers(1, 2)))]

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def pick(self, *ranks: int) -> int | None:
        """A buffer of one of these ranks, mostly one of the last two."""
        fitting = [i for i in self.made if not ranks or len(self.sketch.shape(i)) in ranks]
        near = fitting[-2:] if self.number(0, 3) else fitting
        return self.draw(st.sampled_from(near)) if near else None

    def step(self, instruction: Instruction, *operands: int) -> int:
        return self.sketch.step(instruction, *operands)

    def constant(self, shape: tuple[int, ...], low: int = -2, high: int = 3) -> int:
        return self.sketch.constant(small_ints(shape, self.number(0, 99), low, high))

    def keep(self, index: int) -> None:
        """Clamps a value so that others may read it, in one of the ways in which models do."""
        if self.draw(st.booleans()):
            self.made.append(self.step(Lookup(Function.CLAMP, (-6.0, 6.0)), index))
            return
        for function, limit in ((BinaryFunction.MINIMUM, 6), (BinaryFunction.MAXIMUM, -6)):
            constant = self.sketch.constant(np.full((1,) * len(self.sketch.shape(index)), limit, np.float32))
            index = self.step(Binary(function), index, constant)
        self.made.append(index)

    def scaled(self, index: int, axis: int) -> int:
        """None, one or two affine steps along one axis."""
        for _ in range(self.number(0, 2)):
            shape = self.sketch.shape(index)
            vector = tuple(size if i == axis % len(shape) else 1 for i, size in enumerate(shape))
            fused = self.draw(st.sampled_from([UNFUSED, UNFUSED, RELU]))
            kind = self.draw(st.sampled_from([Normalize(), ScaleShift(fused), Binary(BinaryFunction.ADD, fused)]))
            constants = 4 if isinstance(kind, Normalize) else 2 if isinstance(kind, ScaleShift) else 1
            index = self.step(kind, index, *(self.constant(vector, -1, 2) for _ in range(constants)))
        return index

    def convolution(self) -> None:
        x = self.pick(4)
        if x is None:
            return
        x = self.step(Permute(TO_NCHW), x) if self.draw(st.booleans()) else x
        _, inside, height, width = self.sketch.shape(x)
        same = self.draw(st.booleans())
        size, before = ((3, 3), (1, 1)) if same else ((1, 1), (0, 0))
        window = Window(size, (1, 1), (1, 1), before, (height, width))
        if self.draw(st.booleans()):
            weight, instruction = self.constant((inside, *size, 1), -1, 2), DepthwiseConvolution(window)
            y = self.step(instruction, x, weight)
        else:
            channels = self.number(1, 4)
            bias = [self.constant((channels,))] if self.draw(st.booleans()) else []
            y = self.step(Convolution(window), x, self.constant((channels, *size, inside), -1, 2), *bias)
        y = self.scaled(y, 1)
        if self.draw(st.booleans()):
            y = self.pooled(y)
        y = self.step(self.draw(st.sampled_from(LOOKUPS)), y) if self.draw(st.booleans()) else y
        self.keep(self.step(Permute(TO_NHWC), y) if self.draw(st.booleans()) else y)

    def pooled(self, x: int) -> int:
        _, _, height, width = self.sketch.shape(x)
        if height < 2 or width < 2:
            return x
        window = Window((2, 2), (2, 2), (1, 1), (0, 0), (height // 2, width // 2))
        return self.step(MaxPool(window, self.draw(st.sampled_from([UNFUSED, RELU6]))), x)

    def product(self) -> None:
        x = self.pick()
        if x is None:
            return
        rows = self.sketch.shape(x)[0]
        flat = self.step(View((rows, math.prod(self.sketch.shape(x)) // rows)), x)
        terms, units, by_rows = self.sketch.shape(flat)[1], self.number(1, 3), self.draw(st.booleans())
        weight = self.constant((units, terms) if by_rows else (terms, units), -1, 2)
        self.keep(self.scaled(self.step(MatMul(transpose_b=by_rows), flat, weight), -1))

    def permute(self) -> None:
        x = self.pick()
        if x is not None:
            axes = self.draw(st.permutations(range(len(self.sketch.shape(x)))))
            self.made.append(self.step(Permute(tuple(axes)), x))

    def view(self) -> None:
        x = self.pick()
        if x is None:
            return
        shape, rest = [], math.prod(self.sketch.shape(x))
        for _ in range(self.number(0, 3)):
            shape.append(self.draw(st.sampled_from([d for d in range(1, rest + 1) if rest % d == 0])))
            rest //= shape[-1]
        self.made.append(self.step(View((*shape, rest)), x))

    def lookup(self) -> None:
        x = self.pick()
        if x is not None:
            self.made.append(self.step(self.draw(st.sampled_from(LOOKUPS)), x))

    def binary(self) -> None:
        x = self.pick()
        if x is None:
            return
        shape = self.sketch.shape(x)
        others = [
            i for i in self.made if len(self.sketch.shape(i)) == len(shape) and _broadcast(self.sketch.shape(i), shape)
        ]
        y = self.draw(st.sampled_from(others))
        if self.draw(st.booleans()):
            y = self.constant(tuple(self.draw(st.sampled_from([1, size])) for size in shape))
        function = self.draw(st.sampled_from([BinaryFunction.ADD, BinaryFunction.SUB, BinaryFunction.MUL]))
        self.keep(self.step(Binary(function), *self.draw(st.permutations([x, y]))))

    def concatenate(self) -> None:
        x = self.pick()
        if x is None or math.prod(self.sketch.shape(x)) > MOST_ELEMENTS:
            return
        shape = self.sketch.shape(x)
        other = self.draw(st.sampled_from([i for i in self.made if self.sketch.shape(i) == shape]))
        self.made.append(self.step(Concatenate(self.number(0, len(shape) - 1)), x, other))

    def reduce(self) -> None:
        x = self.pick()
        if x is None:
            return
        axes = self.draw(st.lists(st.integers(0, len(self.sketch.shape(x)) - 1), min_size=1, unique=True))
        self.keep(self.step(Reduce(ReductionFunction.SUM, tuple(sorted(axes))), x))

    def slice(self) -> None:
        x = self.pick()
        if x is None:
            return
        shape = self.sketch.shape(x)
        starts = tuple(self.number(0, size - 1) for size in shape)
        counts = tuple(size - start for start, size in zip(starts, shape, strict=True))
        self.made.append(self.step(Slice(starts, counts, (1,) * len(shape)), x))

    def pad(self) -> None:
        x = self.pick()
        if x is not None and math.prod(self.sketch.shape(x)) <= MOST_ELEMENTS:
            before, after = (tuple(self.number(0, 1) for _ in self.sketch.shape(x)) for _ in range(2))
            self.made.append(self.step(Pad(before, after), x))


def _broadcast(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(first, second, strict=True))


ADDITIONS = (
    Growing.convolution,
    Growing.convolution,
    Growing.product,
    Growing.permute,
    Growing.view,
    Growing.lookup,
    Growing.binary,
    Growing.concatenate,
    Growing.reduce,
    Growing.slice,
    Growing.pad,
)


@st.composite
def modules(draw: st.DrawFn) -> Module:
    """Modules of up to a dozen additions; outputs are the last thing computed and any others."""
    growing = Growing(draw)
    for _ in range(draw(st.integers(3, 12))):
        draw(st.sampled_from(ADDITIONS))(growing)
    others = draw(st.lists(st.sampled_from(growing.made), max_size=2, unique=True))
    return growing.sketch.module(growing.made[-1], *others)
