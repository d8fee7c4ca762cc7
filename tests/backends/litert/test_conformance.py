"""A sample of the conformance suite through LiteRT: what is claimed is right."""

from __future__ import annotations

import pytest

from lite_delegate.backends.litert import LiteRTDelegate
from lite_delegate.conformance.reports.results import CaseOutcome, Verdict
from lite_delegate.conformance.runner import run_case
from lite_delegate.conformance.suite import all_cases

pytest.importorskip("ai_edge_litert", reason="the package ai-edge-litert is not installed")

SAMPLE = 6
"""Cases of an operator, the first ones."""
OPERATORS = (
    *("Activation", "AddFusion", "ArgMaxFusion", "AvgPoolFusion", "Cast", "Concat", "Conv2DFusion", "DepthToSpace"),
    *("FullConnection", "Gather", "LayerNormFusion", "MatMulFusion", "MaxPoolFusion", "PadFusion"),
    *("QuantDTypeCast", "ReduceFusion", "Resize", "Softmax", "StridedSlice", "TopKFusion", "Transpose"),
)


@pytest.mark.parametrize("op_type", OPERATORS)
def test_what_is_claimed_is_right(op_type: str) -> None:
    delegate = LiteRTDelegate(threads=1)
    cases = list(all_cases([op_type]))[:SAMPLE]
    results = [run_case(case, delegate, force=False, closely=False) for case in cases]
    bad = [(result.name, result.detail) for result in results if result.verdict is Verdict.OVER_CLAIM]
    assert bad == []
    assert any(result.outcome is CaseOutcome.PASSED for result in results)


@pytest.mark.parametrize("op_type", ["DepthToSpace", "ReduceFusion", "TileFusion"])
def test_reference_kernels_on_integers(op_type: str) -> None:
    """LiteRT lacks some, and its sum is wrong."""
    delegate = LiteRTDelegate("REFERENCE", threads=1)
    cases = [case for case in all_cases([op_type]) if case.name.startswith("int8")]
    results = [run_case(case, delegate, force=False, closely=False) for case in cases]
    assert results
    assert [(result.name, result.detail) for result in results if result.verdict is Verdict.OVER_CLAIM] == []
