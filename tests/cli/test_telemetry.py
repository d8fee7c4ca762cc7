from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lite_delegate import CompiledModel, Core
from lite_delegate.demo import model_path
from tests.commands import call, invoke
from tests.devices.acme import install


def test_readings_of_a_model_that_runs() -> None:
    arguments = ("telemetry", model_path(), "--readings", 3, "--runs", 8, "--requests", 2)
    found = json.loads(invoke(*arguments, "--format", "json").stdout)
    assert (found["device"], found["simulated"]) == ("NPU", True)
    assert [each["runs"] for each in found["readings"]] == [8, 16, 24]
    for each in found["readings"]:
        assert 0 <= each["waiting"] <= each["in_flight"] <= 2
        assert 0 < each["compute_use"] <= 1
        assert 0 < each["transfer_use"] <= 1
        assert each["elapsed_us"] > 0
        assert sum(each["memory"].values()) == each["allocated_bytes"] <= each["peak_bytes"] <= each["total_bytes"]
        ((name, kinds),) = each["by_model"].items()
        assert name == Core().read_model(model_path()).name
        assert kinds == each["memory"]
    text = invoke(*arguments).stdout
    assert "in flight" in text
    assert "request" in text
    assert text.rstrip().endswith("estimates: the device is simulated.")


def test_files_are_copied_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []
    compile_model = Core.compile_model

    def noting(self: Core, model: Any, device: str, properties: Any, **options: Any) -> CompiledModel:
        given.append(properties.get("ENABLE_MMAP"))
        return compile_model(self, model, device, properties, **options)

    monkeypatch.setattr(Core, "compile_model", noting)
    for options in ((), ("--copy-weights",)):
        assert invoke("telemetry", model_path(), "--runs", 1, *options).exit_code == 0
    assert given == [None, "NO"]


def test_an_idle_device() -> None:
    (reading,) = json.loads(invoke("telemetry", "--device", "NPU.4000", "--format", "json").stdout)["readings"]
    assert (reading["allocated_bytes"], reading["in_flight"], reading["compute_use"]) == (0, 0, 0)
    assert reading["total_bytes"] > 0
    assert "peak" in invoke("telemetry").stdout


def test_devices_that_do_not_tell_and_mistakes(tmp_path: Path) -> None:
    install(tmp_path)
    env = {"PYTHONPATH": str(tmp_path)}
    assert "Device 'acme' does not tell" in call("telemetry", "--device", "acme", env=env, status=2).stderr
    for arguments, message in (
        (("--device", "CPU"), "Device 'CPU' does not tell its activity."),
        (("--device", "HETERO:NPU,CPU"), "is made of other devices"),
        (("--device", "GPU"), "'GPU' at position 1 is not registered"),
        (("no-such.onnx",), "no-such.onnx"),
        ((model_path(), "--readings", 0), "--readings"),
        ((model_path(), "--input-shape", "nope=1,2"), "nope"),
    ):
        done = invoke("telemetry", *arguments)
        assert (done.exit_code, message in done.stderr, done.stderr.count("\n")) == (2, True, 1), done.stderr
