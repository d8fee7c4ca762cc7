"""A whole run in worker processes: cases, patterns, verdicts, saved failures."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...devices.registry.delegate_spec import NO_OPTIONS
from ...errors import GraphError
from ..judging.case import ConformanceCase
from ..known import NONE_KNOWN, Known, unexpected, with_known
from ..patterns.pattern import Pattern
from ..reports.defects import Stage
from ..reports.report import ConformanceReport
from ..reports.results import CaseOutcome, CaseResult, Verdict
from ..shrinking.save import save_case, save_pattern
from ..shrinking.shrink import MAX_SECONDS, shrink, shrink_pattern
from ..suite import operators_without_cases
from .looking import Heard, run_and_look
from .pool import WorkerPool
from .process import DEFAULT_TIMEOUT
from .serving import Subject

MAX_SHRINK_SECONDS = 120.0
"""Time that a run spends on making its failing cases small; what is left then is saved as it is."""
MAX_PATTERN_SECONDS = 30.0
"""Time that a run spends on finding the smallest chains that fail, where nothing is saved."""


def run_in_workers(
    cases: Sequence[ConformanceCase],
    spec: str,
    *,
    options: Mapping[str, str] = NO_OPTIONS,
    jobs: int | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    save: Path | None = None,
    is_whole: bool = False,
    patterns: Sequence[Pattern] = (),
    thorough: bool = False,
    known: Known = NONE_KNOWN,
    heard: Heard | None = None,
) -> ConformanceReport:
    """Runs every case and pattern on the delegate that a SPEC names.

    Args:
        cases: the cases.
        spec: names the delegate, see ``resolve_delegate``.
        options: of the delegate.
        jobs: how many processes at most; None: one per CPU this process may use.
        timeout: seconds that the delegate has for a case, and again for the same case claimed by force.
        save: where over-claimed cases are saved, made small; None: nowhere.
        is_whole: the cases are the whole suite, so an operator without cases is a failure.
        patterns: the patterns.
        thorough: look at all of them closely, not at a few of each operator and family.
        known: the reasons of known failures by case id, see ``read_known``.
        heard: is called with each result as it comes; of a case that is looked at again, twice.

    Raises:
        InputError: the SPEC names no delegate.
        DelegateError: the process ends, or hangs, while it makes the delegate.
        OSError: cases cannot be saved.
    """
    subjects: list[Subject] = [*cases, *patterns]
    with WorkerPool(spec, options=options, jobs=jobs, timeout=timeout) as pool:
        results = with_known(run_and_look(pool, subjects, thorough=thorough, heard=heard), known)
        failing = sum(r.verdict is Verdict.OVER_CLAIM for r in results)
        notes = _notes(results, pool.delegate)
        if save is not None:
            results = _saved(subjects, results, pool, save)
            notes.append(f"{sum(bool(r.saved) for r in results)} of {failing} failing cases are saved in {save}.")
        elif failing:
            results = _with_smallest(subjects, results, pool)
            notes.append(
                "--save DIR keeps the failing cases, made small, each with the command that shows the failure."
            )
        return ConformanceReport(
            pool.delegate,
            tuple(results[: len(cases)]),
            operators_without_cases(cases) if is_whole else (),
            spec,
            tuple(notes),
            dict(options),
            tuple(results[len(cases) :]),
            unexpected(results, known),
        )


def _notes(results: Sequence[CaseResult], delegate: str) -> list[str]:
    if results and all(r.outcome is CaseOutcome.REJECTED for r in results):
        return [f"Delegate '{delegate}' claimed none of the cases, so it was not tested."]
    return []


def _with_smallest(subjects: Sequence[Subject], results: Sequence[CaseResult], pool: WorkerPool) -> list[CaseResult]:
    """The results, those of failing patterns with the operators of the smallest chain that fails."""
    deadline = time.monotonic() + MAX_PATTERN_SECONDS
    found: list[CaseResult] = []
    for subject, result in zip(subjects, results, strict=True):
        if isinstance(subject, Pattern) and result.verdict is Verdict.OVER_CLAIM:
            small = _small_pattern(subject, result, pool, deadline)
            result = _told_by_smaller(result, *small)
        found.append(result)
    return found


def _told_by_smaller(result: CaseResult, pattern: Pattern, smaller: CaseResult) -> CaseResult:
    """The result of a pattern with what the smallest one that fails tells of it, where that has a name."""
    result = replace(result, smallest=pattern.chain.operators)
    named = smaller.defect is not None
    return replace(result, defect=smaller.defect, defect_place=smaller.defect_place) if named else result


def _small_pattern(
    pattern: Pattern, result: CaseResult, pool: WorkerPool, deadline: float, *, arrays: bool = False
) -> tuple[Pattern, CaseResult]:
    """The smallest pattern that fails; without smaller arrays, which would tell less, with a close look at it."""
    seconds, closely = min(MAX_SECONDS, deadline - time.monotonic()), _shows_closely(result)

    def run(candidate: Pattern) -> CaseResult:
        return pool.run([candidate], force=False, closely=closely)[0]

    small = shrink_pattern(pattern, result, run, arrays=arrays, max_seconds=seconds)
    if not arrays and small.result.failure is None:
        return small.case, pool.run([small.case], force=False, closely=True)[0]
    return small.case, small.result


def _saved(
    subjects: Sequence[Subject], results: Sequence[CaseResult], pool: WorkerPool, directory: Path
) -> list[CaseResult]:
    """The results, with the directory in which each over-claimed case was saved."""
    deadline = time.monotonic() + MAX_SHRINK_SECONDS
    kept: list[CaseResult] = []
    for subject, result in zip(subjects, results, strict=True):
        if result.verdict is not Verdict.OVER_CLAIM:
            kept.append(result)
            continue
        try:
            kept.append(_saved_one(subject, result, pool, directory, deadline))
        except GraphError as e:
            kept.append(replace(result, detail=f"{result.detail} (cannot be saved: {e})"))
    return kept


def _saved_one(subject: Subject, result: CaseResult, pool: WorkerPool, directory: Path, deadline: float) -> CaseResult:
    if isinstance(subject, Pattern):
        fewer, seen = _small_pattern(subject, result, pool, deadline)
        told = _told_by_smaller(result, fewer, seen)
        pattern, smaller = _small_pattern(fewer, result, pool, deadline, arrays=True)
        return replace(told, saved=str(save_pattern(pattern, smaller, pool.spec, directory, pool.options)))

    closely = _shows_closely(result)

    def run(candidate: ConformanceCase) -> CaseResult:
        return pool.run([candidate], force=False, closely=closely)[0]

    small = shrink(subject, result, run, max_seconds=min(MAX_SECONDS, deadline - time.monotonic()))
    return replace(result, saved=str(save_case(small.case, small.result, pool.spec, directory, pool.options)))


def _shows_closely(result: CaseResult) -> bool:
    """Only a close look shows what is wrong; what shows without one is made small without the time that one takes."""
    return result.is_close and result.stage not in (Stage.FIRST, Stage.OTHER_DATA)
