"""Groups on runtimes are measured against numpy's kernels, and go back where numpy is faster."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

from lite_delegate import DelegateModel, Kernel
from lite_delegate.runtime.planning.rest import group_times, rest
from lite_delegate.runtime.planning.rest.group_times import DECIDED_US, GroupTimes, measured_groups
from tests.runtime.graphs import chain
from tests.runtime.planning.rest.test_rest import ENOUGH, SUM, Backend, compiled, groups, names, predicted


class Slow(Backend):
    """A runtime whose calls wait, in fact or in what a clock says."""

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = super().create_graph_kernel(run, model)
        run_group = kernel.execute

        def execute() -> None:
            Ticks.now += 1_000_000
            run_group()

        kernel.execute = execute  # type: ignore[method-assign]
        return kernel


class Ticks:
    """A clock that only ``Slow`` moves on, and each question by 10 us."""

    now = 0

    def __call__(self) -> int:
        Ticks.now += 10_000
        return Ticks.now


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest, "measured_groups", partial(measured_groups, clock=Ticks()))


def test_a_group_that_numpy_runs_faster_goes_back_with_both_times() -> None:
    backend = Slow()
    model = compiled(chain(ENOUGH), backend, measures_cpu_groups=True)
    assert groups(model) == []
    np.testing.assert_array_equal(predicted(model), SUM)
    assert backend.released == 1
    assert [n for n in model.partition.notes if "measured" in n] == [
        f"numpy runs {ENOUGH} kernels from 'n0' (AddFusion): 10.0 us, and CPU (backend) 1,010.0 us, measured"
    ]


def test_a_group_that_is_as_fast_stays() -> None:
    model = compiled(chain(ENOUGH), Backend(), measures_cpu_groups=True)
    assert groups(model) == [names(*range(ENOUGH))]
    np.testing.assert_array_equal(predicted(model), SUM)


def test_groups_are_measured_only_where_that_is_asked_for() -> None:
    backend = Slow()
    model = compiled(chain(ENOUGH), backend)
    assert groups(model) == [names(*range(ENOUGH))]
    assert backend.executed == []
    report_only = compiled(chain(ENOUGH), backend, measures_cpu_groups=True, plan_only=True)
    assert groups(report_only) == [names(*range(ENOUGH))]
    assert backend.executed == []


def test_a_large_estimated_saving_is_not_measured() -> None:
    many = int(DECIDED_US)  # each addition is estimated to save more than a microsecond
    assert groups(compiled(chain(many), Slow(), measures_cpu_groups=True)) == [names(*range(many))]


def test_no_time_is_left_after_the_first_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_times, "SECONDS", 0)
    assert groups(compiled(chain(ENOUGH), Slow(), measures_cpu_groups=True)) == [names(*range(ENOUGH))]


def test_a_runtime_that_fails_on_random_inputs_is_not_judged() -> None:
    class Failing(Slow):
        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            kernel = super().create_graph_kernel(run, model)

            def execute() -> None:
                raise RuntimeError("not these inputs")

            kernel.execute = execute  # type: ignore[method-assign]
            return kernel

    assert groups(compiled(chain(ENOUGH), Failing(), measures_cpu_groups=True)) == [names(*range(ENOUGH))]


@pytest.mark.parametrize(
    ("runtime_us", "numpy_us", "is_slower"), [(106, 100, True), (104, 100, False), (1, 100, False)]
)
def test_noise_is_no_difference(runtime_us: float, numpy_us: float, is_slower: bool) -> None:
    assert GroupTimes(runtime_us, numpy_us).is_slower == is_slower
