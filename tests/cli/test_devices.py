from __future__ import annotations

import json
from pathlib import Path

import pytest

from lite_delegate.demo import model_path
from tests.commands import call
from tests.devices.acme import install


@pytest.fixture
def packages(tmp_path: Path) -> dict[str, str]:
    """The environment in which the package of a delegate is installed."""
    install(tmp_path)
    return {"PYTHONPATH": str(tmp_path)}


def report(spec: str, env: dict[str, str], *more: str):
    return json.loads(call("report", model_path(), "--format", "json", "--delegate", spec, *more, env=env).stdout)


def test_devices_are_listed_with_the_reason_of_those_that_are_absent(packages: dict[str, str]) -> None:
    data = json.loads(call("devices", "--format", "json", env=packages).stdout)
    found = {each["name"]: each for each in data["devices"]}
    runtimes = ["OPENVINO", "ONNXRUNTIME", "QNN", "LITERT", "ETHOSU"]
    installed = ["acme", "acme-away", "acme-broken", "acme-function", "acme-missing"]
    assert list(found) == ["CPU", "NPU", *runtimes, *installed]
    present = [name for name in found if found[name]["available"] and name not in runtimes]
    assert present == ["CPU", "NPU", "acme", "acme-function"]
    assert (found["acme"]["source"], found["NPU"]["source"]) == ("acme-delegate 1.2", "built in")
    assert found["acme-away"]["reason"] == "no driver."
    assert found["acme-broken"]["reason"] == "bus error"
    assert "cannot import 'acme_delegate_x:Acme': ModuleNotFoundError" in found["acme-missing"]["reason"]
    assert found["NPU"]["simulated"]
    text = call("devices", env=packages).stdout
    assert "present (simulated)" in text
    assert "no driver." in text


def test_several_simulated_devices_are_listed() -> None:
    env = {"LITE_DELEGATE_NPU_DEVICES": "4000, 4000,3720"}
    data = json.loads(call("devices", "--format", "json", env=env).stdout)
    names = [each["name"] for each in data["devices"]]
    assert names == [
        "CPU",
        "NPU.4000.0",
        "NPU.4000.1",
        "NPU.3720.0",
        "NPU",
        "OPENVINO",
        "ONNXRUNTIME",
        "QNN",
        "LITERT",
        "ETHOSU",
    ]


def test_an_installed_delegate_is_a_spec(packages: dict[str, str]) -> None:
    found = report("acme", packages)
    assert found["delegate"] == "acme-chip"
    assert {n["reason"] for n in found["nodes"] if n["subgraph"] is None} == {"no Softmax at speed 1"}
    found = report("ACME", packages, "--delegate-option", "speed=3")
    assert "no Softmax at speed 3" in {n["reason"] for n in found["nodes"]}
    assert report("fast=acme-function", packages)["delegate"] == "fast"


def test_devices_that_share_a_model_are_a_spec(packages: dict[str, str]) -> None:
    found = report("HETERO:acme,npu:kirin,CPU", packages, "--delegate-option", "1.speed=7")
    devices = {n["name"]: n["device"] for n in found["nodes"]}
    assert set(devices.values()) == {"NPU.kirin", "acme"}
    assert {name for name, device in devices.items() if device == "NPU.kirin"} == {"head/softmax"}
    done = call("run", model_path(), "--delegate", "HETERO:NPU,CPU")
    assert "11 of 11 kernels on 'NPU'" in done.stdout


def plans(found: dict[str, object]) -> dict[str, str]:
    """The plans among which the fastest was looked for, and why some are none."""
    rows = found["alternatives"]
    assert isinstance(rows, list)
    return {each["plan"]: each["reason"] for each in rows}


def test_auto_measures_the_devices_that_are_there_and_not_simulated(packages: dict[str, str]) -> None:
    found = report("auto", packages)
    names = {name for plan in plans(found) for name in plan.split(", ")}
    assert {"acme", "acme-function", "CPU"} <= names
    assert not names & {"NPU", "acme-away", "acme-broken", "acme-missing"}
    assert sum(each["chosen"] for each in found["alternatives"]) == 1
    assert found["options"]["placement"] == "fastest"


def test_auto_of_some_devices_and_without_others(packages: dict[str, str]) -> None:
    found = plans(report("AUTO:acme,npu", packages, "--delegate-option", "1.speed=7"))
    mixed = {plan for plan in found if "nodes)" in plan or plan == "a mixture of delegates"}  # as the times are
    assert set(found) - mixed == {"acme, CPU", "CPU", "NPU"}
    assert "simulated" in found["NPU"]
    others = plans(report("AUTO:-acme-function", packages))
    assert not [plan for plan in others if "acme-function" in plan]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("HETERO:npu", "expected the CPU as the last of several devices, as in HETERO:npu,CPU"),
        ("HETERO:npu,,CPU", "expected the name of a device at position 12, found ','"),
        ("HETERO:npu,gpu,CPU", "Device 'gpu' at position 12 is not registered"),
        ("MULTI:npu", "of devices made of other devices, commands take HETERO and AUTO only"),
        ("AUTO:gpu", "Device 'gpu' at position 6 is not registered"),
        ("AUTO:-CPU", "the CPU runs the remaining nodes, and cannot be left out"),
        ("acme-missing", "Device 'acme-missing': cannot import 'acme_delegate_x:Acme'"),
        ("nothing", "a device (npu, openvino, onnxruntime, qnn, litert, ethosu, acme"),
        ("cpu", "The CPU has no delegate"),
    ],
)
def test_what_is_no_device_is_one_line(packages: dict[str, str], spec: str, message: str) -> None:
    done = call("run", model_path(), "--delegate", spec, status=2, env=packages)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_devices_that_share_a_model_stand_alone(packages: dict[str, str]) -> None:
    done = call("report", model_path(), "--delegate", "HETERO:npu,CPU", "--delegate", "acme", status=2, env=packages)
    assert "--delegate HETERO:npu,CPU stands alone" in done.stderr
    done = call("conformance", "--op", "Softmax", "--delegate", "HETERO:npu,acme,CPU", status=2, env=packages)
    assert "one delegate is expected, found 2" in done.stderr
