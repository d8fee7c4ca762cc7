"""Makes a failing case or pattern small: greedily, with the reference kernels as the oracle of what is right."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain as joined
from typing import Generic, TypeVar

from ...basics.data_class import dataclass
from ..judging.case import ConformanceCase
from ..judging.chain import Chain
from ..judging.reference import reference_outputs_of
from ..patterns.pattern import Pattern
from ..reports.results import CaseOutcome, CaseResult
from ..runner import reference_outputs, run_case
from .chains import fewer_nodes, smaller_arrays
from .smaller import smaller_cases

MAX_TRIES = 200
"""Runs of the delegate that are spent on one case at most."""
MAX_SECONDS = 30.0
"""The same in time: a delegate that hangs takes its time limit with every try."""

_S = TypeVar("_S", ConformanceCase, Pattern)


@dataclass(frozen=True, slots=True)
class Shrunk(Generic[_S]):
    """A failing case or pattern, what the delegate makes of it, and how often it was tried to get there."""

    case: _S
    result: CaseResult
    tries: int


def shrink(
    case: ConformanceCase,
    result: CaseResult,
    run: Callable[[ConformanceCase], CaseResult],
    *,
    max_tries: int = MAX_TRIES,
    max_seconds: float = MAX_SECONDS,
) -> Shrunk[ConformanceCase]:
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
    found = Shrunk(case, result, 0)
    if run_case(case, None, closely=False).outcome is not CaseOutcome.PASSED:
        return found
    return _shrunk(found, run, _Shrinker(lambda c: _answered(smaller_cases(c)), max_tries, max_seconds))


def shrink_pattern(
    pattern: Pattern,
    result: CaseResult,
    run: Callable[[Pattern], CaseResult],
    *,
    arrays: bool = True,
    max_tries: int = MAX_TRIES,
    max_seconds: float = MAX_SECONDS,
) -> Shrunk[Pattern]:
    """Makes a failing pattern small: fewer nodes, and then smaller arrays.

    Args:
        pattern: a pattern that fails.
        result: how.
        run: runs a pattern on the delegate.
        arrays: make arrays smaller, too.
        max_tries: runs of the delegate at most.
        max_seconds: time after which no further step is tried.
    """

    def candidates(found: Pattern) -> Iterator[Pattern]:
        chains = joined(fewer_nodes(found.chain), smaller_arrays(found.chain) if arrays else ())
        return (found.with_chain(c) for c in chains if _has_answer(c))

    return _shrunk(Shrunk(pattern, result, 0), run, _Shrinker(candidates, max_tries, max_seconds))


@dataclass(frozen=True, slots=True)
class _Shrinker(Generic[_S]):
    candidates: Callable[[_S], Iterator[_S]]
    max_tries: int
    max_seconds: float


def _shrunk(found: Shrunk[_S], run: Callable[[_S], CaseResult], search: _Shrinker[_S]) -> Shrunk[_S]:
    deadline = time.monotonic() + search.max_seconds
    while (better := _step(found, run, search, deadline)).case is not found.case:
        found = better
    return better


def _step(found: Shrunk[_S], run: Callable[[_S], CaseResult], search: _Shrinker[_S], deadline: float) -> Shrunk[_S]:
    """The first smaller case that fails in the same way; the same case when there is none."""
    tries = found.tries
    for candidate in search.candidates(found.case):
        if tries >= search.max_tries or time.monotonic() >= deadline:
            break
        tries += 1
        result = run(candidate)
        if _way(result) == _way(found.result):
            return Shrunk(candidate, result, tries)
    return replace(found, tries=tries)


def _way(result: CaseResult) -> tuple[object, ...]:
    return result.outcome, result.failure, result.stage


def _answered(candidates: Iterator[ConformanceCase]) -> Iterator[ConformanceCase]:
    """The candidates that the reference kernel has an answer for, with the outputs that it gives."""
    for candidate in candidates:
        try:
            outputs = tuple(reference_outputs(candidate))
        except Exception:  # a candidate may break any rule of the operator; then it is no case
            continue
        if any(y.size for y in outputs):
            yield replace(candidate, outputs=outputs)


def _has_answer(chain: Chain) -> bool:
    try:
        return bool(chain.nodes) and any(y.size for y in reference_outputs_of(chain))
    except Exception:  # as above
        return False
