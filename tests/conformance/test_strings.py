"""Cases with strings: compared, made smaller and saved like any other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from lite_delegate_kernels import pack_strings, unpack_strings

from lite_delegate import DataType, Delegate, DelegateModel, Kernel, Supported
from lite_delegate.conformance.cases.samples import exact
from lite_delegate.conformance.judging.tolerance import rounded_inputs
from lite_delegate.conformance.reports.results import CaseOutcome
from lite_delegate.conformance.runner import run_case
from lite_delegate.conformance.shrinking.save import save_case
from lite_delegate.conformance.shrinking.shrink import shrink
from lite_delegate.testing.delegates import GroupKernel

CASE = exact(
    "SkipGram", "grün", [pack_strings(["a grün".encode()])], [pack_strings([b"a", "grün".encode()])], {"ngram_size": 1}
)


class _Loud(GroupKernel):
    def execute(self) -> None:
        super().execute()
        self.outputs[0].data = pack_strings([s.upper() for s in unpack_strings(self.outputs[0].data)])


class _Delegate(Delegate):
    name = "loud"

    def supports(self, kernel: Kernel) -> Supported:
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return _Loud("loud", model.boundary_of(run), run)


def test_wrong_strings_are_found_by_their_bytes_and_made_smaller() -> None:
    assert run_case(CASE, None).outcome is CaseOutcome.PASSED
    result = run_case(CASE, _Delegate())
    assert "expected 97, got 65" in result.detail
    shrunk = shrink(CASE, result, lambda case: run_case(case, _Delegate()))
    assert "expected 97, got 65" in shrunk.result.detail


def test_strings_are_saved_as_numpy_has_them(tmp_path: Path) -> None:
    folder = save_case(CASE, run_case(CASE, None), "none", tmp_path)
    assert np.load(folder / "input_0.npy").tolist() == ["a grün"]
    assert np.load(folder / "expected_0.npy").tolist() == ["a", "grün"]


def test_devices_that_round_leave_strings_alone() -> None:
    rounded = rounded_inputs(CASE, DataType.FLOAT16)
    assert rounded is not None
    assert rounded[0] is CASE.inputs[0]
