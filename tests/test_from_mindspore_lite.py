"""The page for people who come from MindSpore Lite: its code runs, from top to bottom."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from lite_delegate.demo import model_path
from tests.mindspore.test_converter import small_onnx
from tests.mindspore.test_mindspore_names import EXPORTS

PAGE = (Path(__file__).parent.parent / "docs" / "from_mindspore_lite.md").read_text(encoding="utf-8")


BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_code_of_the_page_uses_every_class_of_the_package() -> None:
    used = set(re.findall(r"mslite\.(\w+)|a (TensorMeta)", "".join(BLOCKS)))
    assert set(EXPORTS) - {"__version__"} <= {name for names in used for name in names}


def test_the_code_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(model_path(), tmp_path / "digits.ms")
    small_onnx(tmp_path / "small.onnx")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in BLOCKS:
        exec(compile(block, "from_mindspore_lite.md", "exec"), names)
    said = capsys.readouterr().out
    assert "npu" in said
    assert "(1, 10) done " in said  # a request's run
    assert "cache miss: no entry for this content\ncache hit\n" in said
