"""The code of the page on state runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import Core, StateSnapshot
from tests.inference.state.cells import recurrent_cell, steps

PAGE = Path(__file__).parents[3] / "docs" / "state.md"


def test_the_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("ai_edge_litert")
    from tests.inference.test_signature_states import counter

    Path("cell.onnx").write_bytes(recurrent_cell())
    Path("counter.tflite").write_bytes(counter())
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {"samples": steps(3), "StateSnapshot": StateSnapshot, "Core": Core}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    np.testing.assert_array_equal(names["other"].query_state()[0].value, np.zeros((1, 4)))
    assert names["before"].name == "before"
