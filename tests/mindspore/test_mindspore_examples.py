"""Examples written for the ``mindspore_lite`` package run when their import is changed, and print the same."""

from __future__ import annotations

import doctest
import shutil
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import Converter, FmkType, ModelType
from lite_delegate.demo import model_path
from tests.mindspore.test_converter import small_onnx

PAGE = (Path(__file__).parent / "mindspore_lite_examples.md").read_text(encoding="utf-8")
PARTS = dict(part.split("\n", 1) for part in PAGE.split("\n## ")[1:])
THEIRS, OURS = "import mindspore_lite as mslite", "import lite_delegate as mslite"


@pytest.mark.parametrize("title", PARTS)
def test_an_example_prints_what_the_package_does(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(model_path(), tmp_path / "digits.ms")
    small_onnx(tmp_path / "small.onnx")
    converter = Converter()
    converter.save_type = ModelType.MINDIR_LITE
    converter.convert(FmkType.ONNX, tmp_path / "small.onnx", tmp_path / "small")
    np.ones(8, np.float32).tofile(tmp_path / "input.bin")
    monkeypatch.chdir(tmp_path)
    assert THEIRS in PARTS[title]
    example = doctest.DocTestParser().get_doctest(PARTS[title].replace(THEIRS, OURS), {}, title, None, None)
    found = doctest.DocTestRunner().run(example)
    assert (found.attempted > 1, found.failed) == (True, 0), capsys.readouterr().out
