"""Commands on models that do not take 1 for their open dimensions: they choose plausible sizes, and say so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx

from tests.commands import invoke
from tests.waiting_files import choice, expected, image, pyramid

TAKEN = "Open dimensions: 'x' [N, 2, H, W] is taken as [1, 2, 6, 10]; to change that: --input-shape x=1,2,6,10"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Its metadata say what images it was trained with."""
    onnx.save(pyramid({"imgsz": "[6, 10]"}), tmp_path / "pyramid.onnx")
    return tmp_path / "pyramid.onnx"


@pytest.mark.parametrize(("command", "more"), [("run", ["--strict"]), ("calibrate", [])])
def test_commands_without_notes_say_it_on_standard_error(model: Path, command: str, more: Sequence[str]) -> None:
    done = invoke(command, model, "--delegate", "npu", *more)
    assert (done.exit_code, done.stderr) == (0, f"lite-delegate: note: {TAKEN}\n")


@pytest.mark.parametrize(
    ("command", "more"), [("report", ["--strict"]), ("compare", []), ("benchmark", ["--runs", "1", "--strict"])]
)
def test_others_have_it_among_their_notes(model: Path, command: str, more: Sequence[str]) -> None:
    done = invoke(command, model, "--delegate", "npu", "--format", "json", *more)
    assert (done.exit_code, done.stderr) == (0, "")
    assert TAKEN in json.loads(done.stdout)["notes"]


def test_without_metadata_it_is_a_size_of_images(tmp_path: Path) -> None:
    onnx.save(pyramid(), tmp_path / "pyramid.onnx")
    done = invoke("report", tmp_path / "pyramid.onnx", "--format", "json")
    assert json.loads(done.stdout)["inputs"][0]["shape"] == [1, 2, 224, 224]


@pytest.mark.parametrize("command", ["run", "compare", "benchmark"])
def test_given_data_and_given_shapes_come_first(model: Path, command: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", image(1, 2, 4, 8))
    runs = ["--runs", "1"] * (command == "benchmark")
    for given in (["--input", f"x={tmp_path / 'x.npy'}"], ["--input-shape", "x=1,2,4,8"]):
        done = invoke(command, model, "--delegate", "npu", *runs, *given)
        assert done.exit_code == 0, done.output
        assert "Open dimensions" not in done.output
    wrong = invoke(command, model, *runs, "--input-shape", "x=1,2,3,8")
    assert (wrong.exit_code, "'join' (ai.onnx.Concat) SHAPE" in wrong.stderr) == (2, True)


def test_a_run_gives_what_onnx_does(model: Path, tmp_path: Path) -> None:
    x = image(1, 2, 4, 8)
    np.save(tmp_path / "x.npy", x)
    done = invoke("run", model, "--input", f"x={tmp_path / 'x.npy'}", "-o", tmp_path / "y.npz")
    assert done.exit_code == 0
    np.testing.assert_array_equal(np.load(tmp_path / "y.npz")["y"], expected(pyramid(), x))


@pytest.mark.parametrize("suffix", [".ms", ".onnx"])
def test_a_conversion_is_for_sizes_that_it_says(model: Path, suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"converted{suffix}"
    done = invoke("convert", model, "-o", out)
    assert (done.exit_code, done.stderr) == (0, f"lite-delegate: note: {TAKEN}\n")
    assert json.loads(invoke("info", out, "--format", "json").output)["inputs"][0]["shape"] == [1, 2, 6, 10]
    assert invoke("run", out).exit_code == 0
    given = invoke("convert", model, "-o", out, "--input-shape", "x=1,2,4,4")
    assert (given.exit_code, given.stderr) == (0, "")


def test_a_compiled_file_needs_shapes_that_somebody_said(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "compiled.ldm"
    done = invoke("compile", model, "-o", out)
    assert (done.exit_code, out.exists()) == (2, False)
    assert "say which before it is exported: give 'x' [N, 2, H, W] shapes" in done.stderr
    assert invoke("compile", model, "-o", out, "--input-shape", "x=1,2,4,4").exit_code == 0
    assert invoke("run", out).exit_code == 0


def test_info_knows_that_the_cpu_runs_its_operators(model: Path) -> None:
    found = json.loads(invoke("info", model, "--format", "json").output)
    assert found["inputs"][0]["dims"] == ["N", 2, "H", "W"]
    assert all(each["cpu_kernel"] for each in found["operators"])


def test_the_cache_serves_a_command(model: Path, tmp_path: Path) -> None:
    for outcome in ("cache miss", "cache hit"):
        done = invoke("run", model, "--cache-dir", tmp_path / "cache")
        assert done.exit_code == 0
        assert TAKEN in done.stderr
        assert outcome in done.stderr


def test_of_branches_that_exclude_each_other_most_nodes_decide(tmp_path: Path) -> None:
    onnx.save(choice(), tmp_path / "choice.onnx")
    done = invoke("report", tmp_path / "choice.onnx", "--format", "json")
    assert json.loads(done.stdout)["inputs"][0]["shape"] == [128]


def test_what_nobody_can_run_is_an_error_about_the_operator(tmp_path: Path) -> None:
    onnx.save(pyramid(extra="Strange"), tmp_path / "strange.onnx")
    done = invoke("run", tmp_path / "strange.onnx")
    assert done.exit_code == 2
    assert "of.nobody.Strange" in done.stderr
