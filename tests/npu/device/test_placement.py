"""Programs whose buffers lie where they must not are rejected, and each for its reason."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.errors import DelegateBuildError
from lite_delegate.npu.device import (
    Buffer,
    Capacity,
    Device,
    ElementType,
    MemoryKind,
    MemoryRegion,
    Program,
    ProgramStep,
)
from lite_delegate.npu.device.direct import without_transfers
from lite_delegate.npu.device.instructions.dma import Dma, Join
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.movement import View
from lite_delegate.npu.device.loaded_program import LoadedProgram
from lite_delegate.npu.device.placement import (
    BUFFER_BYTES,
    STEP_BYTES,
    check_placement,
    dram_bytes,
    memory_used,
    spans,
)
from lite_delegate.npu.device.program_check import check_program

HALF = ElementType.FLOAT16
ROW = Buffer((1, 64), HALF)
DRAM, CHIP = MemoryKind.DRAM, MemoryKind.SCRATCHPAD
NEG = Lookup(Function.NEG)
# 0 input; 1 its copy on the chip; 2 = -1; 3 = -2; 4 the output
PROGRAM = Program(
    (ROW,) * 5,
    (),
    (0,),
    (4,),
    (
        ProgramStep(Dma(), (0,), 1, "load", stage=0, tiles=0),
        ProgramStep(NEG, (1,), 2, "first", stage=0),
        ProgramStep(NEG, (2,), 3, "second", stage=1),
        ProgramStep(Dma(), (3,), 4, "save", stage=1, tiles=0),
    ),
    (
        MemoryRegion(DRAM, 0),
        MemoryRegion(CHIP, 0),
        MemoryRegion(CHIP, 128),
        MemoryRegion(CHIP, 0),
        MemoryRegion(DRAM, 128),
    ),
)
# 0 and 1 inputs; 2 and 3 their places in 4, which is an output
PARTS = Program(
    (ROW, ROW, ROW, ROW, Buffer((2, 64), HALF)),
    (),
    (0, 1),
    (4,),
    (
        ProgramStep(Dma(), (0,), 2, "upper", tiles=0),
        ProgramStep(Dma(), (1,), 3, "lower", tiles=0),
        ProgramStep(Join(0), (2, 3), 4, "join", tiles=0),
    ),
    (
        MemoryRegion(DRAM, 0),
        MemoryRegion(DRAM, 128),
        MemoryRegion(DRAM, 256, 4),
        MemoryRegion(DRAM, 384, 4),
        MemoryRegion(DRAM, 256),
    ),
)


def moved(program: Program, index: int, region: MemoryRegion) -> Program:
    regions = program.regions
    return replace(program, regions=(*regions[:index], region, *regions[index + 1 :]))


def with_step(program: Program, number: int, **changes: Any) -> Program:
    steps = program.steps
    return replace(program, steps=(*steps[:number], replace(steps[number], **changes), *steps[number + 1 :]))


@pytest.mark.parametrize("program", [PROGRAM, PARTS])
def test_programs_that_are_right(program):
    check_program(program)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            moved(PROGRAM, 2, MemoryRegion(CHIP, 64)),
            "Buffers 1 and 2 lie in scratchpad at bytes 0 to 128 and 64 to 192",
        ),
        (moved(PROGRAM, 3, MemoryRegion(CHIP, 128)), "Buffers 2 and 3 lie in scratchpad"),
        (moved(PARTS, 1, MemoryRegion(DRAM, 64)), "Buffers 0 and 1"),
        (moved(PARTS, 1, MemoryRegion(DRAM, 448)), "Buffers 1 and 4"),
        (
            moved(PROGRAM, 2, MemoryRegion(CHIP, 130)),
            "Buffer 2 must begin at a multiple of 64 bytes, begins at byte 130",
        ),
        (moved(PROGRAM, 2, MemoryRegion(CHIP, -64)), "Buffer 2 must begin .* at byte -64"),
        (moved(PROGRAM, 2, MemoryRegion(DRAM, 256)), "'first' .* outside of the scratchpad and is not streamed"),
        (moved(PROGRAM, 4, MemoryRegion(CHIP, 256)), "Buffer 4, which the host fills or reads, must lie in DRAM"),
        (moved(PROGRAM, 0, MemoryRegion(CHIP, 256)), "Buffer 0, which the host fills or reads, must lie in DRAM"),
        (replace(PROGRAM, regions=PROGRAM.regions[:4]), "5 buffers have 4 regions"),
        (with_step(PROGRAM, 2, stage=-1), "'second' of stage -1 comes after one of stage 0"),
        (with_step(PROGRAM, 2, instruction=View((1, 64))), "a view must lie at the place of its operand"),
        (moved(PARTS, 3, MemoryRegion(DRAM, 320, 4)), "operand 3 must begin at byte 384, is at 320"),
        (moved(PROGRAM, 3, MemoryRegion(CHIP, 0, 9)), "Buffer 3 is a part of buffer 9, but no step joins it to that"),
        (with_step(PARTS, 2, instruction=Join(1)), "along axis 1 are not"),
        (with_step(PARTS, 2, instruction=Join(7)), "along axis 7 are not"),
        (replace(PARTS, buffers=(*PARTS.buffers[:4], Buffer((3, 64), HALF))), "along axis 0 are not"),
        (moved(PARTS, 3, MemoryRegion(DRAM, 384)), "operands are not parts of the result"),
        (with_step(PARTS, 0, instruction=NEG, streamed=True), "fills a part of buffer 4, which only transfers can"),
    ],
)
def test_programs_that_are_wrong(program, message):
    with pytest.raises(DelegateBuildError, match=message):
        check_placement(program)


def test_a_streamed_step_may_touch_dram():
    program = moved(PROGRAM, 2, MemoryRegion(DRAM, 256))
    for number in (1, 2):
        program = with_step(program, number, streamed=True)
    check_program(program)


def test_memory_may_be_used_again_one_stage_later_and_not_in_the_same():
    """Buffer 3 lies where buffer 1 was, which stage 0 is the last to read."""
    check_program(PROGRAM)
    with pytest.raises(DelegateBuildError, match=r"Buffers 1 and 3 .* in use at once in stage 0"):
        check_program(with_step(with_step(PROGRAM, 2, stage=0), 3, stage=0))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=8))
def test_overlaps_are_those_that_a_look_at_all_pairs_finds(places):
    """Each step reads the input and fills 128 bytes, which a step some stages later reads."""
    buffers, steps, regions = [ROW], list[ProgramStep](), [MemoryRegion(DRAM, 0)]
    for stage, (line, memory, wait) in enumerate(places):
        buffers.append(ROW)
        regions.append(MemoryRegion((CHIP, DRAM)[memory], (1 + line) * 64))
        steps.append(ProgramStep(NEG, (0,), len(buffers) - 1, f"fill{stage}", stage=stage, streamed=True))
        regions.append(MemoryRegion(CHIP, 1024 + 128 * stage))
        buffers.append(ROW)
        steps.append(
            ProgramStep(NEG, (len(buffers) - 2,), len(buffers) - 1, f"read{stage}", stage=stage + wait, streamed=True)
        )
    steps.sort(key=lambda step: step.stage)
    program = Program(tuple(buffers), (), (0,), (), tuple(steps), tuple(regions))
    used = spans(program)
    pairs = [
        {a.buffer, b.buffer}
        for a, b in combinations(used, 2)
        if a.memory == b.memory
        and max(a.start, b.start) < min(a.stop, b.stop)
        and max(a.first, b.first) <= min(a.last, b.last)
    ]
    if not pairs:
        check_placement(program)
        return
    with pytest.raises(DelegateBuildError, match="are in use at once") as error:
        check_placement(program)
    found = re.match(r"Buffers (\d+) and (\d+) ", str(error.value))
    assert found
    assert set(map(int, found.groups())) in pairs


def test_memory_of_a_program():
    assert memory_used(PROGRAM, DRAM) == 256
    assert memory_used(PROGRAM, CHIP) == 256
    assert memory_used(PARTS, DRAM) == 512
    code = 5 * BUFFER_BYTES + 4 * STEP_BYTES
    assert dram_bytes(PROGRAM) == 256 + -(-code // 64) * 64
    assert memory_used(replace(PROGRAM, regions=()), DRAM) == 5 * 128


def loaded_on(device: Device, count: int) -> list[LoadedProgram]:
    device.open()
    return [device.load(PROGRAM, {}) for _ in range(count)]


def test_programs_fit_up_to_the_last_byte_of_dram():
    each = dram_bytes(PROGRAM)
    device = Device(memory=Capacity(dram=2 * each))
    first, _ = loaded_on(device, 2)
    assert device.allocated_memory == 2 * each
    with pytest.raises(
        DelegateBuildError, match=f"needs {each:,} bytes of device memory, {2 * each:,} of {2 * each:,} "
    ):
        device.load(PROGRAM, {})
    device.unload(first)
    device.unload(first)
    assert device.allocated_memory == each
    device.load(PROGRAM, {})
    with pytest.raises(DelegateBuildError, match="bytes of device memory"):
        loaded_on(Device(memory=Capacity(dram=2 * each - 1)), 2)


def test_a_program_fits_up_to_the_last_byte_of_the_scratchpad():
    loaded_on(Device(memory=Capacity(scratchpad=256)), 1)
    with pytest.raises(DelegateBuildError, match="needs 256 bytes of scratchpad, the device has 255"):
        loaded_on(Device(memory=Capacity(scratchpad=255)), 1)


def test_the_simulator_copies_nothing_for_a_transfer():
    direct = without_transfers(PROGRAM)
    assert [(step.name, step.operands, step.output) for step in direct.steps] == [
        ("first", (0,), 2),
        ("second", (2,), 3),
    ]
    assert direct.outputs == (3,)


@pytest.mark.parametrize(("program", "count"), [(PROGRAM, 1), (PARTS, 2)])
def test_programs_with_transfers_run(program, count):
    device = Device()
    device.open()
    inputs = [np.arange(64, dtype=np.float16).reshape(1, 64) + i for i in range(count)]
    (result,) = device.run(device.load(program, {}), inputs)
    np.testing.assert_array_equal(result, np.concatenate(inputs))
