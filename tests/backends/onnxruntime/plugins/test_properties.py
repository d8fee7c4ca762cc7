"""Properties of the device ONNXRUNTIME for plugins come to where they count."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite_delegate import DelegateUnavailable
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime import delegate as of_delegate
from lite_delegate.backends.onnxruntime.plugins import registration
from lite_delegate.backends.onnxruntime.sessions import session
from lite_delegate.backends.onnxruntime.sessions.session import check_provider
from lite_delegate.backends.onnxruntime.trials.trial_process import TrialResult
from tests.backends.onnxruntime.plugins.packages import FakeRuntime, device
from tests.backends.onnxruntime.trials.kernels import unary

ONE = "OneExecutionProvider"


@pytest.mark.shows("ONNXRUNTIME", "PLUGIN", "HARDWARE")
def test_the_library_and_the_hardware(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "plugin.so"
    library.write_bytes(b"")
    ort = FakeRuntime({str(library): [device(ONE, "CPU"), device(ONE, "GPU")]})
    monkeypatch.setattr(session, "runtime", lambda: ort)
    monkeypatch.setattr(registration, "_libraries", {})
    check_provider(OnnxRuntimeDelegate(ONE, options={"PLUGIN": str(library), "HARDWARE": "GPU"}).settings)
    assert ort.registered == [(ONE, str(library))]
    with pytest.raises(DelegateUnavailable, match="has no device NPU here"):
        check_provider(OnnxRuntimeDelegate(ONE, options={"HARDWARE": "NPU"}).settings)


@pytest.mark.shows("ONNXRUNTIME", "TRIAL_SECONDS", "TRIAL_FOLDER")
def test_trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def ask(self: object, model: object, seconds: float) -> TrialResult:
        asked.append(seconds)
        return TrialResult({}, {})

    monkeypatch.setattr(of_delegate, "plugin_devices", lambda provider: [device(ONE)])
    monkeypatch.setattr("lite_delegate.backends.onnxruntime.trials.trials.AnsweringProcess.ask", ask)
    options = {"TRIAL_SECONDS": 7, "TRIAL_FOLDER": str(tmp_path)}
    for _ in range(2):
        OnnxRuntimeDelegate(ONE, options=options).survey(unary("Exp"))
    assert asked == [7], "the second delegate has the answer of the first"
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("trials-")
