"""The code of docs/isolated.md, with a toolkit that another interpreter is to have."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from lite_delegate import Context
from lite_delegate.formats.ms import write_ms
from lite_delegate.isolated import IsolatedDelegate
from tests.commands import call
from tests.isolated.chains import absolutes

PAGE = Path(__file__).parents[2] / "docs" / "isolated.md"
PIECES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
TOOLKIT = """
import numpy

OPERATORS = {"Abs": numpy.abs, "Activation": lambda x: numpy.maximum(x, 0)}
class Program:
    def __init__(self, operators): self.operators = operators
    def run(self, x):
        for each in self.operators: x = OPERATORS[each](x)
        return x
compile = Program
"""
OTHER = os.environ.get("LITE_DELEGATE_OTHER_PYTHON", sys.executable)
"""An interpreter with numpy 1, where the environment names one."""


def test_in_python() -> None:
    names: dict[str, object] = {}
    exec(PIECES[0], names)
    context = names["context"]
    assert isinstance(context, Context)
    (delegate,) = context.delegates
    assert isinstance(delegate, IsolatedDelegate)
    assert delegate.name == "npu"
    assert delegate.isolation.run_seconds == 5


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_ms(absolutes(), tmp_path / "model.ms")
    (tmp_path / "chip.py").write_text(PIECES[1])
    (tmp_path / "chip_toolkit.py").write_text(TOOLKIT)
    return tmp_path


@pytest.mark.parametrize("python", [(), ("--delegate-option", f"python={OTHER}")])
def test_the_toolkit(folder: Path, python: tuple[str, ...]) -> None:
    command = ("report", "model.ms", "--delegate", "isolated:chip.py:ChipDelegate", *python, "--format", "json")
    done = call(*command, cwd=folder)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found["kernels_total"] == found["kernels_delegated"] > 0
    assert {node["device"] for node in found["nodes"]} == {"chip"}


def test_the_page_is_short() -> None:
    assert len(PAGE.read_text(encoding="utf-8").split()) <= 700
