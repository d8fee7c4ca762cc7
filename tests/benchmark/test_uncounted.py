"""The hint at the option that shows layers: exact, and only where the option would show some."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lite_delegate.demo import model_path
from tests.commands import call

HINT = re.compile(r"(\w+) counts no layers of subgraphs: (--delegate-option) (\S+) shows their times")


def told(*given: str) -> str:
    """The text of a profile, on one line."""
    return " ".join(call("benchmark", model_path(), "--profile", "--runs", "2", "--no-check", *given).stdout.split())


@pytest.mark.parametrize("name", ["npu", "openvino", "onnxruntime"])
def test_the_option_of_the_hint_shows_layers(name: str) -> None:
    text = told("--delegate", name)
    ((found, *options),) = HINT.findall(text)
    assert (found, "Layers of the subgraphs" in text) == (name, False)
    text = told("--delegate", name, *options)
    assert "Layers of the subgraphs" in text
    assert not HINT.search(text)


def test_a_runtime_that_measures_no_layers_gets_no_hint() -> None:
    text = told("--delegate", "litert")
    assert "LiteRT0" in text
    assert "counts no layers" not in text


def test_the_option_of_one_of_several_delegates_has_its_number(tmp_path: Path) -> None:
    chip = tmp_path / "chip.toml"
    chip.write_text('base = "generic"\noperators = ["Conv2DFusion", "FullConnection"]\n')
    given = ("--delegate", f"npu:{chip}", "--delegate", "openvino")
    assert [option for _, _, option in HINT.findall(told(*given))] == ["1.PERF_COUNT=YES", "2.PERF_COUNT=YES"]
    left = HINT.findall(told(*given, "--delegate-option", "2.PERF_COUNT=YES"))
    assert [option for _, _, option in left] == ["1.PERF_COUNT=YES"]
