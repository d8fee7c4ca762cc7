"""Open dimensions on the command line: all commands take them for the same, and say so in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lite_delegate.formats.ms import write_ms
from tests.commands import invoke
from tests.runtime.graphs import chain

LINE = "Open dimensions: 'x' [-1, 3] is taken as [1, 3]; to change that: --input-shape x=1,3"


@pytest.fixture
def model(tmp_path: Path) -> str:
    write_ms(chain(3, (-1, 3)), tmp_path / "open.ms")
    return str(tmp_path / "open.ms")


def test_report_and_what_it_can_be_asked(model: str) -> None:
    done = invoke("report", model, "--format", "json", "--strict", "--what-if", "--require", "coverage>=1")
    found = json.loads(done.stdout)
    assert (done.exit_code, done.stderr, found["notes"]) == (0, "", [LINE])
    assert (found["kernels_delegated"], found["inputs"][0]["shape"], found["what_if"]) == (3, [1, 3], [])


@pytest.mark.parametrize(("command", "more"), [("run", ["--strict"]), ("calibrate", [])])
def test_commands_without_notes_say_it_on_standard_error(model: str, command: str, more: list[str]) -> None:
    done = invoke(command, model, "--delegate", "npu", *more)
    assert (done.exit_code, done.stderr) == (0, f"lite-delegate: note: {LINE}\n")


@pytest.mark.parametrize(("command", "more"), [("compare", []), ("benchmark", ["--runs", "1", "--strict"])])
def test_others_have_it_among_their_notes(model: str, command: str, more: list[str]) -> None:
    done = invoke(command, model, "--delegate", "npu", "--format", "json", *more)
    assert (done.exit_code, done.stderr) == (0, "")
    assert LINE in json.loads(done.stdout)["notes"]


@pytest.mark.parametrize("command", ["run", "compare", "benchmark"])
def test_given_data_and_given_shapes_are_what_the_model_is_planned_for(
    model: str, command: str, tmp_path: Path
) -> None:
    np.save(tmp_path / "x.npy", np.ones((4, 3), np.float32))
    runs = ["--runs", "1"] * (command == "benchmark")
    for given in (["--input", f"x={tmp_path / 'x.npy'}"], ["--input-shape", "x=4,3"]):
        done = invoke(command, model, "--delegate", "npu", *runs, *given)
        assert done.exit_code == 0
        assert "Open dimensions" not in done.output


def test_a_conversion_keeps_dimensions_open_unless_they_are_given(model: str, tmp_path: Path) -> None:
    for more, shape in (([], [-1, 3]), (["--input-shape", "x=4,3"], [4, 3])):
        assert invoke("convert", model, "-o", tmp_path / "c.ms", *more).exit_code == 0
        assert json.loads(invoke("info", tmp_path / "c.ms", "--format", "json").output)["inputs"][0]["shape"] == shape


@pytest.mark.parametrize("command", ["report", "run", "calibrate", "compare", "benchmark"])
def test_a_model_that_cannot_be_1_is_an_error_of_one_line(command: str, tmp_path: Path) -> None:
    from tests.inference.shapes.test_open_shapes import reshaped_to_2x4

    write_ms(reshaped_to_2x4(), tmp_path / "open.ms")
    done = invoke(command, tmp_path / "open.ms", "--delegate", "npu")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "The model cannot take x [1, 4]: Node 'n' (Reshape)" in done.stderr
    assert "open dimensions follow --input-shape x=1,4 unless --input or --input-shape says more" in done.stderr
    np.save(tmp_path / "x.npy", np.ones((2, 4), np.float32))
    if command in ("run", "compare", "benchmark"):
        runs = ["--runs", "1"] * (command == "benchmark")
        given = ["--input", f"x={tmp_path / 'x.npy'}"]
        assert invoke(command, tmp_path / "open.ms", "--delegate", "npu", *runs, *given).exit_code == 0
