"""Context.plan_only: a model is planned for its report, rehearsed in place of prepared, and cannot predict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lite_delegate import Context, DelegateModel, Kernel, LiteDelegateError, Model, RejectCode
from lite_delegate.report import PartitionReport, partition_report
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import chain


class Recording(Kernel):
    """Notes what it is asked for; fails to be prepared where it stands for a certain node."""

    def __init__(self, run: Sequence[Kernel], model: DelegateModel, calls: list[str], failing: str) -> None:
        boundary = model.boundary_of(run)
        super().__init__(f"of_{run[0].name}", "Recording", boundary.inputs, boundary.outputs)
        self._calls, self._fails = calls, failing in [k.name for k in run]

    def prepare(self) -> None:
        self._calls.append("prepare")
        if self._fails:
            raise RuntimeError("no room")

    def execute(self) -> None:
        raise AssertionError("never run")


class Rehearsed(Recording):
    def rehearse(self) -> None:
        self._calls.append("rehearse")
        if self._fails:
            raise RuntimeError("there would be no room")


class RecordingDelegate(NamedDelegate):
    def __init__(self, names: list[str], kind: type[Recording], failing: str = "") -> None:
        super().__init__(names)
        self.kind, self.failing, self.calls = kind, failing, list[str]()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return self.kind(run, model, self.calls, self.failing)


def planned(delegate: NamedDelegate, *, plan_only: bool = True) -> Model:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    context.plan_only = plan_only
    model.build_from_graph(chain(3), context)
    return model


@pytest.mark.parametrize(
    ("kind", "plan_only", "calls"),
    [
        (Recording, True, ["prepare"]),
        (Rehearsed, True, ["rehearse"]),
        (Rehearsed, False, ["prepare"]),
    ],
    ids=["not overridden", "overridden", "to be run"],
)
def test_calls_of_the_delegate(kind: type[Recording], plan_only: bool, calls: list[str]) -> None:
    delegate = RecordingDelegate(["n0"], kind)
    planned(delegate, plan_only=plan_only)
    assert delegate.calls == calls


@pytest.mark.filterwarnings("ignore::lite_delegate.DelegateWarning")
def test_nodes_that_would_fail_are_in_the_report() -> None:
    report = partition_report(planned(RecordingDelegate(["n1"], Rehearsed, "n1")))
    assert [n.code for n in report.nodes] == [RejectCode.OPERATOR, RejectCode.COMPILE_FAILED, RejectCode.OPERATOR]
    assert "there would be no room" in report.nodes[1].reason


def test_the_report_is_that_of_a_model_that_can_run() -> None:
    def report(plan_only: bool) -> PartitionReport:
        return partition_report(planned(NamedDelegate(["n0", "n2"]), plan_only=plan_only))

    assert report(True) == report(False)


@pytest.mark.shows("context", "PLAN_ONLY")
def test_it_cannot_predict() -> None:
    with pytest.raises(LiteDelegateError, match="only planned and cannot predict"):
        planned(NamedDelegate(["n0"])).predict({"x": np.ones((2, 3), np.float32)})


def test_the_option_is_a_bool() -> None:
    assert Context().plan_only is False
    with pytest.raises(TypeError, match="plan_only"):
        Context().plan_only = 1  # type: ignore[assignment]
