"""WORKLOAD_TYPE: where runs come in the order of those that wait, and how long they take on the simulated clock."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from lite_delegate.demo import model_path
from lite_delegate.inference.model.compiled_model import CompiledModel
from lite_delegate.mindspore.context.context import Context
from lite_delegate.mindspore.model import Model
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.npu.ir.target import Priority, Target
from lite_delegate.npu.profiles import load_profile
from lite_delegate.npu.queue import Clock, Command, CommandList, Engine

CLOCKS = load_profile("npu4000").compute.clock_mhz


def built(**options: object) -> CompiledModel:
    context = Context()
    context.set_delegate(NPUDelegate("npu4000", options=options))
    model = Model()
    model.build_from_file(model_path(), context=context)
    return model.compiled


def computing_us(compiled: CompiledModel) -> float:
    """The simulated duration of the computations of one run."""
    compiled([np.zeros(each.shape, np.float32) for each in compiled.inputs])
    graphs = [kernel for kernel in compiled.graph_kernels if isinstance(kernel, NPUGraph)]
    models = [model for graph in graphs for model in graph.models]
    times = [model.times for model in models]
    return sum(c.end - c.start for t in times if t is not None for c in t.commands if c.engine is Engine.COMPUTE)


@pytest.mark.shows("NPU", "WORKLOAD_TYPE")
def test_efficient_runs_wait_for_all_others_and_are_not_interrupted():
    """An efficient run holds half of the tiles when the others come, which need all of them for 10 us each."""
    clock, profile, half = Clock(), load_profile("npu4000"), Fraction(1, 2)
    wanted = [(Priority.HIGH, True), (Priority.LOW, True), (Priority.LOW, False), (Priority.HIGH, False)]
    ranks = [Target(profile, priority=priority, efficient=efficient).rank for priority, efficient in wanted]
    running = clock.submit(CommandList((Command(Engine.COMPUTE, 10, share=half),), ranks[1]))
    clock.finish(clock.submit(CommandList((Command(Engine.COMPUTE, 1, share=half),), ranks[3])))
    jobs = [clock.submit(CommandList((Command(Engine.COMPUTE, 10),), rank)) for rank in ranks]
    assert [clock.finish(job).end for job in jobs] == [40, 50, 30, 20]
    assert clock.finish(running).end == 10


@pytest.mark.shows("NPU", "WORKLOAD_TYPE")
@pytest.mark.parametrize("level", [1, 2, 4])
def test_the_clock_is_one_level_lower_where_there_is_one(level):
    lower = CLOCKS[max(level - 2, 0)]
    usual, efficient = built(FREQUENCY=level), built(FREQUENCY=level, WORKLOAD_TYPE="EFFICIENT")
    launch = load_profile("npu4000").compute.launch_us
    ratio = CLOCKS[level - 1] / lower
    assert computing_us(efficient) - launch == pytest.approx((computing_us(usual) - launch) * ratio)


def test_it_is_changed_for_one_model_from_its_next_run_on():
    one, other = built(FREQUENCY=4), built(FREQUENCY=4)
    before = computing_us(one)
    one.set_property({"WORKLOAD_TYPE": "EFFICIENT"})
    assert computing_us(one) > before == computing_us(other)
    assert one.get_property("WORKLOAD_TYPE") == "EFFICIENT"
    one.set_property({"WORKLOAD_TYPE": "DEFAULT"})
    assert computing_us(one) == before
