"""The code of the page on state runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import Core, StateSnapshot
from tests.inference.state.cells import recurrent_cell, steps
from tests.pages import python_blocks, section

BLOCKS = python_blocks(section("running.md", "State"))


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("ai_edge_litert")
    from tests.inference.requests.test_signature_states import counter

    Path("cell.onnx").write_bytes(recurrent_cell())
    Path("counter.tflite").write_bytes(counter())
    names: dict[str, Any] = {"samples": steps(3), "StateSnapshot": StateSnapshot, "Core": Core}
    for block in BLOCKS:
        exec(compile(block, "running.md", "exec"), names)
    np.testing.assert_array_equal(names["other"].query_state()[0].value, np.zeros((1, 4)))
    assert names["before"].name == "before"
