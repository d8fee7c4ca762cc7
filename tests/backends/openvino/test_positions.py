"""Computed positions far outside, which OpenVINO itself takes for addresses beyond its memory, become the nearest."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate.conformance.case import Array, ConformanceCase
from lite_delegate.conformance.results import CaseOutcome
from lite_delegate.conformance.runner import run_case
from tests.backends.named import delegate_of

FAR = 2**30
X = np.arange(12, dtype=np.float32).reshape(3, 4)
NEW = np.array([[50, 60, 70, 80]], np.float32)


def passes(op: str, inputs: tuple[Array, ...], expected: Array) -> bool:
    result = run_case(ConformanceCase(op, op, inputs, (expected,)), delegate_of("openvino"), force=False, closely=False)
    return result.outcome is CaseOutcome.PASSED


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_elements_are_written_inside(dtype: type[np.integer]) -> None:
    expected = X.copy()
    expected[2, 0], expected[1, 1], expected[0, 2], expected[2, 3] = NEW[0]
    assert passes("ai.onnx.ScatterElements", (X, np.array([[FAR, 1, -FAR, -1]], dtype), NEW), expected)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rows_of_positions_are_read_inside(dtype: type[np.integer]) -> None:
    places = np.array([[FAR, 0], [1, FAR], [-FAR, -1], [-1, -FAR], [1, -2]], dtype)
    assert passes("GatherNd", (X, places), np.array([8, 7, 3, 8, 6], np.float32))
