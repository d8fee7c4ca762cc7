"""``--optimize`` of the commands that build a model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from tests.commands import invoke  # noqa: E402

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
g (float[1, 2, 3, 3] x) => (float[1, 2, 3, 3] y)
<float[2, 2, 1, 1] w = {1, 0, 0, 2}>
{ a = Conv(x, w)  y = Relu(a) }"""
GENERAL = ["Transpose", "Conv2DFusion", "Transpose"]
NONE = ["Transpose", "Conv2DFusion", "Transpose", "Activation"]


@pytest.fixture
def model(tmp_path: Path) -> str:
    onnx.save(onnx.parser.parse_model(TEXT), tmp_path / "m.onnx")
    return str(tmp_path / "m.onnx")


@pytest.mark.parametrize(
    ("options", "operators"), [([], GENERAL), (["--optimize", "general"], GENERAL), (["--optimize", "none"], NONE)]
)
def test_report(model: str, options: list[str], operators: list[str]) -> None:
    command = ["report", model, "--delegate", "none", "--format", "json", *options]
    done = invoke(*command)
    assert [n["type"] for n in json.loads(done.output)["nodes"]] == operators


@pytest.mark.parametrize(("level", "kernels"), [("general", 3), ("none", 4)])
def test_run(model: str, tmp_path: Path, level: str, kernels: int) -> None:
    x = np.arange(-9, 9, dtype=np.float32).reshape(1, 2, 3, 3)
    np.save(tmp_path / "x.npy", x)
    files = ["--input", f"x={tmp_path / 'x.npy'}", "--output", str(tmp_path / "y.npz")]
    done = invoke("run", model, "--optimize", level, *files)
    assert f"of {kernels} kernels" in done.output
    expected = np.maximum(x * np.array([1, 2], np.float32).reshape(2, 1, 1), 0)
    np.testing.assert_array_equal(np.load(tmp_path / "y.npz")["y"], expected)


def test_a_level_that_there_is_not(model: str) -> None:
    done = invoke("run", model, "--optimize", "most")
    assert done.exit_code == 2
    assert "'general'" in done.output
