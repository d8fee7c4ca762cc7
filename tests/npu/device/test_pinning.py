"""Threads that stay on one CPU while they drive the device."""

from __future__ import annotations

import os

import pytest

from lite_delegate.npu.device.pinning import pinned


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system cannot pin threads")
def test_a_pinned_thread_has_one_cpu_and_gets_the_others_back():
    before = os.sched_getaffinity(0)
    with pinned(True):
        assert len(os.sched_getaffinity(0)) == 1
        assert os.sched_getaffinity(0) <= before
    assert os.sched_getaffinity(0) == before
    with pytest.raises(ValueError, match="x"), pinned(True):
        raise ValueError("x")
    assert os.sched_getaffinity(0) == before
    with pinned(False):
        assert os.sched_getaffinity(0) == before
