"""A sample of the conformance suite through each delegate; ``make backends`` runs all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from zlib import crc32

import pytest

from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.pattern_runner import run_pattern
from lite_delegate.conformance.patterns.all import all_patterns
from lite_delegate.conformance.reports.results import CaseOutcome, Verdict
from lite_delegate.conformance.runner import run_case
from lite_delegate.conformance.suite import all_cases
from tests.backends import named
from tests.backends.lowering.cases import lowered_operators

REGIONS = {"ai.onnx.RoiAlign"}
NONE_RIGHT = {
    "onnxruntime": REGIONS,
    "openvino": REGIONS | {"ai.onnx.Cast", "ai.onnx.Col2Im", "ai.onnx.Det", "CropAndResize", "FloorMod", "Mod"},
}
"""Operators with a lowering of which a backend takes no case of the sample."""
DIFFERENT = [
    ("onnxruntime", "GRU", "nan_in_one_sequence"),
    ("onnxruntime", "LRN", "nan_and_infinity_reach_neighbors"),
    ("onnxruntime", "MaxPoolFusion", "only_minus_infinity_gives_the_lowest_number"),
    ("openvino", "Maximum", "special_values_float32"),
    ("openvino", "Softmax", "special_values"),
]
"""Cases whose NaN or infinities a runtime treats in its own way."""


delegate_of = cache(named.delegate_of)


@cache
def sample() -> Mapping[str, Sequence[ConformanceCase]]:
    """By operator: its first case, and one for each element type of the first input, the same ones at each run."""
    chosen: dict[tuple[str, str], ConformanceCase] = {}
    found: dict[str, list[ConformanceCase]] = {}
    for case in all_cases():
        if case.op_type not in found:
            found[case.op_type] = [case]
            continue
        dtype = next((str(x.dtype) for x in case.inputs if x is not None), "")
        known = chosen.setdefault((case.op_type, dtype), case)
        if crc32(case.name.encode()) < crc32(known.name.encode()):
            chosen[case.op_type, dtype] = case
    for case in chosen.values():
        found[case.op_type].append(case)
    return found


@pytest.mark.parametrize("name", ["onnxruntime", "openvino"])
@pytest.mark.parametrize("op_type", sorted(lowered_operators()))
def test_claimed_nodes_give_right_results(name: str, op_type: str) -> None:
    results = [run_case(case, delegate_of(name), force=False, closely=False) for case in sample()[op_type]]
    bad = [result for result in results if result.verdict is Verdict.OVER_CLAIM]
    assert [(result.name, result.detail) for result in bad] == []
    is_one_right = any(result.outcome is CaseOutcome.PASSED for result in results)
    assert is_one_right != (op_type in NONE_RIGHT[name])


@pytest.mark.parametrize(("name", "op_type", "case_name"), DIFFERENT)
def test_special_values_of_its_own_are_told(name: str, op_type: str, case_name: str) -> None:
    (case,) = [case for case in all_cases([op_type]) if case.name == case_name]
    result = run_case(case, delegate_of(name), force=False, closely=False)
    assert result.verdict is Verdict.UNTESTED
    assert result.detail.startswith("NaN or infinities: output 0: ")


@pytest.mark.parametrize("name", ["onnxruntime", "openvino"])
def test_8_bit_chains_are_right_within_the_steps_that_are_declared(name: str) -> None:
    results = [run_pattern(pattern, delegate_of(name), closely=False) for pattern in all_patterns(names=["8-bit"])]
    bad = [result for result in results if result.verdict is Verdict.OVER_CLAIM]
    assert [(result.name, result.detail) for result in bad] == []
