"""Conformance cases, an operator's in one test: a test for each of thousands costs more than what it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from lite_delegate.conformance.judging.case import ConformanceCase


def by_operator(cases: Iterable[ConformanceCase]) -> Mapping[str, Sequence[ConformanceCase]]:
    """The cases of each operator, in their order."""
    found: dict[str, list[ConformanceCase]] = {}
    for case in cases:
        found.setdefault(case.op_type, []).append(case)
    return found


def failures(cases: Iterable[ConformanceCase], check: Callable[[ConformanceCase], None]) -> Mapping[str, str]:
    """What a check raises for cases, by the names of those that fail it; the others are checked all the same."""
    found = {}
    for case in cases:
        try:
            check(case)
        except Exception as e:
            found[case.name] = f"{type(e).__name__}: {e}"
    return found
