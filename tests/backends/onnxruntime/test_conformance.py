"""A part of the conformance suite through the delegate; `lite-delegate conformance` runs all of it."""

from __future__ import annotations

from functools import cache

import pytest

from lite_delegate.backends.lowering.table import lowerings
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.conformance.case import ConformanceCase
from lite_delegate.conformance.pattern_runner import run_pattern
from lite_delegate.conformance.patterns.all import all_patterns
from lite_delegate.conformance.results import Verdict
from lite_delegate.conformance.runner import run_case
from lite_delegate.conformance.suite import all_cases

PER_OPERATOR = 4
DIFFERENT = {
    "GRU": "nan_in_one_sequence",
    "LRN": "nan_and_infinity_reach_neighbors",
    "MaxPoolFusion": "only_minus_infinity_gives_the_lowest_number",
}
"""Cases whose NaN or infinities ONNX Runtime treats in its own way."""


@cache
def cases_by_operator() -> dict[str, list[ConformanceCase]]:
    found: dict[str, list[ConformanceCase]] = {}
    for case in all_cases():
        found.setdefault(case.op_type, []).append(case)
    return found


def some_cases(op_type: str) -> list[ConformanceCase]:
    """A few cases of an operator, from all over its file."""
    cases = cases_by_operator()[op_type]
    return cases[:: max(1, len(cases) // PER_OPERATOR)]


@pytest.mark.parametrize("op_type", sorted(lowerings()))
def test_what_is_claimed_is_right(op_type: str) -> None:
    delegate = OnnxRuntimeDelegate(threads=1)
    results = [run_case(case, delegate, force=False, closely=False) for case in some_cases(op_type)]
    bad = [r for r in results if r.verdict is Verdict.OVER_CLAIM]
    assert [(r.name, r.detail) for r in bad] == []


@pytest.mark.parametrize("op_type", sorted(DIFFERENT))
def test_special_values_of_its_own_are_told(op_type: str) -> None:
    (case,) = [case for case in cases_by_operator()[op_type] if case.name == DIFFERENT[op_type]]
    result = run_case(case, OnnxRuntimeDelegate(threads=1), force=False, closely=False)
    assert result.verdict is Verdict.UNTESTED
    assert result.detail.startswith("NaN or infinities: output 0: ")


def test_8_bit_chains_are_right_within_the_steps_that_are_declared() -> None:
    delegate = OnnxRuntimeDelegate(threads=1)
    results = [run_pattern(pattern, delegate, closely=False) for pattern in all_patterns(["8-bit"])]
    assert [(r.name, r.detail) for r in results if r.verdict is not Verdict.HONEST] == []
