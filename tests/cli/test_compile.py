"""``lite-delegate compile``, and the commands that take what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import DeviceFile, Kernel, RejectCode, Rejected, Supported
from lite_delegate.delegate import SupportResult
from lite_delegate.demo import model_path
from lite_delegate.testing.delegates import NamedDelegate
from tests.commands import call, invoke


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compiled") / "demo.ldm"
    call("compile", model_path(), "--delegate", "npu", "-o", path)
    return path


def test_run_gives_what_the_model_itself_gives(file: Path, tmp_path: Path) -> None:
    for name, model in (("a.npz", file), ("b.npz", model_path())):
        assert invoke("run", model, "--delegate", "npu", "-o", tmp_path / name).exit_code == 0
    with np.load(tmp_path / "a.npz") as mine, np.load(tmp_path / "b.npz") as expected:
        assert set(mine) == set(expected)
        for name in expected:
            np.testing.assert_array_equal(mine[name], expected[name])


def test_report_says_what_it_says_of_the_model(file: Path) -> None:
    mine, expected = (
        json.loads(invoke("report", model, "--delegate", "npu", "--format", "json").output)
        for model in (file, model_path())
    )
    for key in ("kernels_total", "kernels_delegated", "subgraphs", "nodes", "minimum_subgraphs"):
        assert mine[key] == expected[key]


def test_benchmark_takes_it(file: Path) -> None:
    found = json.loads(invoke("benchmark", file, "--delegate", "npu", "--runs", "2", "--format", "json").output)
    assert found["delegate"] == "npu"


def test_info_shows_the_header(file: Path) -> None:
    data = json.loads(invoke("info", file, "--format", "json").output)
    assert (data["format"], data["delegates"][0]["name"]) == ("compiled model", "npu")
    text = invoke("info", file).output
    assert "npu: profile" in text
    assert "constants" in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "compiled for delegate 'npu', found the CPU alone"),
        (("--delegate", "npu:npu4000"), "compiled for an NPU of profile 'generic', this device has 'npu4000'"),
        (("--delegate", "npu", "--input-shape", "x=1,2"), "is a compiled model: its shapes"),
    ],
)
def test_what_does_not_fit_is_said_in_one_line(file: Path, options: tuple[str, ...], said: str) -> None:
    done = invoke("run", file, *options)
    assert done.exit_code == 2
    assert said in done.output
    assert len(done.output.splitlines()) == 1


def test_the_output_is_another_file_in_a_folder_that_is_there(tmp_path: Path) -> None:
    assert "is not a directory" in invoke("compile", model_path(), "-o", tmp_path / "no" / "x.ldm").output
    assert "is a file that is read, of MODEL" in invoke("compile", model_path(), "-o", model_path()).output


class Writing(NamedDelegate):
    """A delegate that writes files for the runtime of a device."""

    def device_file(self, kernel: Kernel) -> DeviceFile:
        return DeviceFile(b"for the device", ".onnx", "the runtime of a test")


class Half(Writing):
    """Leaves one kernel to the CPU."""

    def supports(self, kernel: Kernel) -> SupportResult:
        return Rejected(RejectCode.OPERATOR, "no Softmax") if kernel.type == "Softmax" else Supported()


def test_another_suffix_is_the_file_of_the_devices_runtime(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    done = invoke("compile", model_path(), "--delegate", f"{__name__}:Writing", "-o", file)
    assert done.exit_code == 0, done.output
    assert file.read_bytes() == b"for the device"
    assert done.stdout.splitlines()[-2:] == [
        "For the runtime of a test.",
        f"{file}: 14 bytes, 11 of 11 kernels in 1 subgraph on named",
    ]


@pytest.mark.parametrize(
    ("spec", "name", "said"),
    [
        (f"{__name__}:Half", "model.onnx", "the CPU runs 'head/softmax' (no Softmax)."),
        (f"{__name__}:Writing", "model.tflite", "the file for the runtime of a test is called *.onnx."),
        ("npu", "model.onnx", "Delegate 'npu' writes no files for a device: -o FILE.ldm keeps the compiled model."),
    ],
)
def test_a_file_for_a_device_is_refused_in_one_line_and_nothing_is_written(
    tmp_path: Path, spec: str, name: str, said: str
) -> None:
    done = invoke("compile", model_path(), "--delegate", spec, "-o", tmp_path / name)
    assert done.exit_code == 2, done.output
    (line,) = done.stderr.splitlines()
    assert said in line
    assert list(tmp_path.iterdir()) == []
