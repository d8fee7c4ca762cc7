"""``lite-delegate convert -o FILE.onnx`` of loops and choices, held to ONNX Runtime on both files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from tests.backends.test_control_flow import LEFT, WHOLE, W, inputs_of
from tests.commands import call
from tests.formats.onnx.comparing import parsed, peer
from tests.formats.tflite.test_graphs import X, loop

KINDS = {"If": {"If"}, "a choice of what is there": {"If"}, "a loop in a choice": {"If"}}
ANY_ROUNDS = """g (int64 trips, float[2,8] x) => (float[2,8] last, BEHIND) {
  last, all = Loop (trips, , x) <
    body = b (int64 i, bool go, float[2,8] s) => (bool again, float[2,8] next, float[EACH,2,8] each) {
      again = Identity(go)
      next, kept = Loop (TRIPS, , s) <
        body = c (int64 j, bool more, float[2,8] t) => (bool on, float[2,8] u, float[2,8] k) {
          on = Identity(more)
          u = Add(t, x)
          k = Tanh(u)
        }>
      each = Relu(kept)
    }>
  y = WHAT
}"""
OPEN = {
    "rounds within rounds, both of any number, and both kept": ANY_ROUNDS.replace("TRIPS", "trips")
    .replace("EACH", "M").replace("BEHIND", "float[N,M,2,8] y").replace("WHAT", "Sigmoid(all)"),
    "results of any number that are cast": ANY_ROUNDS.replace("TRIPS", "seven")
    .replace("EACH", "7").replace("BEHIND", "float16[N,7,2,8] y").replace("WHAT", "Cast<to = 10>(all)"),
}  # fmt: skip
WRITTEN = {**WHOLE, **{name: text for name, (text, _) in LEFT.items()}, **OPEN}
"""What can be written: loops, too, that run on no device, where nothing would end them or their results."""
UNWRITTEN = {
    "a result of any number that is added to": (
        ANY_ROUNDS.replace("TRIPS", "seven").replace("EACH", "7").replace("BEHIND", "float[N,7,2,8] y")
        .replace("WHAT", "Add(all, x)"),
        "node 'y' (AddFusion): shapes must be known, 'all' has [-1, 7, 2, 8]",
    ),
    "a loop that carries more and more": (
        """g (float[2,8] x) => (float[N,8] y) {
          y = Loop (seven, , x) <
            body = b (int64 i, bool go, float[M,8] s) => (bool again, float[L,8] next) {
              again = Identity(go)
              next = Concat<axis = 0>(s, x)
            }>
        }""",
        "shapes must be known",
    ),
}  # fmt: skip
SEVEN = np.array(7, np.int64)


def saved(text: str, path: Path) -> Any:
    model = parsed(text, initializers={"w": W, "seven": SEVEN})
    onnx.save(model, path)
    return model


@pytest.mark.parametrize("name", WRITTEN)
def test_loops_and_choices_are_those_of_onnx(name: str, tmp_path: Path) -> None:
    source = saved(WRITTEN[name], tmp_path / "in.onnx")
    call("convert", tmp_path / "in.onnx", "-o", tmp_path / "out.onnx")
    onnx.checker.check_model(str(tmp_path / "out.onnx"), full_check=True)
    written = onnx.load(tmp_path / "out.onnx")
    assert {"If", "Loop"} & {node.op_type for node in written.graph.node} == KINDS.get(name, {"Loop"})
    for inside in (
        attribute.g for node in written.graph.node for attribute in node.attribute if attribute.HasField("g")
    ):
        given = [each.name for each in inside.output]
        assert len(set(given)) == len(given)
        assert set(given) <= {name for node in inside.node for name in node.output}
    assert [each.name for each in written.graph.output] == [each.name for each in source.graph.output]
    for inputs in inputs_of(source):
        for found, expected in zip(peer(written, inputs), peer(source, inputs), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", OPEN)
def test_the_same_comes_of_a_ms_file(name: str, tmp_path: Path) -> None:
    source = saved(OPEN[name], tmp_path / "in.onnx")
    call("convert", tmp_path / "in.onnx", "-o", tmp_path / "between.ms")
    call("convert", tmp_path / "between.ms", "-o", tmp_path / "out.onnx")
    for trips in (0, 4):
        inputs = {"trips": np.array(trips, np.int64), "x": inputs_of(source)[0]["x"]}
        for found, expected in zip(peer(onnx.load(tmp_path / "out.onnx"), inputs), peer(source, inputs), strict=True):
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("limit", [1, 5])
def test_a_loop_of_tflite_becomes_one_of_onnx(limit: int, tmp_path: Path) -> None:
    (tmp_path / "in.tflite").write_bytes(loop(limit))
    call("convert", tmp_path / "in.tflite", "-o", tmp_path / "out.onnx")
    onnx.checker.check_model(str(tmp_path / "out.onnx"), full_check=True)
    session = ort.InferenceSession(tmp_path / "out.onnx", providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    count, doubled = session.run(None, dict(zip(names, (np.array(0, np.int32), X.data), strict=True)))
    assert count == limit
    np.testing.assert_array_equal(doubled, X.data * np.float32(2**limit))


@pytest.mark.parametrize("name", UNWRITTEN)
def test_what_has_no_such_form_says_why_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    text, why = UNWRITTEN[name]
    saved(text, tmp_path / "in.onnx")
    done = call("convert", tmp_path / "in.onnx", "-o", tmp_path / "out.onnx", status=2)
    assert "cannot be written as ONNX" in done.stderr
    assert why in done.stderr
    assert not list(tmp_path.glob("out*"))
