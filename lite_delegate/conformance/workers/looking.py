"""A run in two rounds: every case once, then a few of each operator more closely."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..choosing import chosen
from ..reports.results import CaseOutcome, CaseResult
from .pool import WorkerPool
from .serving import Subject

Heard = Callable[[CaseResult], None]


def run_and_look(
    pool: WorkerPool, cases: Sequence[Subject], *, thorough: bool = False, heard: Heard | None = None
) -> list[CaseResult]:
    """The results of cases and patterns, in their order.

    Args:
        pool: who runs them.
        cases: the cases and patterns.
        thorough: look at all of them closely, not at a few of each operator and family.
        heard: is called with each result as it comes; of a case that is looked at again, twice.
    """
    results = pool.run(cases, closely=thorough, heard=heard)
    if thorough or pool.delegate == "none":
        return results
    again = chosen(results)
    closer = pool.run([cases[i] for i in again], force=False, closely=True, heard=heard)
    for i, result in zip(again, closer, strict=True):
        if result.outcome is not CaseOutcome.REJECTED:
            results[i] = result
    return results
