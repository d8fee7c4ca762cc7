"""Patterns of operators that stand beside each other: what is confused there is found."""

from __future__ import annotations

import pytest

from lite_delegate import Delegate
from lite_delegate.conformance import (
    CaseOutcome,
    CaseResult,
    Defect,
    Stage,
    Verdict,
    all_cases,
    all_patterns,
    run_case,
    run_pattern,
)
from lite_delegate.conformance.patterns.families import FAMILIES
from tests.conformance import confused, defective

MERGED = {
    "convolution": ("Conv2DFusion",),
    "product": ("MatMulFusion",),
    "recurrent": ("Custom",),
    "attention": ("MatMulFusion",),
    "normalization": ("FusedBatchNorm", "LayerNormFusion", "InstanceNorm", "L2NormalizeFusion", "Softmax"),
    "pooling": ("MaxPoolFusion", "AvgPoolFusion"),
    "reduction": ("ReduceFusion",),
    "elementwise": ("Activation", "Clip", "AddFusion", "SubFusion", "MulFusion"),
}
RECURRENT = [
    *(f"{kind}_forward_{kind}_{way}" for kind in ("lstm", "gru", "rnn") for way in ("forward", "reverse")),
    "lstm_bidirectional_lstm_bidirectional",
    "gru_reverse_gru_reverse_reset_after",
    "lstm_forward_gru_forward",
]
FOUND = [
    (confused.Overwritten, "read twice"),
    (confused.PackedOnce, "shared constant"),
    (confused.MovedAxes, "reshaped + reduction"),
]


def results(delegate: Delegate | None, *, family: str, step: int = 1) -> list[CaseResult]:
    patterns = [p for p in all_patterns() if p.family.endswith(family)]
    assert patterns
    return [run_pattern(p, delegate, closely=False) for p in patterns[::step]]


def over_claims(found: list[CaseResult]) -> list[CaseResult]:
    return [r for r in found if r.verdict is Verdict.OVER_CLAIM]


def test_every_family_has_a_delegate_that_merges_it() -> None:
    assert MERGED.keys() == FAMILIES.keys()


@pytest.mark.parametrize("family", MERGED)
def test_two_operators_of_one_input_that_are_merged_are_found(family: str) -> None:
    found = over_claims(results(confused.merging(MERGED[family]), family=f"{family} + {family}"))
    assert found
    assert all(r.outcome is CaseOutcome.WRONG for r in found)
    if family == "recurrent":
        assert {f"{first}_of_one_input" for first in RECURRENT} <= {r.name for r in found}


@pytest.mark.parametrize(("planted", "family"), FOUND)
def test_what_is_confused_is_found(planted: type[defective.Device], family: str) -> None:
    assert over_claims(results(planted(), family=family))


@pytest.mark.parametrize("planted", [planted for planted, _ in FOUND])
def test_single_operators_do_not_show_what_is_confused(planted: type[defective.Device]) -> None:
    for op_type in ("MatMulFusion", "ReduceFusion", "Unsqueeze", "Activation"):
        cases = list(all_cases([op_type]))[::6]
        found = [run_case(case, planted(), force=False, closely=False) for case in cases]
        assert [r.text for r in over_claims(found)] == []


@pytest.mark.parametrize("delegate", [None, defective.Device()], ids=["cpu", "device"])
def test_the_patterns_are_right_on_the_cpu_and_on_a_device_that_is(delegate: Delegate | None) -> None:
    for family in (*(f"{f} + {f}" for f in FAMILIES), "read twice", "shared constant", "reduction", "reshaped"):
        found = results(delegate, family=family, step=4)
        assert [r.text for r in found if r.outcome is not CaseOutcome.PASSED] == []


def test_a_batch_of_1_that_is_kept_is_found_in_cases_of_more() -> None:
    found = [run_case(case, confused.FixedBatch(), force=False) for case in list(all_cases(["Softmax"]))[::3]]
    names = {(r.stage, r.defect) for r in over_claims(found)}
    assert (Stage.OPEN_BATCH, Defect.FIXED_BATCH) in names


@pytest.mark.parametrize("op_type", ["Softmax", "Conv2DFusion", "Reshape", "Split", "ai.onnx.LSTM", "Cast", "Rank"])
def test_an_open_batch_is_right_on_a_device_that_is(op_type: str) -> None:
    found = [run_case(case, defective.Device(), force=False) for case in list(all_cases([op_type]))[::8]]
    assert [r.text for r in over_claims(found)] == []
