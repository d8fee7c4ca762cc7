"""A part of the conformance suite through the delegate; `lite-delegate conformance` runs all of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from lite_delegate.backends.lowering.table import lowerings
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.conformance.case import ConformanceCase
from lite_delegate.conformance.known import read_known
from lite_delegate.conformance.results import CaseOutcome
from lite_delegate.conformance.runner import run_case
from lite_delegate.conformance.suite import all_cases

KNOWN = read_known(Path(__file__).with_name("known_failures.toml"))
PER_OPERATOR = 4


@cache
def cases_by_operator() -> dict[str, list[ConformanceCase]]:
    found: dict[str, list[ConformanceCase]] = {}
    for case in all_cases():
        found.setdefault(case.op_type, []).append(case)
    return found


def some_cases(op_type: str) -> list[ConformanceCase]:
    """A few cases of an operator, from all over its file."""
    cases = [case for case in cases_by_operator()[op_type] if f"{op_type}-{case.name}" not in KNOWN]
    return cases[:: max(1, len(cases) // PER_OPERATOR)]


@pytest.mark.parametrize("op_type", sorted(lowerings()))
def test_what_is_claimed_is_right(op_type: str) -> None:
    delegate = OnnxRuntimeDelegate(threads=1)
    results = [run_case(case, delegate, force=False, closely=False) for case in some_cases(op_type)]
    bad = [r for r in results if r.outcome not in (CaseOutcome.PASSED, CaseOutcome.REJECTED)]
    assert [(r.name, r.detail) for r in bad] == []
