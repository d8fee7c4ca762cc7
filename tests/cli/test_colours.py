"""Colours on a terminal: the words are the same with and without them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from lite_delegate.demo.digits import model_path
from tests.commands import COMMAND, call
from tests.terminal import on_terminal

MODEL = model_path()
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are for Unix")
CODE = re.compile(r"\x1b\[[0-9;]*m")
CHIP = 'base = "generic"\noperators = ["Conv2DFusion", "FullConnection", "MaxPoolFusion", "Softmax"]\n'
CYAN, MAGENTA, YELLOW, GREEN, RED, BOLD = "36", "35", "33", "32", "31", "1"


def coloured(text: str, colour: str) -> list[str]:
    """The pieces of a text that are in a colour."""
    return re.findall(rf"\x1b\[(?:[0-9]+;)*{colour}m(.*?)\x1b\[0m", text)


def shown(folder: Path, *given: str, **variables: str) -> str:
    """What a command writes to a terminal, in a folder with a chip and two reports."""
    (folder / "chip.toml").write_text(CHIP)
    return on_terminal([*COMMAND, *given], both=True, cwd=folder, variables=variables)


def test_a_report_colours_places_and_refusals(tmp_path: Path) -> None:
    given = ("report", str(MODEL), "--delegate", "npu:chip.toml", "-q")
    text = shown(tmp_path, *given)
    assert set(coloured(text, CYAN)) == {"NpuGraph0", "NpuGraph1", "NpuGraph2"}
    assert coloured(text, MAGENTA) == ["CPU"] * 4
    assert set(coloured(text, YELLOW)) == {"OPERATOR"}
    assert coloured(text, RED) == ["no"]
    assert coloured(text, BOLD)[0].startswith("7 of 11 kernels (64%) on npu")
    assert CODE.sub("", text) == shown(tmp_path, *given, NO_COLOR="1")


def test_a_changed_number_is_better_or_worse(tmp_path: Path) -> None:
    for name, delegate in (("a.json", "npu"), ("b.json", "npu:chip.toml")):
        (tmp_path / "chip.toml").write_text(CHIP)
        call("report", MODEL, "--delegate", delegate, "--format", "json", "-o", name, cwd=tmp_path)
    text = shown(tmp_path, "report", "diff", "a.json", "b.json")
    assert coloured(text, RED)[0].startswith("-0.36")
    assert coloured(shown(tmp_path, "report", "diff", "b.json", "a.json"), GREEN)[0].startswith("+0.36")
    assert CODE.sub("", text) == shown(tmp_path, "report", "diff", "a.json", "b.json", NO_COLOR="1")


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_user_who_wants_none_sees_no_colours(tmp_path: Path, variable: dict[str, str]) -> None:
    plain = shown(tmp_path, "devices", **variable)
    text = shown(tmp_path, "devices")
    assert "\x1b" not in plain
    assert coloured(text, GREEN)[0] == "present"
    assert CODE.sub("", text) == plain


def test_the_verdicts_of_a_comparison_are_coloured(tmp_path: Path) -> None:
    text = shown(tmp_path, "compare", str(MODEL), "--delegate", "npu", "-q")
    assert coloured(text, GREEN) == ["yes", "yes", "ok", "ok"]


def test_claims_of_a_delegate_are_coloured(tmp_path: Path) -> None:
    text = shown(tmp_path, "conformance", "--delegate", "npu", "--op", "Softmax", "--no-patterns", "-q")
    assert coloured(text, GREEN) == ["Every claim is right.", "honest"]


def test_an_error_is_marked(tmp_path: Path) -> None:
    text = shown(tmp_path, "info", "none.ms")
    assert coloured(text, RED) == ["lite-delegate:"]
    assert "\x1b" not in shown(tmp_path, "info", "none.ms", NO_COLOR="1")


def test_a_file_has_no_colours(tmp_path: Path) -> None:
    shown(tmp_path, "report", str(MODEL), "-o", "r.txt")
    assert "\x1b" not in (tmp_path / "r.txt").read_text(encoding="utf-8")
