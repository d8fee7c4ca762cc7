"""Trials in their process, with providers that every ONNX Runtime has."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from lite_delegate import Rejected
from lite_delegate.backends.onnxruntime.sessions.session import SessionSettings
from lite_delegate.backends.onnxruntime.trials import ProviderTrials
from tests.backends.onnxruntime.trials.kernels import unary

AZURE = "AzureExecutionProvider"
"""It is built in, and takes only operators that call a service."""


def reasons_in(log: str) -> Mapping[str, str]:
    """A reason for each node of the log, as a reader of a vendor's log gives."""
    assert "Node placements" in log
    return {"k0/Exp": "said in the log"}


@pytest.fixture
def tried() -> Iterator[ProviderTrials]:
    made = ProviderTrials(SessionSettings(AZURE), (), 60, "", reasons_in, "")
    yield made
    made.close()


def test_a_provider_that_leaves_all_is_asked_in_one_process(
    tried: ProviderTrials, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    kernels = unary("Exp", "Sin")
    tried.survey(kernels)
    exp, sin = (tried.answer(kernel) for kernel in kernels)
    assert isinstance(exp, Rejected)
    assert isinstance(sin, Rejected)
    assert exp.reason == (
        f"{AZURE} does not take it: ONNX Runtime would run Exp on its CPUExecutionProvider: said in the log"
    )
    assert sin.reason == f"{AZURE} does not take it: ONNX Runtime would run Sin on its CPUExecutionProvider"
    assert tried.started == 1
    assert os.listdir(tmp_path) == []
    assert capfd.readouterr() == ("", "")
