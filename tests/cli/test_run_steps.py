"""``run --steps``: one request, whose states go on from run to run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

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
    assert "y       FLOAT32  [3, 2]" in done.output
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


def cell(path: Path, hidden: int | str = 3) -> None:
    """h=next = tanh(x + h) with an input and an output whose names have '=' in them."""
    x, h = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, hidden]) for name in ("x", "h=in"))
    after = helper.make_tensor_value_info("h=out", onnx.TensorProto.FLOAT, [1, hidden])
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, hidden])
    nodes = [
        helper.make_node("Add", ["x", "h=in"], ["sum"]),
        helper.make_node("Tanh", ["sum"], ["h=out"]),
        helper.make_node("Neg", ["h=out"], ["y"]),
    ]
    graph = helper.make_graph(nodes, "cell", [x, h], [y, after])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


@pytest.mark.parametrize("initial", [None, np.full((1, 3), 0.5, np.float32)])
@pytest.mark.parametrize("delegate", ["none", "npu"])
def test_an_input_becomes_a_state(tmp_path: Path, initial: np.ndarray | None, delegate: str) -> None:
    cell(tmp_path / "cell.onnx")
    xs = np.random.default_rng(0).normal(size=(4, 1, 3)).astype(np.float32)
    np.save(tmp_path / "x.npy", xs)
    given = ["--input", f"x={tmp_path / 'x.npy'}"]
    if initial is not None:
        np.save(tmp_path / "h.npy", initial)
        given += ["--input", f"h=in={tmp_path / 'h.npy'}"]
    arguments = ("--steps", 4, "--stateful", "h=in=h=out", *given, "-o", tmp_path / "y.npz", "--delegate", delegate)
    done = invoke("run", tmp_path / "cell.onnx", *arguments, "--cache-dir", tmp_path / "cache")
    assert done.exit_code == 0, done.output
    assert "4 steps; states: 'h=in' FLOAT32 [1, 3]" in done.output
    h, expected = np.zeros((1, 3)) if initial is None else initial, []
    for x in xs:
        h = np.tanh(x + h)
        expected.append(-h)
    found = saved(tmp_path / "y.npz")
    assert list(found) == ["y"]
    np.testing.assert_allclose(found["y"], expected, atol=2e-3 if delegate == "npu" else 1e-6)


def test_a_state_of_open_dimensions_has_those_that_the_user_gives(tmp_path: Path) -> None:
    cell(tmp_path / "cell.onnx", "n")
    arguments = ("run", tmp_path / "cell.onnx", "--steps", 2, "--stateful", "h=in=h=out")
    done = invoke(*arguments)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "the model leaves dimensions open" in done.stderr
    done = invoke(*arguments, "--input-shape", "x=1,5", "--input-shape", "h=in=1,5")
    assert done.exit_code == 0, done.output
    assert "'h=in' FLOAT32 [1, 5]" in done.output


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["h"], "--stateful must be INPUT=OUTPUT, got 'h'."),
        (["=h"], "--stateful must be INPUT=OUTPUT, got '=h'."),
        (["h=in=h=out", "h=in=y"], "--stateful names 'h=in' twice."),
        (["x=y", "h=in=y"], "output 'y' is paired with input 'x' and 'h=in'"),
        (["a=y"], "no input 'a'; the model's inputs are 'x', 'h=in'"),
        (["x=z"], "no output 'z'; the model's outputs are 'y', 'h=out'"),
    ],
)
def test_pairs_that_do_not_fit_are_one_line(tmp_path: Path, pairs: list[str], message: str) -> None:
    cell(tmp_path / "cell.onnx")
    options = [option for pair in pairs for option in ("--stateful", pair)]
    done = invoke("run", tmp_path / "cell.onnx", "--steps", 2, *options)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


def test_states_are_compiled_and_reported(tmp_path: Path) -> None:
    cell(tmp_path / "cell.onnx")
    chosen = (tmp_path / "cell.onnx", "--delegate", "npu", "--stateful", "h=in=h=out")
    assert invoke("compile", *chosen, "-o", tmp_path / "cell.ldm").exit_code == 0
    np.save(tmp_path / "x.npy", np.ones((3, 1, 3), np.float32))
    given = ("--delegate", "npu", "--steps", 3, "--input", f"x={tmp_path / 'x.npy'}", "-o", tmp_path / "y.npz")
    done = invoke("run", tmp_path / "cell.ldm", *given)
    assert done.exit_code == 0, done.output
    assert "3 steps; states: 'h=in' FLOAT32 [1, 3]" in done.output
    h = 0.0
    for y in saved(tmp_path / "y.npz")["y"]:
        h = np.tanh(1 + h)
        np.testing.assert_allclose(y, -h, atol=2e-3)
    done = invoke("report", *chosen, "--format", "json")
    names = {node["name"]: node["device"] for node in json.loads(done.stdout)["nodes"]}
    assert names["h=in/assign"] == "CPU"


def test_a_compiled_model_has_the_states_that_it_was_compiled_with(tmp_path: Path) -> None:
    cell(tmp_path / "cell.onnx")
    assert invoke("compile", tmp_path / "cell.onnx", "-o", tmp_path / "cell.ldc").exit_code == 0
    done = invoke("run", tmp_path / "cell.ldc", "--stateful", "h=in=h=out")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "is a compiled model: its states were chosen when it was compiled." in done.stderr
