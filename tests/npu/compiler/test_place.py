"""Where buffers lie: random programs give the same numbers from two memories of bytes as from arrays of their own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.npu.device import MemoryKind
from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction
from lite_delegate.npu.device.instructions.dma import Dma, Join
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.instructions.movement import Concatenate, MovementInstruction, Permute, View
from lite_delegate.npu.device.instructions.reduction import Reduce, ReductionFunction, SoftmaxAlong
from lite_delegate.npu.device.instructions.slicing import Slice
from lite_delegate.npu.device.placement import AFTER, BEFORE, memory_used
from lite_delegate.npu.device.programs.program import Program
from tests.npu.compiler.machine import Machine
from tests.npu.compiler.modules import Making, compiled, run, run_whole
from tests.npu.graphs import half, small_ints

ADD, NEG = Binary(BinaryFunction.ADD), Lookup(Function.NEG)
MINIMUM = Binary(BinaryFunction.MINIMUM)
Draw = st.DrawFn


class Growing(Making):
    """A random module of tensors (a, b), each of at most a few hundred bytes."""

    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self.draw = draw
        self.pool: list[int] = []
        for seed in range(draw(st.integers(1, 3))):
            shape = (draw(st.integers(1, 6)), draw(st.integers(1, 40)))
            make = self.input(shape) if seed == 0 or draw(st.booleans()) else self.constant(small_ints(shape, seed))
            self.pool.append(make)

    def pick(self) -> int:
        return self.draw(st.sampled_from(self.pool))

    def shape(self, index: int) -> tuple[int, int]:
        rows, columns = self.buffers[index].shape
        return rows, columns

    def add_negative(self) -> int:
        x = self.pick()
        return self.step(NEG, [x], self.shape(x))

    def add_minimum(self) -> int:
        x = self.pick()
        y = self.draw(st.sampled_from([i for i in self.pool if self.shape(i) == self.shape(x)]))
        return self.step(MINIMUM, [x, y], self.shape(x))

    def add_softmax(self) -> int:
        x = self.pick()
        return self.step(SoftmaxAlong(1), [x], self.shape(x))

    def add_permute(self) -> int:
        x = self.pick()
        return self.step(Permute((1, 0)), [x], self.shape(x)[::-1])

    def add_view(self) -> int:
        x = self.pick()
        rows, columns = self.shape(x)
        shape = self.draw(st.sampled_from([(1, rows * columns), (rows * columns, 1), (columns, rows)]))
        return self.step(View(shape), [x], shape)

    def add_slice(self) -> int:
        x = self.pick()
        rows, columns = self.shape(x)
        start = self.draw(st.integers(0, columns - 1))
        return self.step(Slice((0, start), (rows, columns - start), (1, 1)), [x], (rows, columns - start))

    def add_concatenation(self) -> int:
        x, axis = self.pick(), self.draw(st.integers(0, 1))
        fitting = [i for i in self.pool if self.shape(i)[1 - axis] == self.shape(x)[1 - axis]]
        parts = [x, *self.draw(st.lists(st.sampled_from(fitting), min_size=1, max_size=4))]
        shape = list(self.shape(x))
        shape[axis] = sum(self.shape(i)[axis] for i in parts)
        return self.step(Concatenate(axis), parts, shape)


STEPS = (
    Growing.add_negative,
    Growing.add_minimum,
    Growing.add_softmax,
    Growing.add_permute,
    Growing.add_view,
    Growing.add_slice,
    Growing.add_concatenation,
)


@st.composite
def growing(draw: Draw) -> Growing:
    making = Growing(draw)
    for step in draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=14)):
        made = step(making)
        if np.prod(making.shape(made)) <= 2000:
            making.pool.append(made)
    return making


@settings(max_examples=300, deadline=None, derandomize=True)
@given(growing(), st.data())
def test_random_programs_on_bytes_of_memory(making: Growing, data: st.DataObject) -> None:
    outputs = data.draw(st.lists(st.sampled_from(range(len(making.buffers))), min_size=1, max_size=3))
    module = making.module(*outputs)
    scratchpad, tiles, engines = data.draw(
        st.tuples(st.sampled_from([256, 512, 1024, 4096, 65536]), st.integers(1, 3), st.integers(1, 2))
    )
    made = compiled(module, scratchpad, tiles, engines)
    machine = Machine(made.program, scratchpad * tiles)
    feeds = {port.tensor: half(port.tensor.shape, i) for i, port in enumerate(module.inputs)}
    results = machine.run(made.module.pack_constants(), [feeds[port.tensor] for port in made.module.inputs])
    simulated = run(made.program, made.module, [feeds[port.tensor] for port in made.module.inputs])
    for result, same, expected in zip(results, simulated, run_whole(module, list(feeds.values())), strict=True):
        np.testing.assert_array_equal(result, expected)
        np.testing.assert_array_equal(same, expected)
    check_uses(made.program)


def check_uses(program: Program) -> None:
    """No two buffers that are in use in one stage share a byte: looked at byte by byte, stage by stage."""
    uses: dict[int, set[int]] = {}
    extent = {}
    for i in (*program.constants, *program.inputs):
        uses[i] = {BEFORE}
    for step in program.steps:
        for i in (*step.operands, step.output):
            uses.setdefault(i, set()).add(step.stage)
    for i in (*program.constants, *program.outputs):
        uses[i] |= {AFTER}
    for i in uses:
        region = program.regions[i]
        extent[i] = (region.memory, region.offset, region.offset + program.buffers[i].nbytes)
    views = {s.output: s.operands[0] for s in program.steps if isinstance(s.instruction, View)}
    wholes = {i: r.part_of for i, r in enumerate(program.regions) if r.part_of >= 0}

    def owner(i: int) -> int:
        while i in views:
            i = views[i]
        return wholes.get(i, i)

    for i in uses:
        for j in uses:
            if owner(i) == owner(j) or extent[i][0] != extent[j][0]:
                continue
            if extent[i][1] < extent[j][2] and extent[j][1] < extent[i][2]:
                assert max(uses[i]) < min(uses[j]) or max(uses[j]) < min(uses[i]), (i, j)


def chain(shape=(1, 64), steps=3):
    making = Making()
    x = making.input(shape)
    for _ in range(steps):
        x = making.step(NEG, [x], shape)
    return making.module(x)


def test_intermediates_stay_in_the_scratchpad_when_they_fit():
    program = compiled(chain(), 4096).program
    assert [step.opcode for step in program.steps] == ["Dma", "Lookup", "Lookup", "Lookup", "Dma"]
    between = {step.output for step in program.steps[:-1]}
    assert all(program.regions[i].memory is MemoryKind.SCRATCHPAD for i in between)
    assert memory_used(program, MemoryKind.DRAM) == 2 * 128
    assert memory_used(program, MemoryKind.SCRATCHPAD) <= 3 * 128


def waiting_value():
    """Binary2 needs three buffers while the result of Lookup0 waits for Binary3."""
    making = Making()
    kept = making.step(NEG, [making.input((1, 64))], (1, 64))
    other = making.step(SoftmaxAlong(1), [kept], (1, 64))
    both = making.step(ADD, [other, making.constant(small_ints((1, 64), 1))], (1, 64))
    return making.module(making.step(ADD, [both, kept], (1, 64)))


def test_what_waits_longest_is_sent_to_dram_once_and_brought_back():
    made = compiled(waiting_value(), 3 * 128)
    program = made.program
    (saved,) = [step for step in program.steps if step.name == "Lookup0/save"]
    brought = [step for step in program.steps if step.opcode == "Dma" and step.operands == (saved.output,)]
    assert len(brought) == 1
    names = [step.name for step in program.steps]
    assert names.index("SoftmaxAlong1") < names.index(saved.name) < names.index("Binary2")
    assert names.index("SoftmaxAlong1") < names.index(brought[0].name) < names.index("Binary3")
    assert saved.stage < next(step.stage for step in program.steps if step.name == "Binary2")


def test_what_is_needed_last_leaves_first():
    making = Making()
    soon = making.step(NEG, [making.input((1, 64))], (1, 64))
    late = making.step(SoftmaxAlong(1), [soon], (1, 64))
    other = making.step(SoftmaxAlong(1), [late], (1, 64))
    both = making.step(ADD, [other, making.constant(small_ints((1, 64), 1))], (1, 64))
    last = making.step(ADD, [making.step(ADD, [both, soon], (1, 64)), late], (1, 64))
    names = [step.name for step in compiled(making.module(last), 4 * 128).program.steps]
    assert [name for name in names if name.endswith("/save")] == ["SoftmaxAlong1/save", "Binary5/save"]


def test_what_is_put_together_in_dram_is_brought_once_it_is_whole():
    making = Making()
    parts = [making.step(NEG, [making.input((1, 64))], (1, 64)) for _ in range(3)]
    whole = making.step(Concatenate(1), parts, (1, 192))
    module = making.module(making.step(Reduce(ReductionFunction.SUM, (1,)), [whole], (1, 1)))
    made = compiled(module, 704)
    inputs = [small_ints((1, 64), i).astype(np.float16) for i in range(3)]
    (result,) = Machine(made.program, 704).run(made.module.pack_constants(), inputs)
    assert result.item() == -sum(x.sum() for x in inputs)
    assert "Reduce4/load" in [step.name for step in made.program.steps]


def test_nothing_is_sent_to_dram_when_there_is_room():
    names = [step.name for step in compiled(waiting_value(), 4 * 128).program.steps]
    assert [name for name in names if name.endswith("/save")] == ["Binary3/save"]


def test_a_step_that_exceeds_the_scratchpad_and_cannot_be_split_streams():
    making = Making()
    x = making.input((1, 64))
    made = compiled(making.module(making.step(SoftmaxAlong(1), [x], (1, 64))), 255)
    (step,) = made.program.steps
    assert step.streamed
    assert {made.program.regions[i].memory for i in (*step.operands, step.output)} == {MemoryKind.DRAM}
    fits = compiled(making.module(2 - 1), 256)
    assert [s.streamed for s in fits.program.steps] == [False] * 3


def test_weights_of_the_next_step_come_while_this_one_computes():
    making = Making()
    x = making.input((1, 64))
    for seed in range(3):
        x = making.step(MatMul(), [x, making.constant(small_ints((64, 64), seed))], (1, 64))
    program = compiled(making.module(x), 3 * 64 * 64 * 2).program
    order = [(step.stage, step.name) for step in program.steps if "MatMul" in step.name]
    for number in (1, 2):
        brought = order.index((number - 1, f"MatMul{number}/load"))
        assert brought < order.index((number - 1, f"MatMul{number - 1}"))
    tight = compiled(making.module(x), 64 * 64 * 2 + 2 * 128).program
    assert [s.stage for s in tight.steps if s.name == "MatMul1/load"] == [1]


def test_a_concatenation_that_exceeds_the_scratchpad_is_put_together_in_dram_once():
    making = Making()
    x = making.input((4, 16))
    parts = [making.step(NEG, [making.step(Slice((i, 0), (1, 16), (1, 1)), [x], (1, 16))], (1, 16)) for i in range(4)]
    whole = making.step(Concatenate(1), parts, (1, 64))
    made = compiled(making.module(whole), 256)
    program = made.program
    (join,) = [step for step in program.steps if isinstance(step.instruction, Join)]
    assert join.output == program.outputs[0]
    assert [program.regions[i].offset - program.regions[join.output].offset for i in join.operands] == [0, 32, 64, 96]
    assert sum(isinstance(s.instruction, Dma) for s in program.steps if s.output in join.operands) == 4
    assert not any(isinstance(s.instruction, Concatenate) for s in program.steps)
    fits = compiled(making.module(whole), 64 * 8).program
    assert any(isinstance(s.instruction, Concatenate) for s in fits.steps)


def test_views_share_the_memory_of_what_they_show_and_keep_their_layers():
    making = Making()
    x = making.input((2, 32))
    tall = making.step(View((64, 1)), [making.step(NEG, [x], (2, 32))], (64, 1))
    flat = making.step(View((1, 64)), [tall], (1, 64))
    program = compiled(making.module(making.step(SoftmaxAlong(1), [flat], (1, 64))), 4096).program
    (view,) = [step for step in program.steps if isinstance(step.instruction, View)]
    assert program.regions[view.output] == program.regions[view.operands[0]]
    assert (view.layers, view.tiles) == (("View1", "View2"), 0)


def test_the_same_module_gives_the_same_program():
    assert compiled(chain(), 300).program == compiled(chain(), 300).program


@pytest.mark.parametrize("output", [0, 1, 2])
def test_inputs_constants_and_their_views_can_be_outputs(output):
    making = Making()
    x, _ = making.input((2, 3)), making.constant(small_ints((2, 3), 1))
    making.step(View((6,)), [x], (6,))
    module = making.module(output)
    made = compiled(module, 1024)
    inputs = [half((2, 3), 7)]
    (result,) = Machine(made.program, 1024).run(made.module.pack_constants(), inputs)
    np.testing.assert_array_equal(result, run_whole(module, inputs)[0])


def test_only_movements_and_streamed_steps_touch_dram():
    program = compiled(chain((4, 64), 6), 1200).program
    for step in program.steps:
        places = {program.regions[i].memory for i in (*step.operands, step.output)}
        if not isinstance(step.instruction, (MovementInstruction, View, Join)):
            assert places == {MemoryKind.SCRATCHPAD}
