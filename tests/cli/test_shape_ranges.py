"""``--input-shape`` with ranges: the commands take models that are compiled for bounds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lite_delegate.formats.ms import write_ms
from tests.commands import invoke
from tests.runtime.graphs import chain

RANGE = ("--input-shape", "x=1..16,3")
NOTE = "Bounded dimensions: runs are padded to the next power of two, or the bound"
OUTSIDE = "Input 0 'x': expected shape [1..16, 3], got [17, 3]: dimension 0 must be 1..16."


@pytest.fixture
def model(tmp_path: Path) -> str:
    """x -> x + 1 + 2 + 3."""
    write_ms(chain(3, (-1, 3)), tmp_path / "open.ms")
    return str(tmp_path / "open.ms")


def rows(folder: Path, count: int) -> str:
    np.save(folder / f"{count}.npy", np.ones((count, 3), np.float32))
    return f"x={folder / f'{count}.npy'}"


def test_run_takes_all_shapes_within(model: str, tmp_path: Path) -> None:
    for count in (1, 5, 16):
        given = ("--input", rows(tmp_path, count), "-q", "-o", tmp_path / "y.npz")
        done = invoke("run", model, "--delegate", "npu", "--strict", *RANGE, *given)
        assert (done.exit_code, done.stderr) == (0, "")
        (y,) = np.load(tmp_path / "y.npz").values()
        np.testing.assert_array_equal(y, np.full((count, 3), 7.0))
    done = invoke("run", model, "--delegate", "npu", *RANGE, "--input", rows(tmp_path, 17))
    assert (done.exit_code, done.stderr) == (2, f"lite-delegate: {OUTSIDE}\n")


def test_random_inputs_have_the_largest_shape(model: str) -> None:
    assert "[16, 3]" in invoke("run", model, "--delegate", "npu", *RANGE).output
    assert "[16, 3]" in invoke("run", model, "--delegate", "npu", *RANGE, "--steps", 2).output.replace("2, 16", "16")


def test_report_and_benchmark_are_of_the_bounds_and_say_so(model: str) -> None:
    for command in (("report",), ("benchmark", "--runs", "1", "--delegate", "npu")):
        done = invoke(*command, model, "--format", "json", *RANGE)
        assert done.exit_code == 0, done.output
        assert NOTE in json.loads(done.stdout)["notes"]


def test_compiled_files_keep_the_bounds(model: str, tmp_path: Path) -> None:
    done = invoke("compile", model, "--delegate", "npu", *RANGE, "-o", tmp_path / "m.ldm")
    assert done.exit_code == 0, done.output
    run = ("run", tmp_path / "m.ldm", "--delegate", "npu", "--input")
    assert "[5, 3]" in invoke(*run, rows(tmp_path, 5)).output
    assert invoke(*run, rows(tmp_path, 17)).stderr == f"lite-delegate: {OUTSIDE}\n"


def test_the_cache_tells_bounds_from_each_other(model: str, tmp_path: Path) -> None:
    run = ("run", model, "--delegate", "npu", "--cache-dir", tmp_path / "cache", "--input-shape")
    for shape, outcome in (("x=1..16,3", "miss"), ("x=1..16,3", "hit"), ("x=1..8,3", "miss"), ("x=2..16,3", "miss")):
        done = invoke(*run, shape)
        assert outcome in done.stderr, (shape, done.stderr)
        explained = invoke("cache", "explain", *run[1:], shape)
        assert "hit" in explained.output, explained.output


@pytest.mark.parametrize("text", ["x=1..,3", "x=0..3,3", "x=5..2,3", "x=1..2..3,3", "x=..4,3", "x=-1..4,3", "x=a..b,3"])
def test_what_is_no_range_is_an_error_of_one_line(model: str, text: str) -> None:
    done = invoke("run", model, "--input-shape", text)
    assert done.exit_code == 2
    assert done.stderr == (
        f"lite-delegate: --input-shape must be NAME=D,D,... with dimensions of at least 1, got '{text}'; a dimension "
        "of 1 to 128 is 1..128.\n"
    )


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("x=1..16,1..3", "Input 0 'x', dimension 1 is 3 in the model, so it cannot have bounds; give 3."),
        ("x=1..16,4", "input_shapes of 'x' must fit [-1, 3], got [16, 4]."),
        ("nope=1..16,3", "input_shapes names 'nope', the model's inputs are 'x'."),
    ],
)
def test_a_range_that_does_not_fit_the_model(model: str, shape: str, text: str) -> None:
    done = invoke("report", model, "--input-shape", shape)
    assert (done.exit_code, done.stderr) == (2, f"lite-delegate: {text}\n")


@pytest.mark.parametrize("command", ["compare", "convert"])
def test_commands_of_one_shape_take_no_range(model: str, tmp_path: Path, command: str) -> None:
    done = invoke(command, model, *RANGE, "-o", tmp_path / "out.ms")
    assert done.exit_code == 2
    expected = f"--input-shape x: '{command}' takes a number for each dimension, and no range."
    assert done.stderr == f"lite-delegate: {expected}\n"
