"""Tensors that cross as the host has them: the opposite of packing at the boundary."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from lite_delegate.ir.axes import identity
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.ir.target import Target
from lite_delegate.npu.passes import passes_for, run_module_passes
from lite_delegate.npu.passes.boundary import PackAtBoundary
from lite_delegate.npu.passes.cross_unpacked import CrossUnpacked
from lite_delegate.npu.profiles import load_profile
from tests.npu.passes.modules import NCHW, NHWC, Sketch, opcodes, run, whole_feeds
from tests.npu.passes.random_modules import modules

NEG = Lookup(Function.NEG)


def is_unpacked(module):
    return all(port.axes == identity(len(port.axes)) for port in (*module.inputs, *module.outputs))


def test_both_cases_undo_packing_by_permutes_on_the_device():
    s = Sketch()
    x = s.input(1, 2, 3, 4)
    y, z = s.step(NHWC, s.step(NEG, s.step(NCHW, x))), s.step(NEG, s.step(NCHW, x))
    packed = PackAtBoundary().rewrite(s.module(y, z))
    assert not is_unpacked(packed)
    result = CrossUnpacked().rewrite(packed)
    assert is_unpacked(result)
    assert opcodes(result) == {"Lookup": 2, "Permute": 2}
    assert result.buffers[result.inputs[0].buffer].shape == (1, 2, 3, 4)
    assert [result.buffers[port.buffer].shape for port in result.outputs] == [(1, 2, 3, 4), (1, 4, 2, 3)]
    assert result.steps[0].layers == ("Lookup1",)
    assert len({step.name for step in result.steps}) == 4


def test_nothing_happens_where_nothing_is_packed():
    s = Sketch()
    module = s.module(s.step(NEG, s.input(1, 2, 3, 4)))
    assert CrossUnpacked().rewrite(module) is module


@pytest.mark.parametrize("level", [0, 1, 2])
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(module=modules())
def test_with_nhwc_nothing_is_packed_and_the_same_is_computed(level, module):
    target = Target(load_profile("generic"), optimization_level=level)
    packed = run_module_passes(module, passes_for(target))
    result = run_module_passes(module, passes_for(replace(target, compute_layout="NHWC")))
    assert is_unpacked(result)
    assert CrossUnpacked().rewrite(result) is result
    feeds = whole_feeds(module)
    for got, want in zip(run(result, feeds), run(packed, feeds), strict=True):
        np.testing.assert_array_equal(got, want)
