"""The simulated clock in the profiles of requests."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from lite_delegate import Core, DelegateExecuteError
from lite_delegate.inference import Stage
from lite_delegate.npu.device import Faults
from lite_delegate.npu.queue import Engine
from tests.remote.simulated import SHAPE, Bench, net, numbers

NBYTES = 16 * 16 * 8 * 2


def test_a_profile_has_the_stages_of_the_device():
    bench = Bench()
    request = bench.core.compile_model(net(), "SIM").create_infer_request()
    bench.commands.clear()
    ends = []
    for _ in range(2):
        request.infer(numbers(1))
        simulated = request.profile.simulated
        assert simulated is not None
        assert simulated.is_estimate
        (run,), commands = simulated.runs, bench.commands[-1]
        assert run.kernel == "NpuGraph0"
        assert [(each.stage, each.nbytes) for each in run.stages] == [(c.engine, c.nbytes) for c in commands]
        assert [each.duration_us for each in run.stages] == pytest.approx([c.us for c in commands])
        assert run.stages[0].start_us == run.enqueued_us
        assert run.stages[-1].end_us == run.end_us
        assert simulated.latency_us == pytest.approx(sum(simulated.stages.values()))  # alone, nothing overlaps
        assert simulated.input_wait_us == pytest.approx(simulated.stages[Stage.UPLOAD])
        assert (simulated.bytes_to_device, simulated.bytes_to_host) == (NBYTES, NBYTES)
        ends.append((run.enqueued_us, run.end_us))
    assert ends[1][0] == ends[0][1]  # the second was asked for when the host had the results of the first
    assert bench.core.telemetry("SIM").elapsed_us == pytest.approx(ends[1][1])


def test_a_run_that_failed_tells_how_far_it_came():
    bench = Bench()
    request = bench.core.compile_model(net(), "SIM").create_infer_request()
    bench.device.inject(Faults(timeout=(1,)))
    with pytest.raises(DelegateExecuteError):
        request.infer(numbers(1))
    simulated = request.profile.simulated
    assert simulated is not None
    assert [run.was_cancelled for run in simulated.runs] == [True]
    assert all(each.stage != Engine.DOWNLOAD for each in simulated.commands)


def test_what_runs_on_the_cpu_has_no_simulated_times():
    request = Core().compile_model(net(), "CPU").create_infer_request()
    request.infer(numbers(1))
    assert request.profile.simulated is None


def test_the_wait_for_input_is_an_entry_of_the_profile_where_it_is_counted():
    bench = Bench()
    options = {"PERF_COUNT": "YES", "VPU_PRINT_RECEIVE_TENSOR_TIME": "YES"}
    request = bench.core.compile_model(net(), "SIM", options).create_infer_request()
    bench.commands.clear()
    request.infer(numbers(1))
    entry = request.get_profiling_info()[3]
    assert (entry.node_name, entry.node_type, entry.is_estimate) == ("NpuGraph0: waiting for input", "Wait", True)
    uploads_us = sum(each.us for each in bench.commands[-1] if each.engine is Engine.UPLOAD)
    assert entry.real_time == timedelta(microseconds=uploads_us)
    remote = bench.core.default_context("SIM").create_tensor(np.float32, SHAPE, numbers(1))
    request.infer(remote)
    assert request.get_profiling_info()[3].real_time == timedelta(0)
    without = bench.core.compile_model(net(), "SIM", {"PERF_COUNT": "YES"}).create_infer_request()
    without.infer(numbers(1))
    assert not any("waiting" in each.node_name for each in without.get_profiling_info())
