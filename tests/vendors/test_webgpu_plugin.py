"""A plugin without a device on this machine is one clear line, everywhere."""

from __future__ import annotations

import json

import pytest

from lite_delegate import Core
from lite_delegate.demo import model_path
from tests.commands import call
from tests.vendors.needed import need

need("onnxruntime_ep_webgpu", "onnxruntime-ep-webgpu")

PROVIDER = "WebGpuExecutionProvider"
LINE = f"The plugin 'onnxruntime-ep-webgpu' of ONNX Runtime is installed, and has no device for '{PROVIDER}'"


@pytest.fixture(scope="module")
def reason() -> str:
    """Why the device is not there; tests skip where it is."""
    done = call("devices", "--format", "json", env={"LITE_DELEGATE_TEST": "1"})
    found = {each["name"]: each for each in json.loads(done.stdout)["devices"]}[f"ONNXRUNTIME.{PROVIDER}"]
    if found["available"]:
        pytest.skip("this machine has a device for WebGPU")
    return str(found["reason"])


def test_devices_says_why(reason: str) -> None:
    assert reason == f"{LINE} on this machine."


def test_a_run_says_why(reason: str) -> None:
    done = call("benchmark", model_path(), "--delegate", f"onnxruntime:{PROVIDER}", "--runs", "1", status=2)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert LINE in line


def test_other_devices_are_not_affected(reason: str) -> None:
    assert any(each.name == "CPU" and each.available for each in Core().devices())
