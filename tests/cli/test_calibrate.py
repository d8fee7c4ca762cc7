"""``calibrate``, and ``--times`` of the commands that build a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

onnx = pytest.importorskip("onnx")

from tests.commands import invoke  # noqa: E402

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
g (float[1, 2, 3, 3] x) => (float[1, 2, 3, 3] y)
<float[2, 2, 1, 1] w = {1, 0, 0, 2}>
{ a = Conv(x, w)  y = Relu(a) }"""
NPU = ["--delegate", "npu:kirin"]


@pytest.fixture
def model(tmp_path: Path) -> str:
    onnx.save(onnx.parser.parse_model(TEXT), tmp_path / "m.onnx")
    return str(tmp_path / "m.onnx")


@pytest.fixture
def times(model: str, tmp_path: Path) -> Path:
    path = tmp_path / "times.json"
    assert invoke("calibrate", model, *NPU, "-o", str(path), "--runs", "1").exit_code == 0
    return path


def with_host_times(path: Path, us: float) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    data["host_us"] = dict.fromkeys(data["host_us"], us)
    path.write_text(json.dumps(data), encoding="utf-8")


def test_calibrate_says_what_is_measured_and_what_is_not(model: str, tmp_path: Path) -> None:
    done = invoke("calibrate", model, *NPU, "-o", str(tmp_path / "t.json"), "--runs", "1")
    assert "us measured on this host" in done.output
    assert "and 200.0 us estimated to start a subgraph" in done.output
    data = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert (data["host_source"], data["device_source"], data["transfer_source"]) == ("measured", "estimate", "estimate")
    assert data["key"]["shapes"] == {"x": "1x2x3x3"}
    assert data["key"]["delegate_version"].startswith("kirin, ")
    assert set(data["host_us"]) == set(data["device_us"])


def test_calibrate_prints_where_no_file_is_named(model: str) -> None:
    assert json.loads(invoke("calibrate", model, *NPU, "--runs", "1").output)["launch_us"] == 200


@pytest.mark.parametrize(("us", "delegated"), [(0.001, 0), (1e6, 3)])
def test_report_with_times(model: str, times: Path, us: float, delegated: int) -> None:
    with_host_times(times, us)
    done = invoke("report", model, *NPU, "--placement", "cost", "--times", str(times), "--format", "json")
    report = json.loads(done.output)
    assert report["kernels_delegated"] == delegated
    placement = report["delegates"][0]["placement"]
    assert placement["cpu_us"] == pytest.approx(3 * us)
    assert placement["chosen_us"] == pytest.approx(min(placement["cpu_us"], placement["claimed_us"]))
    assert all((node["code"] == "COST") == (us < 1) for node in report["nodes"])


def test_report_as_text_says_what_placement_came_to(model: str, times: Path) -> None:
    with_host_times(times, 0.001)
    done = invoke("report", model, *NPU, "--placement", "cost", "--times", str(times))
    assert "by gain    npu: 0.0 us per prediction as chosen" in done.output
    assert "(CPU measured, device estimated)" in " ".join(done.output.split())
    assert max(map(len, done.output.splitlines())) <= 100


def test_run_with_times(model: str, times: Path) -> None:
    with_host_times(times, 0.001)
    done = invoke("run", model, *NPU, "--placement", "cost", "--times", str(times))
    assert "0 of 3 kernels on 'npu'" in done.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--delegate", "npu:npu3720", "--placement", "cost"], "delegate_version is 'kirin, "),
        (["--delegate", "npu:kirin"], "--times is of use only with --placement cost"),
    ],
)
def test_times_that_do_not_fit(model: str, times: Path, options: list[str], message: str) -> None:
    done = invoke("report", model, *options, "--times", str(times))
    assert done.exit_code == 2
    assert message in done.output
    assert done.output.count("\n") == 1


def test_nothing_is_calibrated_without_a_delegate(model: str) -> None:
    done = invoke("calibrate", model, "--delegate", "none")
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert "Calibration needs one delegate" in done.output


@pytest.mark.shared
@pytest.mark.parametrize("profile", ["kirin", "npu3720"])
def test_lenet_is_placed_by_gain(profile: str, shared_models: Path) -> None:
    model = str(shared_models / "lenet_tod_infer.ms")
    done = invoke("report", model, "--delegate", f"npu:{profile}", "--placement", "cost", "--format", "json")
    report = json.loads(done.output)
    placement = report["delegates"][0]["placement"]
    assert placement["chosen_us"] <= min(placement["cpu_us"], placement["claimed_us"]) + 1e-6
    saved = sum(s["saved_us"] for s in report["subgraphs"])
    assert placement["cpu_us"] - placement["chosen_us"] == pytest.approx(saved)
