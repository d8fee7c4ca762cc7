"""ONNX's published cases through each backend: a few of them here, all of them with ``-m nightly``."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx")

from lite_delegate import onnx_backend
from lite_delegate.devices.registry.delegate_spec import resolve_delegate
from tests import onnx_cases
from tests.onnx_cases import KNOWN, Outcome, run_cases

FEW = r"^test_(relu|abs|dft_inverse|equal_string|gelu_default_1)_cpu$"
"""Three that pass, one that is known not to, one of strings, which nobody computes with."""


def test_known_failures_are_expected() -> None:
    assert run_cases(None, FEW) == Outcome(passed=3, rejected=1, unexpected={}, unneeded=[])


def test_what_is_wrong_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    right = onnx_backend.PreparedModel.run

    def wrong(self: onnx_backend.PreparedModel, inputs: object, **kwargs: object) -> object:
        return tuple(np.abs(np.asarray(each)) + 1 for each in right(self, inputs, **kwargs))

    monkeypatch.setattr(onnx_backend.PreparedModel, "run", wrong)
    monkeypatch.setattr(onnx_cases, "ALL", FEW)
    outcome = run_cases(None, FEW)
    assert set(outcome.unexpected) == {"test_relu_cpu", "test_abs_cpu", "test_gelu_default_1_cpu"}
    assert onnx_cases.main(["none"]) == 1
    assert "none: 0 passed, 1 rejected, 3 failed" in capsys.readouterr().out


def test_a_known_failure_that_passes_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_cases, "KNOWN", {**KNOWN, "test_relu_cpu": "for no reason"})
    assert run_cases(None, FEW).unneeded == ["test_relu_cpu"]


@pytest.mark.nightly
@pytest.mark.parametrize(("spec", "package"), [("none", "onnx"), ("onnxruntime",) * 2, ("openvino",) * 2])
def test_all(spec: str, package: str) -> None:
    pytest.importorskip(package, reason=f"the package {package} is not installed")
    outcome = run_cases(resolve_delegate(spec))
    assert (outcome.unexpected, outcome.unneeded) == ({}, [])
    assert outcome.passed > 1850
