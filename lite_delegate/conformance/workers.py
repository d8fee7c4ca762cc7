"""A whole run in worker processes: cases, verdicts, saved failures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .case import ConformanceCase
from .pool import WorkerPool
from .process import DEFAULT_TIMEOUT
from .results import ConformanceReport
from .suite import operators_without_cases


def run_in_workers(
    cases: Sequence[ConformanceCase],
    spec: str,
    *,
    jobs: int | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    save: Path | None = None,
    whole: bool = False,
) -> ConformanceReport:
    """Runs every case on the delegate that a SPEC names; see ``WorkerPool`` for ``jobs`` and ``timeout``.

    Raises:
        InputError: the SPEC names no delegate.
        DelegateError: the process ends, or hangs, while it makes the delegate.
    """
    with WorkerPool(spec, jobs=jobs, timeout=timeout) as pool:
        results = pool.run(cases)
        without = operators_without_cases(cases) if whole else ()
        return ConformanceReport(pool.delegate, tuple(results), without, spec)
