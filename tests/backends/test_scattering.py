"""What is written to one place several times: in order, or combined, also by several threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lite_delegate.conformance.judging.case import Array, ConformanceCase
from lite_delegate.conformance.reports.results import CaseOutcome
from lite_delegate.conformance.runner import run_case
from tests.backends.named import delegate_of

ROWS, WIDTH, UPDATES = 40, 48, 3000
HOW: dict[str, Callable[[Array, Array], Array]] = {
    "none": lambda old, new: new,
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


@pytest.mark.parametrize("name", ["onnxruntime", "openvino"])
@pytest.mark.parametrize("how", list(HOW))
def test_rows_that_are_written_again_and_again(name: str, how: str) -> None:
    rng = np.random.default_rng(7)
    x = rng.uniform(0.5, 1.5, (ROWS, WIDTH)).astype(np.float32)
    places = rng.integers(-ROWS, ROWS, (UPDATES, 1))
    updates = rng.uniform(0.97, 1.03, (UPDATES, WIDTH)).astype(np.float32)
    expected = x.astype(np.float64)
    for place, update in zip(places[:, 0], updates, strict=True):
        expected[place] = HOW[how](expected[place], update)
    case = ConformanceCase(
        how,
        "ai.onnx.ScatterND",
        (x, places, updates),
        (expected.astype(np.float32),),
        {"reduction": how},
        rtol=1e-4,
    )
    result = run_case(case, delegate_of(name, threads=4), force=False, closely=False)
    assert (result.outcome, result.detail) == (CaseOutcome.PASSED, "")


@pytest.mark.parametrize("name", ["onnxruntime", "openvino"])
def test_slices_of_no_segment_are_left_out(name: str) -> None:
    x = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.float32)
    ids, count = np.array([2, -1, 2, 0], np.int32), np.array(3, np.int32)
    expected = np.array([[7, 8], [0, 0], [6, 8]], np.float32)
    case = ConformanceCase("rows", "UnsortedSegmentSum", (x, ids, count), (expected,), {}, frozenset({2}))
    result = run_case(case, delegate_of(name, threads=4), force=False, closely=False)
    assert (result.outcome, result.detail) == (CaseOutcome.PASSED, "")
