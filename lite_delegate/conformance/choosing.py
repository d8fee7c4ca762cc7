"""The choice of cases for close looks: a few claimed cases per operator."""

from __future__ import annotations

from collections.abc import Sequence

from .reports.results import CaseOutcome, CaseResult, Verdict

PER_OPERATOR = 4
"""Cases of an operator that passed, and as many that did not, that are looked at closely."""


def chosen(results: Sequence[CaseResult]) -> list[int]:
    """Positions of the results to look at closely: spread evenly over the cases of each operator."""
    groups: dict[tuple[str, bool], list[int]] = {}
    for i, result in enumerate(results):
        is_right = result.outcome is CaseOutcome.PASSED
        if is_right or result.verdict is Verdict.OVER_CLAIM:
            groups.setdefault((result.op_type, is_right), []).append(i)
    return sorted(i for positions in groups.values() for i in spread(positions, PER_OPERATOR))


def spread(positions: Sequence[int], count: int) -> list[int]:
    """Some of them, from the first to the last, evenly."""
    if len(positions) <= count:
        return list(positions)
    return [positions[round(k * (len(positions) - 1) / (count - 1))] for k in range(count)]
