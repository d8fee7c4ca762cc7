"""A whole run in worker processes: cases, verdicts, saved failures."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...delegate_spec import NO_OPTIONS
from ...errors import GraphError
from ..case import ConformanceCase
from ..report import ConformanceReport
from ..results import CaseOutcome, CaseResult, Verdict
from ..shrinking.save import save_case
from ..shrinking.shrink import MAX_SECONDS, shrink
from ..suite import operators_without_cases
from .pool import WorkerPool
from .process import DEFAULT_TIMEOUT

MAX_SHRINK_SECONDS = 120.0
"""Time that a run spends on making its failing cases small; what is left then is saved as it is."""


def run_in_workers(
    cases: Sequence[ConformanceCase],
    spec: str,
    *,
    options: Mapping[str, str] = NO_OPTIONS,
    jobs: int | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    save: Path | None = None,
    is_whole: bool = False,
) -> ConformanceReport:
    """Runs every case on the delegate that a SPEC names.

    Args:
        cases: the cases.
        spec: names the delegate, see ``resolve_delegate``.
        options: of the delegate.
        jobs: how many processes at most; None: one per CPU this process may use.
        timeout: seconds that the delegate has for a case, and again for the same case claimed by force.
        save: where over-claimed cases are saved, made small; None: nowhere.
        is_whole: the cases are the whole suite, so an operator without cases is a failure.

    Raises:
        InputError: the SPEC names no delegate.
        DelegateError: the process ends, or hangs, while it makes the delegate.
        OSError: cases cannot be saved.
    """
    with WorkerPool(spec, options=options, jobs=jobs, timeout=timeout) as pool:
        results = pool.run(cases)
        failing = sum(r.verdict is Verdict.OVER_CLAIM for r in results)
        notes = _notes(results, pool.delegate)
        if save is not None:
            results = _saved(cases, results, pool, save)
            notes.append(f"{sum(bool(r.saved) for r in results)} of {failing} failing cases are saved in {save}.")
        elif failing:
            notes.append(
                "--save DIR keeps the failing cases, made small, each with the command that shows the failure."
            )
        without = operators_without_cases(cases) if is_whole else ()
        return ConformanceReport(pool.delegate, tuple(results), without, spec, tuple(notes), dict(options))


def _notes(results: Sequence[CaseResult], delegate: str) -> list[str]:
    if results and all(r.outcome is CaseOutcome.REJECTED for r in results):
        return [f"Delegate '{delegate}' claimed none of the cases, so nothing of it was tested."]
    return []


def _saved(
    cases: Sequence[ConformanceCase], results: Sequence[CaseResult], pool: WorkerPool, directory: Path
) -> list[CaseResult]:
    """The results, with the directory in which each over-claimed case was saved."""
    deadline = time.monotonic() + MAX_SHRINK_SECONDS
    kept: list[CaseResult] = []
    for case, result in zip(cases, results, strict=True):
        if result.verdict is not Verdict.OVER_CLAIM:
            kept.append(result)
            continue
        seconds = min(MAX_SECONDS, deadline - time.monotonic())
        small = shrink(case, result, lambda c: pool.run([c], force=False)[0], max_seconds=seconds)
        try:
            folder = save_case(small.case, small.result, pool.spec, directory, pool.options)
        except GraphError as e:
            kept.append(replace(result, detail=f"{result.detail} (cannot be saved: {e})"))
        else:
            kept.append(replace(result, saved=str(folder)))
    return kept
