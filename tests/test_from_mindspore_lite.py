"""The page for people who come from MindSpore Lite: its code runs, from top to bottom."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from lite_delegate.demo import model_path
from tests.test_converter import small_onnx

PAGE = (Path(__file__).parent.parent / "docs" / "from_mindspore_lite.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(model_path(), tmp_path / "digits.ms")
    small_onnx(tmp_path / "small.onnx")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 7
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "from_mindspore_lite.md", "exec"), names)
    assert "npu" in capsys.readouterr().out
