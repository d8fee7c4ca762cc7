"""Which of two schedules a program follows: the one that is estimated to take least."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.compiler.compile import cycles_of, fastest
from lite_delegate.npu.compiler.compiled import Compiled
from lite_delegate.npu.compiler.flow import MemoryFlow
from lite_delegate.npu.compiler.place import place
from lite_delegate.npu.compiler.schedule import schedule
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.ir.module import Module
from lite_delegate.npu.ir.target import Target
from tests.npu.compiler.modules import Making, run, run_whole, target
from tests.npu.compiler.test_place import Growing, growing
from tests.npu.graphs import HostKernel, const, graph_of, half, node, out, variable

NEG = Lookup(Function.NEG)
LINES = 128
"""Elements for which a lookup takes one cycle on one tile."""


def machine(tiles: int, level: int = 1, setup: int = 0) -> Target:
    """A device whose transfers take ``setup`` cycles and next to nothing more."""
    found = target(2**20, tiles, 2)
    memory = replace(found.profile.memory, dma_bytes_per_cycle=4096, dma_setup_cycles=setup)
    return replace(found, profile=replace(found.profile, memory=memory), optimization_level=level)


def branches(*lines: int) -> Module:
    """Independent lookups of so many lines each."""
    making = Making()
    return making.module(*(making.step(NEG, [making.input((1, n * LINES))], (1, n * LINES)) for n in lines))


def joined(made: Compiled) -> int:
    """How many stages have several computations."""
    stages = [step.stage for step in made.program.steps if step.tiles]
    return sum(stages.count(stage) > 1 for stage in set(stages))


@pytest.mark.parametrize(("level", "tiles", "stages"), [(0, 4, 0), (1, 4, 1), (2, 4, 1), (1, 1, 0)])
def test_tiles_are_shared_from_level_1_on_where_there_are_several(level, tiles, stages):
    """5 and 5 lines take 2 cycles each on 4 tiles, one after the other, and 3 on 2 tiles each, side by side."""
    assert joined(fastest(MemoryFlow(branches(5, 5), 2**22), machine(tiles, level))) == stages


def test_turns_are_taken_where_steps_wait_for_transfers():
    """Side by side the second one would start late, and on half of the tiles."""
    flow = MemoryFlow(branches(256, 256), 2**22)
    slow = replace(machine(2, setup=60), dma_engines=1)
    assert joined(place(flow, schedule(flow, slow, sharing=True))) == 1
    assert joined(fastest(flow, slow)) == 0


@settings(max_examples=100, deadline=None, derandomize=True)
@given(growing(), st.integers(1, 4), st.sampled_from([2**9, 2**20]))
def test_the_faster_one_is_taken_and_gives_the_same(making: Growing, tiles: int, scratchpad: int) -> None:
    module = making.module(len(making.buffers) - 1)
    flow, on = MemoryFlow(module, scratchpad * tiles), target(scratchpad, tiles, 2)
    made = fastest(flow, on)
    both = [place(flow, schedule(flow, on, sharing=sharing)) for sharing in (False, True)]
    assert cycles_of(made, on) == min(cycles_of(each, on) for each in both)
    inputs = [half(module.buffers[port.buffer].shape, 1) for port in module.inputs]
    for found, expected in zip(run(made.program, made.module, inputs), run_whole(module, inputs), strict=True):
        np.testing.assert_array_equal(found, expected)


def inception(size: int) -> list[HostKernel]:
    """Four convolutions of one input, and their results one after another."""
    x = variable("x", (1, size, size, 32))
    kernels = []
    for branch, taps in enumerate((1, 3, 5, 1)):
        weight = const(f"w{branch}", half((16, taps, taps, 32), branch))
        kernels.append(
            node("Conv2DFusion", [x, weight], (1, size, size, 16), group=1, pad_mode="PAD", pad_list=(taps // 2,) * 4)
        )
    return [*kernels, node("Concat", [out(kernel) for kernel in kernels], (1, size, size, 64), axis=3)]


def test_branches_are_joined_on_the_vision_processor():
    kernels = inception(2)
    graph = graph_of(kernels, [out(kernels[-1])], NPUDelegate("myriad_x"))
    (program,) = (model.program for model in graph.models)
    computing = [step.stage for step in program.steps if step.tiles]
    assert len(set(computing)) < len(computing)


def test_branches_of_an_inception_module_run_side_by_side_and_no_bit_changes():
    results = []
    for tiles in (1, 6):
        kernels = inception(7)
        graph = graph_of(kernels, [out(kernels[-1])], NPUDelegate("npu4000", options={"NPU_TILES": tiles}))
        (program,) = (model.program for model in graph.models)
        computing = [step.stage for step in program.steps if step.tiles]
        assert (len(set(computing)) < len(computing)) is (tiles == 6)
        graph.inputs[0].data = half((1, 7, 7, 32), 9).astype(np.float32)
        graph.execute()
        results.append(graph.outputs[0].data)
    np.testing.assert_array_equal(results[0], results[1])
