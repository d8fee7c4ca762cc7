"""``lite-delegate convert -o FILE.onnx`` of loops and choices, held to ONNX Runtime on both files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

from tests.backends.test_control_flow import LEFT, UNBOUNDED, WHOLE, W, inputs_of
from tests.commands import call
from tests.formats.onnx.comparing import parsed, peer
from tests.formats.tflite.test_graphs import X, loop

KINDS = {"If": {"If"}, "a choice of what is there": {"If"}, "Scan": {"Loop"}}
ENDLESS = {name: text for name, (text, why) in LEFT.items() if why == UNBOUNDED}
"""Loops that run on no device, where nothing would end them, and can be written."""
SEVEN = np.array(7, np.int64)


def saved(text: str, path: Path) -> Any:
    model = parsed(text, initializers={"w": W, "seven": SEVEN})
    onnx.save(model, path)
    return model


@pytest.mark.parametrize("name", WHOLE | ENDLESS)
def test_loops_and_choices_are_those_of_onnx(name: str, tmp_path: Path) -> None:
    source = saved((WHOLE | ENDLESS)[name], tmp_path / "in.onnx")
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


@pytest.mark.parametrize("name", sorted(LEFT.keys() - ENDLESS.keys()))
def test_what_has_no_such_form_says_why_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    text, why = LEFT[name]
    saved(text, tmp_path / "in.onnx")
    done = call("convert", tmp_path / "in.onnx", "-o", tmp_path / "out.onnx", status=2)
    assert "cannot be written as ONNX" in done.stderr
    assert why in done.stderr
    assert not list(tmp_path.glob("out*"))
