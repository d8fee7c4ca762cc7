"""Which steps run side by side, in what order, on how many compute tiles."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.npu.compiler.flow import MemoryFlow
from lite_delegate.npu.compiler.schedule import schedule
from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.movement import Concatenate, MovementInstruction, View
from lite_delegate.npu.device.instructions.reduction import Reduce, ReductionFunction
from lite_delegate.npu.device.instructions.slicing import Slice
from tests.npu.compiler.modules import Making, target
from tests.npu.compiler.test_place import Growing, growing
from tests.npu.graphs import small_ints

ADD, NEG = Binary(BinaryFunction.ADD), Lookup(Function.NEG)
LANES = 128


def stages(module, scratchpad=2**20, tiles=1, dma_engines=1, sharing=False):
    flow, machine = MemoryFlow(module, scratchpad * tiles), target(scratchpad, tiles, dma_engines)
    return [[step.name for step in stage] for stage in schedule(flow, machine, sharing=sharing)]


def branches(elements=LANES, count=2, length=1):
    """``count`` branches of ``length`` steps that one sum joins."""
    making = Making()
    x = making.input((1, elements))
    ends = []
    for _ in range(count):
        end = x
        for _ in range(length):
            end = making.step(NEG, [end], (1, elements))
        ends.append(end)
    total = ends[0]
    for end in ends[1:]:
        total = making.step(ADD, [total, end], (1, elements))
    return making.module(total)


def test_independent_branches_that_fit_together_run_side_by_side():
    assert stages(branches(), tiles=2) == [["Lookup0", "Lookup1"], ["Binary2"]]
    assert stages(branches(length=2), tiles=2) == [["Lookup0", "Lookup2"], ["Lookup1", "Lookup3"], ["Binary4"]]


def test_branches_take_turns_on_one_compute_tile():
    assert stages(branches(), tiles=1) == [["Lookup0"], ["Lookup1"], ["Binary2"]]


@pytest.mark.parametrize(("elements", "together"), [(LANES, True), (LANES + 1, False)])
def test_branches_that_can_use_all_tiles_are_not_joined(elements, together):
    assert (len(stages(branches(elements), tiles=2)[0]) == 2) is together


def sizes(*elements):
    """The tiles of each stage's steps for one lookup of each size and four tiles, which they may share."""
    making = Making()
    ends = [making.step(NEG, [making.input((1, size))], (1, size)) for size in elements]
    flow = MemoryFlow(making.module(*ends), 2**20)
    return [[step.tiles for step in stage] for stage in schedule(flow, target(2**18, 4), sharing=True)]


def test_branches_share_the_tiles_that_each_could_use_alone():
    assert stages(branches(8 * LANES), tiles=2) == [["Lookup0"], ["Lookup1"], ["Binary2"]]
    assert stages(branches(8 * LANES), tiles=2, sharing=True) == [["Lookup0", "Lookup1"], ["Binary2"]]
    assert sizes(8 * LANES, 8 * LANES) == [[2, 2]]
    assert sizes(12 * LANES, 4 * LANES) == [[3, 1]]
    assert sizes(8 * LANES, LANES, LANES) == [[2, 1, 1]]
    assert sizes(*[4 * LANES] * 5) == [[2, 2], [2, 2], [4]]


def test_tiles_are_not_shared_where_turns_take_less_time():
    """12 and 6 lines take 3 and 2 cycles on 4 tiles; 5 in all; side by side 6, on 3 tiles and 1."""
    assert sizes(12 * LANES, 6 * LANES) == [[4], [4]]
    assert sizes(12 * LANES, 5 * LANES) == [[3, 1]]


@pytest.mark.parametrize(("scratchpad", "together"), [(3 * 256, True), (3 * 256 - 64, False)])
def test_branches_are_joined_only_if_the_scratchpad_does(scratchpad, together):
    flow = MemoryFlow(branches(), scratchpad)
    made = schedule(flow, target(scratchpad, 2))  # the input and two results
    assert (len(made[0]) == 2) is together


def test_as_many_branches_are_joined_as_there_are_tiles():
    assert [len(stage) for stage in stages(branches(count=3), tiles=3)] == [3, 1, 1]
    assert len(stages(branches(count=3), tiles=2)[0]) == 2


@pytest.mark.parametrize(("elements", "tiles"), [(1, 1), (LANES, 1), (LANES + 1, 2), (3 * LANES, 3), (9 * LANES, 4)])
def test_a_step_gets_as_many_tiles_as_it_has_work_for(elements, tiles):
    flow = MemoryFlow(branches(elements, 1), 2**20)
    ((step,),) = schedule(flow, target(2**18, 4))
    assert step.tiles == tiles


def test_what_the_dma_engines_do_needs_no_tile_and_runs_beside_computations():
    making = Making()
    x = making.input((1, 256))
    first, second = (making.step(Slice((0, i), (1, 128), (1, 1)), [x], (1, 128)) for i in (0, 128))
    total = making.step(ADD, [making.step(NEG, [first], (1, 128)), making.step(NEG, [second], (1, 128))], (1, 128))
    module = making.module(total)
    assert stages(module) == [["Slice0"], ["Slice1", "Lookup2"], ["Lookup3"], ["Binary4"]] or stages(module) == [
        ["Slice0"],
        ["Lookup2", "Slice1"],
        ["Lookup3"],
        ["Binary4"],
    ]
    assert stages(module, dma_engines=2)[0] == ["Slice0", "Slice1"]


@pytest.mark.parametrize(("scratchpad", "first"), [(4 * 256, ["Lookup0", "Lookup1"]), (4 * 256 - 64, ["Lookup0"])])
def test_branches_are_joined_only_beside_the_results_that_wait(scratchpad, first):
    """960 bytes do for Lookup1 and Lookup2, but not beside the result of Lookup0."""
    making = Making()
    x = making.input((1, LANES))
    kept = making.step(NEG, [making.input((1, LANES))], (1, LANES))
    left, right = (making.step(NEG, [x], (1, LANES)) for _ in range(2))
    both = making.step(ADD, [kept, making.step(ADD, [left, right], (1, LANES))], (1, LANES))
    made = schedule(MemoryFlow(making.module(both), scratchpad), target(scratchpad, 2))
    rest = [[f"Lookup{i}"] for i in range(len(first), 3)]
    assert [[step.name for step in stage] for stage in made] == [first, *rest, ["Binary3"], ["Binary4"]]


def test_depth_first_where_that_needs_less_memory():
    making = Making()
    row, column = making.input((1, 64)), making.constant(small_ints((64, 1), 1))
    wide = [making.step(ADD, [row, column], (64, 64)) for _ in range(4)]
    sums = [making.step(Reduce(ReductionFunction.SUM, (0, 1)), [w], (1, 1)) for w in wide]
    module = making.module(making.step(Concatenate(1), sums, (1, 4)))
    order = [name for stage in stages(module) for name in stage]
    assert order[:4] == ["Binary0", "Reduce4", "Binary1", "Reduce5"]


def test_views_are_no_steps():
    making = Making()
    x = making.step(View((64,)), [making.input((1, 64))], (64,))
    assert stages(making.module(making.step(NEG, [x], (64,)))) == [["Lookup1"]]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(growing(), st.integers(1, 4), st.integers(1, 3), st.sampled_from([256, 2048, 2**20]), st.booleans())
def test_stages_of_random_programs(making: Growing, tiles: int, engines: int, scratchpad: int, sharing: bool) -> None:
    module = making.module(len(making.buffers) - 1)
    flow = MemoryFlow(module, scratchpad * tiles)
    made = schedule(flow, target(scratchpad, tiles, engines), sharing=sharing)
    filled = set(flow.sources)
    for number, stage in enumerate(made):
        assert {step.stage for step in stage} == {number}
        assert all(i in filled for step in stage for i in flow.operands(step))
        filled |= {step.output for step in stage}
        moving = [step for step in stage if isinstance(step.instruction, MovementInstruction)]
        assert sum(step.tiles for step in stage) <= tiles
        assert len(moving) <= max(engines, 1)
        computing = [step for step in stage if step not in moving and not step.streamed]
        assert flow.working_set(computing) <= scratchpad * tiles
    assert sorted(s.output for stage in made for s in stage) == sorted(s.output for s in flow.steps)
    assert made == schedule(flow, target(scratchpad, tiles, engines), sharing=sharing)
