"""Every pass, on its own and behind the others, on random modules: ``applied`` says what must hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from lite_delegate.npu.ir.editing import moved_bytes
from lite_delegate.npu.ir.module import Module
from lite_delegate.npu.ir.target import Target
from lite_delegate.npu.passes import passes_for, run_module_passes
from lite_delegate.npu.profiles import load_profile
from tests.npu.passes.modules import applied, run, whole_feeds
from tests.npu.passes.random_modules import modules

ALL = passes_for(Target(load_profile("generic"), optimization_level=2))
RANDOM = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("module_pass", ALL, ids=lambda each: each.name)
@RANDOM
@given(module=modules())
def test_a_pass_alone_keeps_what_is_computed(module_pass, module: Module):
    applied(module_pass, module)


@settings(RANDOM, max_examples=200)
@given(module=modules())
def test_passes_in_a_row_keep_what_is_computed(module: Module):
    for module_pass in ALL:
        module = applied(module_pass, module)


@pytest.mark.parametrize("level", [0, 1, 2])
@RANDOM
@given(module=modules())
def test_running_all_passes_again_moves_no_more_and_computes_the_same(level, module: Module):
    passes = passes_for(Target(load_profile("generic"), optimization_level=level))
    once = run_module_passes(module, passes)
    twice = run_module_passes(once, passes)
    assert moved_bytes(twice) <= moved_bytes(once)
    feeds = whole_feeds(module)
    for got, want in zip(run(twice, feeds), run(module, feeds), strict=True):
        np.testing.assert_array_equal(got, want)
