"""LSTMs with projections and zoneouts, which no runtime has, through each delegate, by the suite's loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lite_delegate.backends.lowering.families.unrolled_lstm import MOST_STEPS
from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.reports.results import CaseOutcome
from lite_delegate.conformance.runner import run_case
from lite_delegate.conformance.suite import all_cases
from tests.backends.named import delegate_of

NAMES = ["onnxruntime", "openvino"]


def cases() -> list[ConformanceCase]:
    return [case for case in all_cases(["LSTM"]) if "projection" in case.name or "zoneout" in case.name]


@pytest.mark.parametrize("name", NAMES)
def test_projections_and_zoneouts_are_right(name: str) -> None:
    found = cases()
    results = [run_case(case, delegate_of(name), force=False, closely=False) for case in found]
    assert [(each.name, each.detail) for each in results if each.outcome is not CaseOutcome.PASSED] == []
    assert len(found) > 10


@pytest.mark.parametrize("name", NAMES)
def test_long_sequences_stay_on_the_cpu(name: str) -> None:
    (case,) = (case for case in cases() if case.name == "projection")
    (x, *rest), steps = case.inputs, MOST_STEPS + 1
    assert x is not None
    longer = replace(case, inputs=(np.resize(x, (steps, *x.shape[1:])), *rest))
    result = run_case(longer, delegate_of(name), force=False, closely=False)
    assert result.outcome is CaseOutcome.REJECTED
    assert f"at most {MOST_STEPS} steps with a projection or zoneouts, has {steps}" in result.detail
