"""Worker processes: each planted fault is found, blamed on its case, and costs no other case."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from lite_delegate import DelegateError, InputError
from lite_delegate.conformance import (
    CaseOutcome,
    CaseResult,
    FailureKind,
    Verdict,
    WorkerPool,
    all_cases,
    run_conformance,
    run_in_workers,
)
from lite_delegate.conformance.workers import process
from tests.conformance import planted
from tests.conformance.planted import FAULTY

SOFTMAX = list(all_cases(["Softmax"]))


def run(name: str, *, jobs: int = 1, timeout: float = 30.0) -> dict[str, CaseResult]:
    with WorkerPool(f"tests.conformance.planted:{name}", jobs=jobs, timeout=timeout) as pool:
        return {r.name: r for r in pool.run(SOFTMAX)}


def test_an_honest_delegate_passes_every_case() -> None:
    results = run("Honest")
    assert list(results) == [c.name for c in SOFTMAX]
    assert {r.verdict for r in results.values()} == {Verdict.HONEST}


@pytest.mark.parametrize(
    ("name", "outcome", "failure", "detail"),
    [
        ("Wrong", CaseOutcome.WRONG, None, "output 0: "),
        ("Writing", CaseOutcome.WRONG, None, "input_0 was written to"),
        ("Raising", CaseOutcome.FAILED, FailureKind.RAISED, "COMPILE_FAILED: OSError: bus error"),
        ("Leaving", CaseOutcome.FAILED, FailureKind.RAISED, "COMPILE_FAILED: SystemExit: enough"),
        ("Exiting", CaseOutcome.FAILED, FailureKind.CRASHED, "the process ended with exit status 7"),
        ("Segfaulting", CaseOutcome.FAILED, FailureKind.CRASHED, "the process ended by signal SIGSEGV"),
    ],
)
def test_an_over_claim_is_found_and_the_other_cases_pass(
    name: str, outcome: CaseOutcome, failure: FailureKind | None, detail: str
) -> None:
    results = run(name)
    bad = results.pop(FAULTY)
    assert (bad.outcome, bad.failure, bad.verdict) == (outcome, failure, Verdict.OVER_CLAIM)
    assert bad.detail.startswith(detail)
    assert {r.verdict for r in results.values()} == {Verdict.HONEST}


def test_a_hanging_case_is_ended_by_the_time_limit() -> None:
    started = time.monotonic()
    results = run("Hanging", timeout=2.0)
    bad = results.pop(FAULTY)
    assert (bad.failure, bad.detail) == (FailureKind.TIMED_OUT, "the process gave no answer within 2 s")
    assert {r.verdict for r in results.values()} == {Verdict.HONEST}
    assert time.monotonic() - started < 60


def test_claiming_and_not_taking_is_an_over_claim() -> None:
    results = run("LeftOut")
    assert {r.verdict for r in results.values()} == {Verdict.OVER_CLAIM}
    assert "claims it, but its build left it out" in results[FAULTY].detail


def test_an_under_claim_is_found_by_force() -> None:
    results = run("Rejecting")
    with_numbers = {c.name for c in SOFTMAX if c.outputs[0].size}
    assert {n for n, r in results.items() if r.verdict is Verdict.UNDER_CLAIM} == with_numbers
    assert {r.outcome for r in results.values()} == {CaseOutcome.REJECTED}
    empty = next(r for n, r in results.items() if n not in with_numbers)
    assert (empty.verdict, empty.forced) == (Verdict.REJECTED, None)
    assert "its outputs have no elements" in empty.forced_detail


def test_a_rejection_for_good_reason_is_no_under_claim() -> None:
    results = run("RejectingForGoodReason")
    assert {r.verdict for r in results.values()} == {Verdict.REJECTED}
    assert results[FAULTY].forced is CaseOutcome.WRONG
    assert results[FAULTY].forced_detail.startswith("output 0: ")


@pytest.mark.parametrize(
    ("name", "how"),
    [("ExitingWhenForced", "ended with exit status 9"), ("HangingWhenForced", "gave no answer within 2 s")],
)
def test_force_that_ends_the_process_is_no_over_claim_and_is_not_repeated(name: str, how: str) -> None:
    results = list(run(name, timeout=2.0).values())
    assert {(r.outcome, r.verdict) for r in results} == {(CaseOutcome.REJECTED, Verdict.REJECTED)}
    first, *others = [r for r in results if "no elements" not in r.forced_detail]
    assert (first.forced, first.forced_detail) == (CaseOutcome.FAILED, f"the process {how}")
    assert {r.forced_detail for r in others} == {f"not forced: when case '{first.name}' was, the process {how}"}


def test_what_cannot_be_forced_is_said() -> None:
    assert {r.forced_detail for r in run("Walking").values() if r.name == FAULTY} == {
        "not forced: the delegate overrides build"
    }
    assert run("Absent")[FAULTY].forced_detail == "not forced: the device is not there"


def test_a_small_pool_and_this_process_find_the_same() -> None:
    wrong, rejecting = (run_conformance(SOFTMAX, d).results for d in (planted.Wrong(), planted.Rejecting()))
    assert run_in_workers(SOFTMAX, "tests.conformance.planted:Wrong", jobs=3).results == wrong
    assert run_in_workers(SOFTMAX, "tests.conformance.planted:Rejecting", jobs=2).results == rejecting
    assert sum(r.is_close for r in wrong) == 5  # four that pass, and the one that does not


def test_a_pool_is_used_again_and_force_can_be_left_out() -> None:
    with WorkerPool("tests.conformance.planted:Rejecting", jobs=1) as pool:
        (first,) = pool.run(SOFTMAX[:1])
        (second,) = pool.run(SOFTMAX[:1], force=False)
        assert pool.run([]) == []
    assert (first.forced, second.forced, pool.delegate) == (CaseOutcome.PASSED, None, "planted")


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("tests.conformance.planted:NotADelegate", InputError, "must be a class derived from"),
        ("tests.conformance.planted:Missing", InputError, "cannot import it"),
        ("gpu", InputError, "--delegate must be none, auto"),
        (
            "tests.conformance.planted:DyingOnCreation",
            DelegateError,
            "the process ended with exit status 5 while it made the delegate",
        ),
    ],
)
def test_a_spec_without_a_delegate_is_an_error(spec: str, error: type[Exception], message: str) -> None:
    with WorkerPool(spec, jobs=2) as pool, pytest.raises(error, match=message):
        pool.run(SOFTMAX)


def test_a_delegate_that_cannot_be_made_in_time_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "STARTUP_SECONDS", 4.0)
    message = "the process gave no answer within 4 s while it made the delegate"
    with (
        WorkerPool("tests.conformance.planted:HangingOnCreation", jobs=1) as pool,
        pytest.raises(DelegateError, match=message),
    ):
        pool.run(SOFTMAX)


def test_what_cases_import_is_no_part_of_the_time_that_a_delegate_has() -> None:
    code = (
        "import sys; from multiprocessing import Pipe; from lite_delegate.conformance.workers import serving; "
        "ours, theirs = Pipe(); ours.send([]); serving.serve(theirs, 'none', {}); ready = ours.recv(); "
        "loaded = set(sys.modules); from lite_delegate.conformance.runner import claimed_result; "
        "from lite_delegate.conformance.judging.case import ConformanceCase; "
        "import numpy as np; x = np.ones(2, np.float32); "
        "claimed_result(ConformanceCase('c', 'Neg', (x,), (-x,)), None); print(type(ready).__name__, "
        "len(set(sys.modules) - loaded), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ready, imported = done.stderr.split()
    assert ready == "Ready"
    assert int(imported) <= 3  # the kernel's own
