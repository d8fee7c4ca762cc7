"""What OpenVINO computes inexactly by itself is right through the delegate; values of the conformance suite's cases."""

from __future__ import annotations

import pytest

from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.conformance.reports.results import CaseOutcome
from lite_delegate.conformance.runner import run_case
from lite_delegate.conformance.suite import all_cases

pytest.importorskip("openvino", reason="the package openvino is not installed")
CASES = {
    "BatchNorm-variance_0_epsilon_0",
    "FusedBatchNorm-large_mean",
    "Erf-small",
    "GatherD-index_shorter_on_other_axes",
}


def test_what_is_inexact_in_openvino_is_right_here() -> None:
    delegate = OpenVINODelegate(threads=1)
    found = {
        f"{case.op_type}-{case.name}": run_case(case, delegate, force=False, closely=False)
        for case in all_cases(name.split("-")[0] for name in CASES)
        if f"{case.op_type}-{case.name}" in CASES
    }
    assert {name: (result.outcome, result.detail) for name, result in found.items()} == dict.fromkeys(
        CASES, (CaseOutcome.PASSED, "")
    )
