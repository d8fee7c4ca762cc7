"""Hints of commands: a slow prediction on numpy."""

from __future__ import annotations

import pytest

from lite_delegate import Context, Model
from lite_delegate.cli.frame import hints
from lite_delegate.demo import model_path
from lite_delegate.npu import NPUDelegate
from tests.commands import call


def built(context: Context) -> Model:
    model = Model()
    model.build_from_file(model_path(), context=context)
    return model


def said(capsys: pytest.CaptureFixture[str], context: Context, seconds: float = 0.25) -> str:
    hints.say_slow_numpy(built(context).compiled, seconds)
    return capsys.readouterr().err


def test_a_slow_prediction_has_a_hint(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "_runtimes_are_there", lambda: False)
    assert said(capsys, Context()) == (
        "lite-delegate: hint: the prediction took 250 ms on numpy; runtimes that are several times as fast come with: "
        "pip install 'lite-delegate[fast]'\n"
    )
    monkeypatch.setattr(hints, "_runtimes_are_there", lambda: True)
    assert "--cpu-backends auto runs it on the runtime that is installed" in said(capsys, Context())


def test_no_hint_where_there_is_nothing_to_gain(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, Context(), seconds=0.099) == ""
    delegated, chosen = Context(), Context()
    delegated.set_delegate(NPUDelegate())
    chosen.cpu.reference_kernels = True
    assert said(capsys, delegated) == ""
    assert said(capsys, chosen) == ""
    with_runtimes = Context()
    with_runtimes.cpu.backends = "auto"
    if built(with_runtimes).compiled.settings.cpu_backends:
        assert said(capsys, with_runtimes) == ""


def test_commands_say_nothing_of_quick_predictions() -> None:
    assert "hint" not in call("run", model_path()).stderr
    assert "hint" not in call("benchmark", model_path(), "--runs", 1, "--cpu-backends", "none").stderr
