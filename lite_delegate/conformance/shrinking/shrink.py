"""Makes a failing case small: greedily, with the CPU reference kernel as the oracle of what is right."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..case import ConformanceCase
from ..results import CaseOutcome, CaseResult
from ..runner import reference_outputs, run_case
from .smaller import smaller_cases

MAX_TRIES = 200
"""Runs of the delegate that are spent on one case at most."""
MAX_SECONDS = 30.0
"""The same in time: a delegate that hangs takes its time limit with every try."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A failing case, what the delegate makes of it, and how often the delegate was tried to get there."""

    case: ConformanceCase
    result: CaseResult
    tries: int


def shrink(
    case: ConformanceCase,
    result: CaseResult,
    run: Callable[[ConformanceCase], CaseResult],
    *,
    max_tries: int = MAX_TRIES,
    max_seconds: float = MAX_SECONDS,
) -> Shrunk:
    """The smallest version of a case that a greedy search finds and that fails in the same way.

    A step is kept only if the reference kernel has an answer and the delegate fails as it did at first. A case that
    the CPU itself does not pass has no oracle and stays as it is.

    Args:
        case: a case that fails.
        result: how.
        run: runs a case on the delegate.
        max_tries: runs of the delegate at most.
        max_seconds: time after which no further step is tried.
    """
    found, deadline = Shrunk(case, result, 0), time.monotonic() + max_seconds
    if run_case(case, None).outcome is not CaseOutcome.PASSED:
        return found
    while (better := _step(found, run, max_tries, deadline)).case is not found.case:
        found = better
    return better


def _step(found: Shrunk, run: Callable[[ConformanceCase], CaseResult], max_tries: int, deadline: float) -> Shrunk:
    """The first smaller case that fails in the same way; the same case when there is none."""
    tries = found.tries
    for candidate in smaller_cases(found.case):
        answered = _answered(candidate)
        if answered is None:
            continue
        if tries >= max_tries or time.monotonic() >= deadline:
            break
        tries += 1
        result = run(answered)
        if (result.outcome, result.failure) == (found.result.outcome, found.result.failure):
            return Shrunk(answered, result, tries)
    return replace(found, tries=tries)


def _answered(candidate: ConformanceCase) -> ConformanceCase | None:
    """The candidate with the outputs that the reference kernel gives; None when it gives none."""
    try:
        outputs = tuple(reference_outputs(candidate))
    except Exception:  # a candidate may break any rule of the operator; then it is no case
        return None
    return replace(candidate, outputs=outputs) if any(y.size for y in outputs) else None
