"""The delegate of the page on existing runtimes is complete: its code runs, and the suite finds nothing wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort

from tests.backends.onnxruntime.test_delegate import small_model
from tests.commands import call
from tests.pages import python_blocks, section

BLOCKS = python_blocks(section("delegates.md", "Around an existing runtime"))


def test_the_code_of_the_page_runs_and_gives_what_the_runtime_gives(tmp_path: Path) -> None:
    onnx.save(small_model(outputs=("y",)), tmp_path / "model.onnx")
    code = "\n".join([*BLOCKS, "np.save('y.npy', y.get_data_to_numpy())"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "['session']\n"
    session = ort.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, {"x": np.ones((1, 3, 12, 10), np.float32)})
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected, rtol=1e-5, atol=1e-6)


def test_the_suite_finds_nothing_wrong_with_it(tmp_path: Path) -> None:
    (tmp_path / "my_delegate.py").write_text("\n".join(BLOCKS[:2]))
    spec = f"{tmp_path / 'my_delegate.py'}:SessionDelegate"
    options = ("--op", "Concat", "--op", "Split", "--no-patterns", "--jobs", "1", "--format", "json")
    call("conformance", "--delegate", spec, *options, "-o", tmp_path / "found.json")
    found = (tmp_path / "found.json").read_text(encoding="utf-8")
    assert '"outcome": "passed"' in found
    assert '"outcome": "wrong"' not in found
