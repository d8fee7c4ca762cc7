"""Writes the table of the NPU's instructions from their classes: ``python -m tools.npu_instructions``."""

from __future__ import annotations

from dataclasses import fields

from lite_delegate.npu.device.instructions.instruction_set import ALL_INSTRUCTIONS
from lite_delegate.npu.device.programs.instruction import Instruction

from .generated_tables import DOCS, markdown, summary

DOCUMENT = DOCS / "npu" / "instructions.md"
HEADS = ("instruction", "what it does", "parameters", "order of axes")
HEAD = """# The instruction set

Written by `python -m tools.npu_instructions` from the classes in `lite_delegate/npu/device`; a test holds it to them.

A program is a list of steps. A step applies one instruction to buffers and fills another buffer. It computes in
float32, in int32, or exactly, and rounds once when it stores. `DMA` moves data between DRAM and the scratchpad;
everything else works in the scratchpad ([compiler.md](compiler.md)). Spatial instructions have their dimensions as
(N, C, H, W).

**Order of axes**: `any`, the instruction can be done before a permute instead of after it, with its axes rewritten;
`fixed`, it cannot.
"""


def instructions_table() -> str:
    """The document: a row per instruction, by name."""
    rows = [
        (
            f"`{kind.__name__}`",
            summary(kind),
            ", ".join(f"`{field.name}`" for field in fields(kind)),  # type: ignore[arg-type]
            "fixed" if kind.reordered is Instruction.reordered else "any",
        )
        for kind in ALL_INSTRUCTIONS
    ]
    return f"{HEAD}\n{len(rows)} instructions.\n\n{markdown(HEADS, rows)}\n"


if __name__ == "__main__":
    DOCUMENT.write_text(instructions_table(), encoding="utf-8")
