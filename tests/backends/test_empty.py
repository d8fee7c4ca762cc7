"""What is made of tensors without elements: by ONNX Runtime where it is what the suite's loops give."""

from __future__ import annotations

import pytest

from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.conformance import CaseOutcome, ConformanceCase, all_cases
from lite_delegate.conformance.runner import run_case

MADE = [
    *all_cases(
        ["Attention", "ScatterNd", "ScatterNdUpdate", "SparseToDense", "TensorScatterAdd", "UnsortedSegmentSum"]
    ),
    *all_cases(["ai.onnx.ScatterElements", "ai.onnx.ScatterND", "ReduceFusion", "ai.onnx.Reshape"]),
    *all_cases([f"tflite.UNSORTED_SEGMENT_{name}" for name in ("MAX", "MIN", "PROD")]),
]
OTHERS = {
    "ReduceMean_over_no_elements": "a reduced tensor must have elements",
    "no_dimension_addressed": "rows of 1 place and more",
    "axes_empty_not_constant": "axes must be constant",
}
"""By case: why it is left to the CPU."""


def is_empty(case: ConformanceCase) -> bool:
    """Whether it makes something of a tensor without elements."""
    given = any(x is not None and 0 in x.shape for x in case.inputs)
    return given and not any(0 in y.shape for y in case.outputs[:1])


@pytest.mark.parametrize(
    "case", [case for case in MADE if is_empty(case)], ids=lambda case: f"{case.op_type}-{case.name}"
)
def test_something_is_made_of_nothing(case: ConformanceCase) -> None:
    result = run_case(case, OnnxRuntimeDelegate(threads=1), force=False, closely=False)
    assert result.outcome is (CaseOutcome.REJECTED if case.name in OTHERS else CaseOutcome.PASSED), result.detail
    assert OTHERS.get(case.name, "") in result.detail


def test_reductions_over_nothing_are_among_them() -> None:
    found = {case.name for case in MADE if is_empty(case)}
    assert {"ReduceSum_over_no_elements", "ReduceL2_over_no_elements", "no_rows", "no_coordinates"} <= found
