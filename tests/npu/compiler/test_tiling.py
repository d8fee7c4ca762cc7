"""Which steps are split, along which axes, and what their tiles are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from lite_delegate.npu.compiler.flow import MemoryFlow
from lite_delegate.npu.compiler.tiling import tile
from lite_delegate.npu.device import ElementType
from lite_delegate.npu.device.instructions.convolution import Convolution
from lite_delegate.npu.device.instructions.functions import RELU, UNFUSED
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.instructions.movement import Concatenate
from lite_delegate.npu.device.instructions.reduction import SoftmaxAlong
from lite_delegate.npu.device.programs.program import ProgramStep
from lite_delegate.npu.device.programs.window import Window
from tests.npu.compiler.modules import Array, Making, kinds, names
from tests.npu.graphs import small_ints
from tests.npu.passes.modules import fused_of

SINGLE = ElementType.FLOAT32


def axis_of(step: ProgramStep) -> int:
    assert isinstance(step.instruction, Concatenate)
    return step.instruction.axis


def single_convolution(channels_in=8, channels_out=8, size=16, kernel=3):
    making = Making()
    window = Window((kernel, kernel), (1, 1), (1, 1), (kernel // 2, kernel // 2), (size, size))
    weight = making.constant(small_ints((channels_out, kernel, kernel, channels_in), 1))
    x = making.input((1, channels_in, size, size))
    y = making.step(Convolution(window, fused=RELU), [x, weight], (1, channels_out, size, size))
    return making.module(y)


def test_rows_are_cut_where_images_are_large():
    module = tile(single_convolution(4, 4, 32), 6000)
    count = kinds(module)["Convolution"]
    assert names(module)[:2] == [f"Convolution0/split@soc=1/{count}", f"Convolution0@soc=1/{count}"]
    assert names(module)[-1] == "Convolution0/concat"
    assert axis_of(module.steps[-1]) == 2
    assert len(module.constants) == 1  # the weight stays whole
    assert {step.layers for step in module.steps} == {("Convolution0",)}


def test_output_channels_are_cut_where_weights_are_large():
    module = tile(single_convolution(64, 64, 4), 24 * 1024)
    assert kinds(module)["Convolution"] == len(module.constants) > 1
    assert "Slice" not in kinds(module)
    assert axis_of(module.steps[-1]) == 1


def test_both_are_cut_where_both_are_large():
    module = tile(single_convolution(32, 32, 24), 12 * 1024)
    assert {axis_of(step) for step in module.steps if step.opcode == "Concatenate"} == {1, 2}


def test_sums_are_cut_where_one_pixel_is_too_large():
    module = tile(single_convolution(256, 2, 1, 1), 1024)
    assert kinds(module) == {"Convolution": 2, "Slice": 2, "Binary": 1} or kinds(module)["Binary"] >= 1
    partial = [step for step in module.steps if step.opcode == "Convolution"]
    assert {module.buffers[step.output].element for step in partial} == {SINGLE}
    assert all(fused_of(step) is UNFUSED for step in partial)
    last = module.steps[-1]
    assert (last.name.startswith("Convolution0/sum"), fused_of(last)) == (True, RELU)


def test_of_two_schemes_that_fit_the_one_that_moves_less_is_taken():
    """x 2 x 64 x 64 is 16 KiB, weights 64 x 1 x 1 x 2 are 256 bytes: cutting channels would keep x on the chip."""
    making = Making()
    window = Window((1, 1), (1, 1), (1, 1), (0, 0), (64, 64))
    operands = [making.input((1, 2, 64, 64)), making.constant(small_ints((64, 1, 1, 2), 1))]
    y = making.step(Convolution(window), operands, (1, 64, 64, 64))
    module = tile(making.module(y), 64 * 1024)
    sliced = sum(module.buffers[s.output].nbytes for s in module.steps if s.opcode == "Slice")
    assert sliced <= 2 * 64 * 64 * 2  # nothing is read twice: no halo, no repeated strip


def test_where_transfers_take_long_to_set_up_there_are_fewer():
    module = single_convolution(32, 32, 24)
    counts = [len(tile(module, 24_000, setup).steps) for setup in (0, 1000, 4096)]
    assert counts[2] < counts[1] < counts[0]


@pytest.mark.parametrize(("scratchpad", "whole"), [(2 * 256, True), (2 * 256 - 64, False)])
def test_only_what_exceeds_the_scratchpad_is_split(scratchpad, whole):
    making = Making()
    module = making.module(making.step(Lookup(Function.NEG), [making.input((4, 32))], (4, 32)))
    assert (tile(module, scratchpad) is module) is whole


@pytest.mark.parametrize("scratchpad", [700, 2000, 9000])
def test_a_second_run_changes_nothing_and_every_tile_fits(scratchpad):
    module = tile(single_convolution(), scratchpad)
    assert tile(module, scratchpad) is module
    flow = MemoryFlow(module, scratchpad)
    assert not any(flow.streams(step) for step in module.steps)
    names_ = names(module)
    assert len(set(names_)) == len(names_)


def test_what_cannot_be_split_stays_whole():
    making = Making()
    module = making.module(making.step(SoftmaxAlong(1), [making.input((1, 512))], (1, 512)))
    assert tile(module, 512) is module


def test_slices_of_a_constant_are_cut_from_contents_that_are_made_once():
    made = []
    module = single_convolution(64, 64, 4)
    (index,) = module.constants
    original: Callable[[], Array] = module.constants[index]

    def make() -> Array:
        made.append(1)
        return original()

    result = tile(replace(module, constants={index: make}), 24 * 1024)
    contents = result.pack_constants()
    assert len(contents) > 1
    assert made == [1]
    np.testing.assert_array_equal(np.concatenate([contents[i] for i in sorted(contents)]), original())
