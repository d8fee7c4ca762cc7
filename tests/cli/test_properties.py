"""``lite-delegate properties``: each property whole, on a page of any width."""

from __future__ import annotations

import sys

import pytest

from lite_delegate.devices.core import Core
from tests.commands import COMMAND, call
from tests.terminal import on_terminal


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are for Unix")
@pytest.mark.parametrize("device", ["core", "NPU", "OPENVINO"])
def test_no_word_is_cut_and_no_line_is_too_long(device: str) -> None:
    shown = on_terminal([*COMMAND, "properties", device], columns=80, both=True, variables={"NO_COLOR": "1"})
    assert max(map(len, shown.splitlines())) <= 80
    words = set(shown.split())
    for spec in Core().properties(device):
        assert {spec.name, *spec.effect.split()} <= words


def test_a_property_says_its_value_its_effect_and_the_rest() -> None:
    entries = {entry.split()[0]: entry for entry in call("properties", "npu").stdout.split("\n\n")}
    assert entries["OPTIMIZATION_CAPABILITIES"].splitlines() == [
        "OPTIMIZATION_CAPABILITIES = FP32, FP16, INT8, EXPORT_IMPORT, STATE, DYNAMIC",
        "    the types that the device computes in, and what else it can do: EXPORT_IMPORT, STATE (models",
        "    that keep state) and DYNAMIC (dimensions with bounds)",
        "    set by: device; read only; device",
    ]
    assert entries["MODEL_PRIORITY"].splitlines()[-1] == (
        "    set by: default; can be set; device, compiled model; when loading, at run time"
    )
