"""Commands that are about a delegate do not measure, judge or write something else where it is not there."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lite_delegate.demo import model_path
from tests.commands import invoke

ABOUT_A_DELEGATE: dict[str, Callable[[Path], list[object]]] = {
    "benchmark": lambda folder: ["benchmark", model_path(), "--runs", "1"],
    "compare": lambda folder: ["compare", model_path()],
    "calibrate": lambda folder: ["calibrate", model_path(), "--runs", "1"],
    "compile": lambda folder: ["compile", model_path(), "-o", folder / "model.ldm"],
    "conformance": lambda folder: ["conformance", "--op", "Abs", "--no-patterns"],
}
ABSENT = {"openvino": "pip install 'lite-delegate[openvino]'", "openvino:FPGA": "no device 'FPGA' here"}


@pytest.fixture(params=ABSENT)
def absent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A delegate whose package is not installed, and one whose device is not there."""
    if request.param == "openvino":
        monkeypatch.setitem(sys.modules, "openvino", None)
    else:
        pytest.importorskip("openvino")
    return str(request.param)


@pytest.mark.parametrize("command", ABOUT_A_DELEGATE)
def test_a_delegate_that_is_not_there_is_an_error(command: str, absent: str, tmp_path: Path) -> None:
    done = invoke(*ABOUT_A_DELEGATE[command](tmp_path), "--delegate", absent)
    assert done.exit_code == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert ABSENT[absent] in line
    assert "--allow-fallback" in line
    assert not list(tmp_path.iterdir())


def test_the_user_may_allow_the_cpu(absent: str) -> None:
    done = invoke("benchmark", model_path(), "--runs", "1", "--delegate", absent, "--allow-fallback")
    assert done.exit_code == 0
    assert "delegate    openvino: NOT AVAILABLE: 0 of 11 kernels" in done.stdout


def test_what_is_about_the_model_says_it_in_its_headline(absent: str) -> None:
    run = invoke("run", model_path(), "--delegate", absent)
    assert run.exit_code == 0
    assert "0 of 11 kernels on 'openvino: NOT AVAILABLE, the CPU runs everything'" in run.stdout
    report = invoke("report", model_path(), "--delegate", absent)
    assert report.exit_code == 0
    assert report.stdout.startswith("0 of 11 kernels (0%) on openvino: NOT AVAILABLE, the CPU runs everything, in 0 ")
    assert "delegate   openvino: NOT AVAILABLE, the CPU runs everything" in report.stdout.splitlines()
    data = json.loads(invoke("report", model_path(), "--delegate", absent, "--format", "json").stdout)
    assert ABSENT[absent] in data["delegates"][0]["absent"]


def test_auto_takes_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert invoke("benchmark", model_path(), "--runs", "1", "--delegate", "auto").exit_code == 0
