"""Each defect that authors of delegates make is found, and has its name."""

from __future__ import annotations

from collections import Counter

import pytest

from lite_delegate import Delegate
from lite_delegate.conformance import (
    CaseOutcome,
    CaseResult,
    Defect,
    FailureKind,
    Stage,
    Verdict,
    all_cases,
    all_patterns,
    run_conformance,
    run_pattern,
)
from lite_delegate.conformance.shrinking.shrink import shrink_pattern
from tests.conformance import defective, planted

PLANTED: list[tuple[type[defective.Device], str, Defect]] = [
    (defective.Cached, "Softmax", Defect.EARLIER_RESULT),
    (defective.ForkIsItself, "Softmax", Defect.FORK_IS_ITSELF),
    (defective.Stale, "Softmax", Defect.STALE_AFTER_RESIZE),
    (defective.Partial, "Softmax", Defect.PARTIAL_OUTPUT),
    (defective.WrongOrder, "Split", Defect.OUTPUT_ORDER),
    (defective.SwappedSpatial, "Conv2DFusion", Defect.SWAPPED_SPATIAL),
    (defective.Unpacked, "SubFusion", Defect.LAYOUT),
    (defective.HalfSum, "MatMulFusion", Defect.FLOAT16),
    (defective.ShiftedPadding, "Conv2DFusion", Defect.PADDING),
    (defective.Floor, "AddFusion", Defect.INTEGER_ROUNDING),
    (defective.WritesInput, "Softmax", Defect.INPUT_CHANGED),
    (defective.ReusesOutput, "Softmax", Defect.OUTPUT_REUSED),
    (defective.IgnoresShape, "Softmax", Defect.STALE_AFTER_RESIZE),
    (defective.Scratch, "Softmax", Defect.THREADS_SHARE_STATE),
    (defective.SharedResult, "Softmax", Defect.FORK_SHARES_STATE),
    (defective.Uninitialized, "Softmax", Defect.UNINITIALIZED),
    (defective.SwappedInputs, "SubFusion", Defect.INPUTS_SWAPPED),
    (defective.NoBias, "MatMulFusion", Defect.INPUT_IGNORED),
    (defective.Doubling, "Softmax", Defect.VARYING_RESULT),
    (defective.KeptWeights, "FullConnection", Defect.STATE_OF_ANOTHER_MODEL),
    (defective.Silent, "Split", Defect.OUTPUT_NOT_SET),
    (defective.UploadedState, "SubFusion", Defect.STATE_LOST),
    (defective.SharedState, "SubFusion", Defect.STATE_SHARED),
    (defective.StateOfFork, "SubFusion", Defect.STATE_LOST_BY_FORK),
    (defective.BoundOnce, "Softmax", Defect.BUFFER_NOT_EXCHANGED),
    (defective.BoundToFirstOutput, "Softmax", Defect.BUFFER_NOT_EXCHANGED),
    (defective.BoundToContents, "Softmax", Defect.BOUND_TO_CONTENTS),
    (defective.BoundRoughly, "Softmax", Defect.BOUND_DIFFERS),
    (defective.StateSentOnce, "SubFusion", Defect.STATE_KEPT),
]


def failing(delegate: Delegate, op_type: str) -> list[CaseResult]:
    report = run_conformance(all_cases([op_type]), delegate, force=False)
    return [r for r in report.results if r.verdict is Verdict.OVER_CLAIM]


@pytest.mark.parametrize(("planted", "op_type", "defect"), PLANTED, ids=lambda x: getattr(x, "__name__", str(x)))
def test_a_planted_defect_is_found_and_named(planted: type[defective.Device], op_type: str, defect: Defect) -> None:
    found = failing(planted(), op_type)
    names = Counter(r.defect for r in found if r.is_close or r.stage is not Stage.FIRST)
    assert names[defect] >= 1, [r.text for r in found][:5]
    assert names.most_common(1)[0][0] is defect, names
    assert any(str(defect) in r.text for r in found)


@pytest.mark.parametrize("op_type", sorted({op_type for _, op_type, _ in PLANTED}))
def test_the_device_they_are_planted_in_is_right(op_type: str) -> None:
    assert failing(defective.Device(), op_type) == []


def test_a_device_whose_kernels_are_bound_is_right() -> None:
    for op_type in ("Softmax", "Split", "SubFusion"):
        assert failing(defective.Bound(), op_type) == []


def pattern_results(delegate: Delegate, *names: str) -> list[CaseResult]:
    return [run_pattern(p, delegate) for p in all_patterns(names=names)]


def test_a_fusion_that_drops_an_activation_shrinks_to_its_pair() -> None:
    delegate = defective.DroppedActivation()
    (pattern,) = all_patterns(names=["inverted_bottleneck"])
    result = run_pattern(pattern, delegate)
    assert (result.outcome, result.defect) == (CaseOutcome.WRONG, Defect.ACTIVATION_DROPPED)
    small = shrink_pattern(pattern, result, lambda p: run_pattern(p, delegate), arrays=False)
    assert small.case.chain.operators == "Conv2DFusion + Activation"
    assert small.result.defect is Defect.ACTIVATION_DROPPED
    smaller = shrink_pattern(small.case, small.result, lambda p: run_pattern(p, delegate))
    assert sum(x.size for x in smaller.case.chain.inputs.values()) < 10


def test_single_operators_do_not_show_a_dropped_activation() -> None:
    assert failing(defective.DroppedActivation(), "Activation") == []
    assert failing(defective.DroppedActivation(), "Conv2DFusion") == []


def test_a_sum_in_float16_shows_in_long_sums_where_floats_are_stored_in_float16() -> None:
    (result,) = pattern_results(defective.HalfStorageSum(), "long sum-MatMulFusion")
    assert (result.outcome, result.defect) == (CaseOutcome.WRONG, Defect.FLOAT16_SUM)


def test_a_pattern_that_does_not_compile_has_failed() -> None:
    (result,) = pattern_results(planted.RaisingAlways(), "channel_shuffle")
    assert (result.outcome, result.failure) == (CaseOutcome.FAILED, FailureKind.RAISED)
    assert "bus error" in result.detail
    assert "OSError" in result.traceback


def test_a_broadcast_from_the_wrong_side_shows_where_both_sides_fit() -> None:
    (result,) = pattern_results(defective.WrongSide(), "broadcast_of_a_square")
    assert (result.outcome, result.defect) == (CaseOutcome.WRONG, Defect.BROADCAST_SIDE)


def test_patterns_are_right_on_the_device_and_on_the_cpu() -> None:
    for delegate in (None, defective.Device()):
        names = ("residual", "attention", "branches", "8-bit", "long sum", "layout")
        results = [run_pattern(p, delegate, closely=delegate is not None) for p in all_patterns(names=names)]
        assert [r.text for r in results if r.outcome is not CaseOutcome.PASSED] == []
