"""The timeline against one drawn by hand: a load, a load that overlaps a computation, waits, engines side by side.

1000 float16 numbers are 2000 bytes: 100 cycles of setup and 100 of moving. A computation on them takes 100 cycles of a
tile, 50 of two.

    one tile, one DMA engine:
    cycle      0    200   400   500   600   700   900   1100
    DMA        | x in | x    | w       |     | store | b out
    tile                     | a |     | b |
"""

from dataclasses import replace

import pytest

from lite_delegate.npu.cost import Activity, Event, Packing, timeline
from lite_delegate.npu.device.instructions.binary import Binary, BinaryFunction
from lite_delegate.npu.device.instructions.dma import Dma, Join
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.movement import Permute, View
from lite_delegate.npu.device.programs.memory import MemoryRegion
from lite_delegate.npu.device.programs.program import Program, ProgramStep
from lite_delegate.npu.ir.target import Target
from lite_delegate.npu.profiles import Memory
from tests.npu.cost.programs import DRAM, PAD, half, plain, program, target

N = 1000
MEMORY = Memory(dma_engines=4, dma_bytes_per_cycle=20, dma_setup_cycles=100)
ADD, TABLE, OTHER = Binary(BinaryFunction.ADD), Lookup(Function.TANH), Lookup(Function.SIGMOID)

X, X_HERE, W, W_HERE, A, B, B_HOME = range(7)
PLACES = [
    MemoryRegion(DRAM, 0),
    MemoryRegion(PAD, 0),
    MemoryRegion(DRAM, 2048),
    MemoryRegion(PAD, 2048),
    MemoryRegion(PAD, 4096),
    MemoryRegion(PAD, 6144),
]
STEPS = [
    ProgramStep(Dma(), (X,), X_HERE, "load x", tiles=0),
    ProgramStep(Dma(), (W,), W_HERE, "load w", tiles=0),
    ProgramStep(TABLE, (X_HERE,), A, "a", ("first",)),
    ProgramStep(ADD, (A, W_HERE), B, "b", ("second",), stage=1),
    ProgramStep(Dma(), (B,), B_HOME, "store b", stage=2, tiles=0),
]
EXAMPLE = program([half(N)] * 7, STEPS, (X,), (B_HOME,), [*PLACES, MemoryRegion(DRAM, 4096)], (W,))


def run(made: Program, on: Target, packing: Packing | None = None) -> dict[str, Event]:
    return {event.name: event for event in timeline(made, packing or plain(made), on)}


def spans(events: dict[str, Event]) -> dict[str, tuple[int, int]]:
    return {name: (event.start, event.end) for name, event in events.items()}


def test_one_engine_of_each_kind_as_drawn():
    events = run(EXAMPLE, target(memory=MEMORY))
    assert spans(events) == {
        "input 0": (0, 200),
        "load x": (200, 400),
        "load w": (400, 600),
        "a": (400, 500),
        "b": (600, 700),
        "store b": (700, 900),
        "output 0": (900, 1100),
    }
    assert {name: event.dma_wait for name, event in events.items() if event.dma_wait} == {"a": 400, "b": 100}
    assert (events["a"].layers, events["a"].opcode, events["a"].nbytes) == (("first",), "Lookup", 0)
    assert (events["load x"].nbytes, events["load x"].cycles) == (2000, 200)
    assert (events["input 0"].opcode, events["output 0"].opcode) == ("CopyIn", "CopyOut")


def test_with_two_engines_both_loads_go_on_at_once_and_the_second_computation_does_not_wait():
    events = run(EXAMPLE, target(dma_engines=2, memory=MEMORY))
    assert (events["load x"].start, events["load w"].start) == (200, 200)
    assert spans(events)["a"] == (400, 500)
    assert spans(events)["b"] == (500, 600)
    assert (events["a"].dma_wait, events["b"].dma_wait) == (400, 0)
    assert events["output 0"].end == 1000


def test_the_program_order_of_an_engine_is_kept():
    late = [STEPS[1], STEPS[0], *STEPS[2:]]
    events = run(replace(EXAMPLE, steps=tuple(late)), target(memory=MEMORY))
    assert spans(events)["load w"] == (200, 400)
    assert spans(events)["load x"] == (400, 600)
    assert spans(events)["a"] == (600, 700)


def joined(tiles: int = 1) -> Program:
    steps = [
        STEPS[0],
        ProgramStep(TABLE, (X_HERE,), 2, "left", tiles=tiles),
        ProgramStep(OTHER, (X_HERE,), 3, "right", tiles=tiles),
        ProgramStep(ADD, (2, 3), 4, "sum", stage=1, tiles=2),
        ProgramStep(Dma(), (4,), 5, "store", stage=2, tiles=0),
    ]
    regions = [
        *PLACES[:2],
        MemoryRegion(PAD, 2048),
        MemoryRegion(PAD, 4096),
        MemoryRegion(PAD, 6144),
        MemoryRegion(DRAM, 2048),
    ]
    return program([half(N)] * 6, steps, (0,), (5,), regions)


def test_joined_steps_run_side_by_side_on_different_tiles():
    events = run(joined(), target(tiles=2, memory=MEMORY))
    assert spans(events)["left"] == spans(events)["right"] == (400, 500)
    assert spans(events)["sum"] == (500, 550)


def test_on_one_tile_they_follow_each_other():
    events = run(joined(), target(tiles=1, memory=MEMORY))
    assert [spans(events)[name] for name in ("left", "right", "sum")] == [(400, 500), (500, 600), (600, 700)]
    assert [events[name].dma_wait for name in ("left", "right", "sum")] == [400, 0, 0]


def test_steps_that_take_all_tiles_follow_each_other():
    events = run(joined(tiles=2), target(tiles=2, memory=MEMORY))
    assert [spans(events)[name] for name in ("left", "right", "sum")] == [(400, 450), (450, 500), (500, 550)]


@pytest.mark.parametrize("offset", [0, 1984])
def test_memory_that_is_still_read_is_not_filled_again(offset):
    regions = [*PLACES[:3], MemoryRegion(PAD, offset), *PLACES[4:], MemoryRegion(DRAM, 4096)]
    steps = [STEPS[0], STEPS[2], replace(STEPS[1], stage=1), replace(STEPS[3], stage=1), STEPS[4]]
    made = program([half(N)] * 7, steps, (X,), (B_HOME,), regions, (W,))
    events = run(made, target(dma_engines=2, memory=MEMORY))
    assert spans(events)["a"] == (400, 500)
    assert spans(events)["load w"] == (500, 700)  # where x lay, or its end, which is read up to 500
    assert (spans(events)["b"], events["b"].dma_wait) == ((700, 800), 200)


def test_views_and_joins_take_no_time_and_no_engine():
    steps = [
        ProgramStep(Dma(), (0,), 1, "upper", tiles=0),
        ProgramStep(Dma(), (0,), 2, "lower", tiles=0),
        ProgramStep(Join(0), (1, 2), 3, "whole", stage=1, tiles=0),
        ProgramStep(View((2, N, 1)), (3,), 4, "view", stage=1, tiles=0),
    ]
    whole = MemoryRegion(DRAM, 2048)
    parts = [replace(whole, part_of=3), MemoryRegion(DRAM, 2048 + 2 * N, part_of=3)]
    made = program([half(1, N), half(1, N), half(1, N), half(2, N), half(2, N, 1)], steps, (0,), (4,), [
        MemoryRegion(DRAM, 0), *parts, whole, whole,
    ])  # fmt: skip
    events = run(made, target(memory=MEMORY))
    assert spans(events)["lower"] == (400, 600)
    assert spans(events)["whole"] == spans(events)["view"] == (600, 600)
    assert {events[name].activity for name in ("whole", "view")} == {Activity.NOTHING}
    assert spans(events)["output 0"] == (600, 900)


def test_a_part_that_is_no_stretch_of_the_whole_is_moved_line_by_line():
    steps = [ProgramStep(Dma(), (i,), 2 + i, f"part {i}", tiles=0) for i in (0, 1)]
    steps.append(ProgramStep(Join(1), (2, 3), 4, "whole", stage=1, tiles=0))
    whole = MemoryRegion(DRAM, 4096)
    regions = [
        MemoryRegion(DRAM, 0),
        MemoryRegion(DRAM, 2048),
        replace(whole, part_of=4),
        MemoryRegion(DRAM, 4096 + 20, part_of=4),
        whole,
    ]
    made = program([half(100, 10)] * 4 + [half(100, 20)], steps, (0, 1), (4,), regions)
    events = run(made, target(memory=MEMORY))
    assert (events["input 0"].cycles, events["part 0"].cycles) == (200, 100 + 100 * 1)
    slow = replace(MEMORY, dma_bytes_per_cycle=40)
    assert run(made, target(memory=slow))["part 0"].cycles == 100 + 100 * 1  # half of each cycle moves nothing


def test_packing_at_the_boundary_and_permutes_inside_move_element_by_element():
    x, y = half(1, 10, 10, 10), half(1, 10, 10, 10)
    steps = [ProgramStep(Permute((0, 2, 3, 1)), (0,), 1, "permute", ("layer",), tiles=0)]
    made = program([x, y], steps, (0,), (1,), [MemoryRegion(DRAM, 0), MemoryRegion(DRAM, 2048)])
    events = run(made, target(memory=MEMORY), Packing(((0, 3, 1, 2),), ((0, 1, 2, 3),)))
    assert [events[name].cycles for name in ("input 0", "permute", "output 0")] == [1100, 1100, 200]
    assert [events[name].activity for name in ("input 0", "permute", "output 0")] == [
        Activity.PACKING,
        Activity.PACKING,
        Activity.TRANSFER,
    ]


def test_a_streamed_computation_takes_a_tile_and_an_engine_until_both_are_done():
    steps = [
        ProgramStep(ADD, (0, 1), 2, "sum", streamed=True),
        ProgramStep(TABLE, (2,), 3, "table", stage=1, streamed=True),
    ]
    regions = [MemoryRegion(DRAM, 2048 * i) for i in range(4)]
    made = program([half(N)] * 4, steps, (0, 1), (3,), regions)
    events = run(made, target(dma_engines=2, memory=MEMORY))
    assert spans(events)["sum"] == (200, 800)  # three transfers of 200 cycles, longer than 100 of computing
    assert events["sum"].dma_wait == 200 + 500
    assert spans(events)["table"] == (800, 1200)
    assert (events["table"].dma_wait, events["table"].nbytes) == (300, 4000)


def test_without_places_every_computation_is_streamed():
    bare = replace(EXAMPLE, regions=(), steps=(ProgramStep(ADD, (X, W), B_HOME, "sum"),))
    assert spans(run(bare, target(memory=MEMORY)))["sum"] == (200, 800)


def test_inputs_come_in_the_order_in_which_they_are_read():
    steps = [
        ProgramStep(Dma(), (1,), 2, "load 1", tiles=0),
        ProgramStep(Dma(), (0,), 3, "load 0", tiles=0),
        ProgramStep(ADD, (2, 3), 4, "sum"),
        ProgramStep(Dma(), (4,), 5, "store", stage=1, tiles=0),
    ]
    regions = [MemoryRegion(DRAM, 0), MemoryRegion(DRAM, 2048), *PLACES[3:6], MemoryRegion(DRAM, 4096)]
    made = program([half(N)] * 6, steps, (0, 1), (5,), regions)
    events = run(made, target(dma_engines=2, memory=MEMORY))
    assert [name for name in events if name.startswith("input")] == ["input 1", "input 0"]
    assert spans(events)["sum"] == (400, 500)


@pytest.mark.parametrize("wanted", [1, 4])
def test_a_step_takes_no_more_tiles_than_are_in_use(wanted):
    steps = [replace(step, tiles=wanted) if step.tiles else step for step in EXAMPLE.steps]
    events = run(replace(EXAMPLE, steps=tuple(steps)), target(tiles=2, memory=MEMORY))
    assert events["a"].cycles == (100 if wanted == 1 else 50)
