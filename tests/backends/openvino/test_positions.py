"""Places far outside, which OpenVINO itself takes for addresses beyond its memory, are errors that name the place."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.conformance.judging.case import Array, ConformanceCase
from lite_delegate.conformance.reports.results import CaseOutcome
from lite_delegate.conformance.runner import run_case
from tests.backends.named import delegate_of

FAR = 2**30
X = np.arange(12, dtype=np.float32).reshape(3, 4)
NEW = np.array([[50, 60, 70, 80]], np.float32)


def error(op: str, inputs: tuple[Array, ...], expected: Array) -> str:
    """What is said instead of an answer."""
    result = run_case(ConformanceCase(op, op, inputs, (expected,)), delegate_of("openvino"), force=False, closely=False)
    assert result.outcome is CaseOutcome.FAILED
    return result.detail


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_elements_are_written_inside(dtype: type[np.integer]) -> None:
    said = error("ai.onnx.ScatterElements", (X, np.array([[FAR, 1, -FAR, -1]], dtype), NEW), X)
    assert f"{FAR} is out of range, expected -3..2" in said


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rows_of_positions_are_read_inside(dtype: type[np.integer]) -> None:
    places = np.array([[FAR, 0], [1, FAR], [-FAR, -1], [-1, -FAR], [1, -2]], dtype)
    said = error("GatherNd", (X, places), np.zeros(5, np.float32))
    assert f"{FAR} is out of range, expected -3..2" in said
