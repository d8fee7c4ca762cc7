"""Failing cases become small, stay failing in the same way, and are saved with a command that shows the failure."""

from __future__ import annotations

import shlex
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import GraphError
from lite_delegate.conformance import (
    CaseOutcome,
    CaseResult,
    ConformanceCase,
    FailureKind,
    all_cases,
    case_graph,
    run_case,
)
from lite_delegate.conformance.judging.case_graph import variable_inputs
from lite_delegate.conformance.shrinking.save import save_case
from lite_delegate.conformance.shrinking.shrink import shrink
from lite_delegate.conformance.shrinking.smaller import size_of, smaller_cases
from lite_delegate.formats.ms import read_ms
from lite_delegate.ir import difference
from tests.commands import call
from tests.conformance import planted

SOFTMAX = {c.name: c for c in all_cases(["Softmax"])}


def relu(x: np.ndarray) -> ConformanceCase:
    attributes = {"activation_type": "RELU", "alpha": 0.5}
    return ConformanceCase("relu", "Activation", (x,), (np.maximum(x, 0),), attributes, source="hand")


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=shape).astype(np.float32)


def on_large_is_wrong(case: ConformanceCase) -> CaseResult:
    return run_case(case, planted.LargeIsWrong())


def test_a_case_shrinks_to_what_matters() -> None:
    x = random(4, 6, 5)
    x[3, 4, 2] = 2.75
    x[x > 2] = 2.75
    case = relu(x)
    small = shrink(case, on_large_is_wrong(case), on_large_is_wrong)
    (y,) = small.case.inputs
    assert y is not None
    assert y.shape == (1, 1, 1)
    assert y.ravel().tolist() == [3.0]  # rounded to a whole number
    assert small.case.attributes == {}  # the identity is as wrong as RELU
    assert small.case.outputs[0].ravel().tolist() == [3.0]
    assert small.result.outcome is CaseOutcome.WRONG
    assert small.tries <= 200


def test_dimensions_that_belong_together_shrink_together() -> None:
    case = next(c for c in all_cases(["Conv2DFusion"]) if c.name == "relu6")

    def run(candidate: ConformanceCase) -> CaseResult:
        is_bad = candidate.attributes.get("activation_type") == "RELU6"
        outcome = CaseOutcome.WRONG if is_bad else CaseOutcome.PASSED
        return CaseResult(candidate.op_type, candidate.name, outcome, None, "planted" if is_bad else "")

    small = shrink(case, run(case), run).case
    assert small.attributes == {"activation_type": "RELU6"}
    assert [x.shape for x in small.inputs if x is not None] == [(1, 1, 1, 1), (1, 1, 1, 1)]


def test_attributes_and_constants_follow_the_dimensions() -> None:
    weight, sizes = np.ones((2, 3, 3, 2), np.float32), np.array([3, 5], np.int32)
    attributes = {"kernel_size": (3, 3), "stride": [3, 1], "name": "3"}
    case = ConformanceCase("odd", "Conv2DFusion", (weight, sizes), (weight,), attributes, frozenset({1}), source="hand")
    followed = [
        c
        for c in smaller_cases(case)
        if c.attributes == {"kernel_size": (1, 1), "stride": [1, 1], "name": "3"}
        and [() if x is None else x.shape for x in c.inputs] == [(2, 1, 1, 2), (2,)]
    ]
    assert [c.inputs[1].tolist() for c in followed if c.inputs[1] is not None] == [[1, 5]] * 2  # both ends


def test_the_way_of_failing_stays() -> None:
    """A step to a failure of another kind is not taken: below 8 elements this delegate is wrong, not raising."""
    case = relu(random(16))

    def run(candidate: ConformanceCase) -> CaseResult:
        if candidate.outputs[0].size >= 8:
            return CaseResult.failed(candidate.op_type, candidate.name, FailureKind.RAISED, "planted")
        return CaseResult(candidate.op_type, candidate.name, CaseOutcome.WRONG, None, "planted")

    small = shrink(case, run(case), run)
    assert small.result.failure is FailureKind.RAISED
    assert small.case.outputs[0].size == 8


def test_tries_and_time_are_bounded() -> None:
    case = relu(random(16, 16))
    failing = CaseResult.failed("Activation", "relu", FailureKind.RAISED, "planted")
    calls = []

    def run(candidate: ConformanceCase) -> CaseResult:
        calls.append(candidate)
        return failing

    assert shrink(case, failing, run, max_tries=2).tries == 2
    assert len(calls) == 2
    assert shrink(case, failing, run, max_seconds=0).case is case
    assert len(calls) == 2


def test_a_case_that_the_cpu_does_not_pass_has_no_oracle() -> None:
    case = replace(relu(random(4)), outputs=(np.full(4, 9, np.float32),))
    result = run_case(case, None)
    assert result.outcome is CaseOutcome.WRONG
    assert shrink(case, result, lambda c: result).case is case


def test_every_candidate_is_smaller() -> None:
    for case in [*SOFTMAX.values(), *all_cases(["Conv2DFusion"])]:
        for candidate in smaller_cases(case):
            assert size_of(candidate) < size_of(case)


def test_the_saved_command_shows_the_failure(tmp_path: Path) -> None:
    case = SOFTMAX[planted.FAULTY]
    folder = save_case(case, run_case(case, planted.Wrong()), "tests.conformance.planted:Wrong", tmp_path / "new")
    np.testing.assert_array_equal(np.load(folder / "input_0.npy"), case.inputs[0])
    np.testing.assert_array_equal(np.load(folder / "expected_0.npy"), case.outputs[0])
    command, *remarks = (folder / "command.txt").read_text().splitlines()
    assert all(line.startswith("# ") for line in remarks)
    assert any("wrong: output 0" in line for line in remarks)
    got = run_command(command, folder)
    np.testing.assert_allclose(got, case.outputs[0] * np.float32(1.01), rtol=1e-5)


def test_odd_names_make_plain_paths(tmp_path: Path) -> None:
    case = replace(relu(random(2)), name="odd / name: (x)")
    assert save_case(case, run_case(case, None), "none", tmp_path) == tmp_path / "Activation-odd_name_x_"


def run_command(command: str, folder: Path) -> np.ndarray:
    program, *arguments = shlex.split(command)
    assert program == "lite-delegate"
    root = Path(__file__).parents[2]
    call(*arguments, cwd=root)
    with np.load(folder / "got.npz") as outputs:
        found: np.ndarray[Any, Any] = outputs["output_0"]
    return found


def test_cases_come_back_from_their_files(tmp_path: Path) -> None:
    passed = CaseResult("", "", CaseOutcome.PASSED, 0.0, "")
    for case in list(all_cases())[::7]:
        if can_be_a_file(case):
            graph = read_ms(save_case(case, passed, "npu", tmp_path) / "model.ms")
            graph.info = None
            assert difference(graph, case_graph(case)) is None, f"{case.op_type} {case.name}"


def can_be_a_file(case: ConformanceCase) -> bool:
    """The format wants an input, an output, and no absent input before one that is there."""
    has_gap = any(x is None and y is not None for x, y in pairwise(case.inputs))
    return bool(variable_inputs(case) and case.outputs) and not has_gap


def test_a_case_of_constants_only_is_no_model(tmp_path: Path) -> None:
    case = replace(relu(random(2)), constants=frozenset({0}))
    with pytest.raises(GraphError, match="expected at least one index"):
        save_case(case, run_case(case, None), "npu", tmp_path)
    assert list(tmp_path.iterdir()) == []
