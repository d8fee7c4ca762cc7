"""The conformance runner: every packaged case on the CPU, and what it finds in delegates that are wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby, islice

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS
from lite_delegate_kernels.built_in import built_in_kernels

from lite_delegate import (
    DataType,
    Delegate,
    DelegateBuildError,
    DelegateModel,
    Kernel,
    LiteDelegateError,
    RejectCode,
    Rejected,
    Supported,
)
from lite_delegate.conformance import CaseOutcome, ConformanceCase, all_cases, run_case, run_conformance

SLICES = 4
"""Of the cases, of which one runs every time; kernel tests compute them all (``tests/kernels``)."""


@pytest.mark.parametrize("place", [0, *(pytest.param(place, marks=pytest.mark.nightly) for place in range(1, SLICES))])
def test_every_case_passes_on_the_cpu(place: int) -> None:
    by_operator = groupby(sorted(all_cases(), key=lambda case: case.op_type), key=lambda case: case.op_type)
    cases = [case for _, group in by_operator for case in islice(group, place, None, SLICES)]
    report = run_conformance(cases, None)
    assert [r for r in report.results if r.outcome is not CaseOutcome.PASSED] == []
    found = {o.op_type for o in report.operators()}
    assert {kernel.op_type for kernel in ALL_KERNELS} <= found <= set(built_in_kernels().op_types())
    assert min(o.cases for o in report.operators()) >= 8 // SLICES


def test_the_same_cases_every_time() -> None:
    for first, second in zip(
        all_cases(["Softmax", "Conv2DFusion"]), all_cases(["Softmax", "Conv2DFusion"]), strict=True
    ):
        assert first.name == second.name
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first.outputs, second.outputs, strict=True))


def test_unknown_operators_are_named() -> None:
    with pytest.raises(LiteDelegateError, match="No conformance cases for Sofmax"):
        list(all_cases(["Sofmax"]))


class Doubling(Kernel):
    """Adds and multiplies by ``factor``."""

    factor = np.float32(1)

    def execute(self) -> None:
        a, b = self.inputs
        self.outputs[0].data = (a.data + b.data) * self.factor


class Adder(Delegate):
    name = "adder"
    kernel: type[Kernel] = Doubling

    def supports(self, kernel: Kernel) -> Supported | Rejected:
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        return self.kernel("G", "G", boundary.inputs, boundary.outputs)


def adder(kernel: type[Kernel]) -> Adder:
    delegate = Adder()
    delegate.kernel = kernel
    return delegate


A, B = np.array([1.0, 2.0], np.float32), np.array([0.5, -0.25], np.float32)
CASE = ConformanceCase("plain", "AddFusion", (A, B), (np.array([1.5, 1.75], np.float32),), source="hand")


def test_a_right_delegate_passes() -> None:
    assert run_case(CASE, Adder()).outcome is CaseOutcome.PASSED


class Wrong(Doubling):
    factor = np.float32(1.001)


class WrongShape(Kernel):
    def execute(self) -> None:
        self.outputs[0].data = np.zeros(3, np.float32)


class Raising(Kernel):
    def execute(self) -> None:
        raise OSError("bus error")


class Unprepared(Doubling):
    def prepare(self) -> None:
        raise DelegateBuildError("no room")


@pytest.mark.parametrize(
    ("kernel", "outcome", "detail"),
    [
        (Wrong, CaseOutcome.WRONG, "output 0: 2 of 2 elements differ, first at (0,): expected 1.5, got 1.50150"),
        (WrongShape, CaseOutcome.FAILED, "Graph kernel 'G': output 'output_0' must have shape [2], got [3]."),
        (Raising, CaseOutcome.FAILED, "Graph kernel 'G' (G) failed: OSError: bus error."),
        (Unprepared, CaseOutcome.FAILED, "COMPILE_FAILED: no room"),
    ],
)
def test_a_wrong_delegate_is_found(kernel: type[Kernel], outcome: CaseOutcome, detail: str) -> None:
    result = run_case(CASE, adder(kernel))
    assert result.outcome is outcome
    assert result.detail.startswith(detail)
    report = run_conformance([CASE], adder(kernel))
    assert not report.is_conformant
    assert f"{outcome.value}: AddFusion plain: " in report.to_text()


class Rejecting(Adder):
    def supports(self, kernel: Kernel) -> Rejected:
        return Rejected(RejectCode.DTYPE, "no float32")


def test_what_the_cpu_does_for_a_delegate_is_no_pass() -> None:
    report = run_conformance([CASE], Rejecting())
    (result,) = report.results
    assert (result.outcome, result.detail) == (CaseOutcome.REJECTED, "DTYPE: no float32")
    assert report.is_conformant
    (row,) = report.operators()
    assert (row.passed, row.rejected) == (0, 1)


class HalfKernel(Kernel):
    def execute(self) -> None:
        a, b = (t.data.astype(np.float16) for t in self.inputs)
        self.outputs[0].data = (a + b).astype(np.float32)


def half(kernel: type[Kernel]) -> Adder:
    delegate = adder(kernel)
    delegate.storage_dtype = DataType.FLOAT16
    return delegate


def random_case(scale: float) -> ConformanceCase:
    rng = np.random.default_rng(5)
    a, b = (rng.normal(scale=scale, size=64).astype(np.float32) for _ in range(2))
    return ConformanceCase("random", "AddFusion", (a, b), (a + b,), source="hand")


def test_coarser_storage_is_granted_its_roundings_and_no_more() -> None:
    assert run_case(random_case(1.0), adder(HalfKernel)).outcome is CaseOutcome.WRONG
    assert run_case(random_case(1.0), half(HalfKernel)).outcome is CaseOutcome.PASSED
    assert (
        run_case(random_case(1.0), half(type("Off", (Doubling,), {"factor": np.float32(1.01)}))).outcome
        is CaseOutcome.WRONG
    )


def test_numbers_beyond_the_storage_type_say_nothing() -> None:
    assert run_case(random_case(1e6), half(HalfKernel)).outcome is CaseOutcome.OUT_OF_RANGE


def test_shapes_that_follow_from_digits_beyond_the_storage_type_say_nothing() -> None:
    (case,) = [case for case in all_cases(["Range"]) if case.name == "length_is_rounded_in_float32"]
    assert run_case(case, adder(HalfKernel)).outcome is CaseOutcome.FAILED
    assert run_case(case, half(HalfKernel)).outcome is CaseOutcome.OUT_OF_RANGE


def test_json_has_totals_operators_and_cases() -> None:
    data = json.loads(run_conformance([CASE], Adder()).to_json())
    assert data["totals"]["passed"] == 1
    assert data["operators"][0]["op_type"] == "AddFusion"
    first = {"op_type": "AddFusion", "name": "plain", "outcome": "passed", "max_abs": 0.0, "detail": ""}
    assert data["cases"][0].items() >= first.items()
    assert (data["cases"][0]["verdict"], data["cases"][0]["snr_db"]) == ("honest", "inf")
    assert data["verdicts"] == {"honest": 1, "over-claim": 0, "under-claim": 0, "rejected": 0, "untested": 0}


def test_cases_hold_arrays() -> None:
    with pytest.raises(TypeError, match="Case 'x' of AddFusion: expected arrays, got float"):
        ConformanceCase("x", "AddFusion", (1.0,), ())  # type: ignore[arg-type]
