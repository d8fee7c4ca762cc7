"""``run --steps``: one request, whose states go on from run to run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite_delegate.formats.ms import write_ms
from tests.commands import invoke
from tests.inference.state.test_states import FIRST
from tests.inference.state.test_states import counter as counting
from tests.runtime.graphs import chain

XS = np.array([[1, 10], [2, 20], [3, 30]], np.float32)


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    """x -> the sum of all x so far, and what the variable holds at first."""
    write_ms(counting(), tmp_path / "counter.ms")
    return tmp_path / "counter.ms"


def saved(file: Path) -> dict[str, np.ndarray]:
    with np.load(file) as found:
        return dict(found)


def test_each_step_begins_with_what_the_one_before_left(counter: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", XS)
    done = invoke("run", counter, "--steps", 3, "--input", f"x={tmp_path / 'x.npy'}", "-o", tmp_path / "y.npz")
    assert done.exit_code == 0, done.output
    np.testing.assert_array_equal(saved(tmp_path / "y.npz")["y"], FIRST + np.cumsum(XS, axis=0))
    assert "y         FLOAT32  [3, 2]" in done.output
    assert "3 steps; states: 'count' FLOAT32 [2]" in done.output


def test_an_input_of_the_model_s_shape_is_that_of_every_step(counter: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", XS[0])
    done = invoke("run", counter, "--steps", 2, "--input", f"x={tmp_path / 'x.npy'}", "-o", tmp_path / "y.npz")
    assert done.exit_code == 0, done.output
    np.testing.assert_array_equal(saved(tmp_path / "y.npz")["y"], [[11, 30], [12, 40]])


def test_random_inputs_are_those_of_the_seeds(tmp_path: Path) -> None:
    write_ms(chain(2), tmp_path / "m.ms")
    done = invoke("run", tmp_path / "m.ms", "--steps", 2, "--random-seed", 4, "-o", tmp_path / "steps.npz")
    assert "2 steps; the model keeps no state" in done.output
    (steps,) = saved(tmp_path / "steps.npz").values()
    for number, step in enumerate(steps):
        invoke("run", tmp_path / "m.ms", "--random-seed", 4 + number, "-o", tmp_path / "one.npz")
        (one,) = saved(tmp_path / "one.npz").values()
        np.testing.assert_array_equal(step, one)


def test_another_number_of_steps_is_one_line(counter: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", XS)
    done = invoke("run", counter, "--steps", 4, "--input", f"x={tmp_path / 'x.npy'}", "-o", tmp_path / "y.npz")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "--input x: its first dimension is 3, expected 4 as --steps." in done.stderr
    assert not (tmp_path / "y.npz").exists()
    assert invoke("run", counter, "--steps", 0).exit_code == 2


def test_on_the_device(counter: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", XS)
    given = ("--steps", 3, "--input", f"x={tmp_path / 'x.npy'}", "-o", tmp_path / "y.npz")
    assert invoke("run", counter, "--delegate", "npu", *given).exit_code == 0
    np.testing.assert_array_equal(saved(tmp_path / "y.npz")["y"], FIRST + np.cumsum(XS, axis=0))
