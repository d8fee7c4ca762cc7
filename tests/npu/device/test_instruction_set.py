"""The table of instructions names every one that the device's files have."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import is_dataclass
from pathlib import Path

from lite_delegate.npu.device import instructions
from lite_delegate.npu.device.instructions.instruction_set import ALL_INSTRUCTIONS, INSTRUCTIONS
from lite_delegate.npu.device.programs.instruction import Instruction
from tools.npu_instructions import DOCUMENT, instructions_table


def test_every_instruction_is_in_the_table() -> None:
    (folder,) = instructions.__path__
    found = {
        member
        for path in Path(folder).glob("*.py")
        for _, member in inspect.getmembers(
            importlib.import_module(f"{instructions.__name__}.{path.stem}"), inspect.isclass
        )
        if issubclass(member, Instruction) and not inspect.isabstract(member)
    }
    assert sorted(kind.__name__ for kind in found) == [kind.__name__ for kind in ALL_INSTRUCTIONS]
    assert set(INSTRUCTIONS.values()) == found


def test_instructions_are_frozen_dataclasses() -> None:
    for kind in ALL_INSTRUCTIONS:
        assert is_dataclass(kind)
        assert kind.__dataclass_params__.frozen
        assert "__slots__" in vars(kind)


def test_the_documented_instruction_set_is_this_one() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == instructions_table(), "run: python -m tools.npu_instructions"
