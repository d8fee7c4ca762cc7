"""The table of element types that ONNX's operators take: `python -m tools.onnx_types`.

Taken from the operators' definitions in the package onnx. Writes ``lite_delegate/backends/onnx_file/types.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from lite_delegate.backends.lowering import OPSET
from lite_delegate.backends.onnxruntime.emitting.signatures import SIGNATURES
from tools.onnxruntime_types import NAMES, wrapped

TARGET = Path(__file__).parents[1] / "lite_delegate/backends/onnx_file/types.py"
IN_ONNX = {"float32": "float", "float64": "double"}
"""ONNX's names of types, where they are others."""
HEAD = '''"""Element types that ONNX's operators take, where that is not any, for the letters of their signatures.

Taken from the definitions of release {version} by `python -m tools.onnx_types`.
"""

GROUPS: dict[str, dict[str, str]] = {{
'''
TAIL = '''}
"""By letter and types: the operators."""
TYPES = {
    (op, letter): frozenset(names.split())
    for letter, groups in GROUPS.items()
    for names, ops in groups.items()
    for op in ops.split()
}
'''


def taken(op: str, letter: str) -> list[str]:
    """The types that a letter of an operator's signature can stand for."""
    from onnx import defs

    schema, found = defs.get_schema(op, OPSET), set(NAMES)
    for formals, letters in zip((schema.inputs, schema.outputs), SIGNATURES[op].split(">"), strict=True):
        for formal, each in zip(formals, letters, strict=False):
            if each == letter:
                found &= {name for name in NAMES if f"tensor({IN_ONNX.get(name, name)})" in formal.types}
    return [name for name in NAMES if name in found]


def groups(letter: str) -> Iterator[tuple[str, list[str]]]:
    """Types, and the operators that take no others for a letter."""
    found: dict[str, list[str]] = {}
    for op in sorted(op for op, letters in SIGNATURES.items() if letter in letters):
        names = taken(op, letter)
        if names != NAMES:
            found.setdefault(" ".join(names), []).append(op)
    yield from sorted(found.items())


def table() -> str:
    """The file's text."""
    lines = []
    for letter in "TU":
        lines.append(f'    "{letter}": {{\n')
        lines += [f'        "{names}": """\n{wrapped(" ".join(ops))}    """,\n' for names, ops in groups(letter)]
        lines.append("    },\n")
    return HEAD.format(version=OPSET) + "".join(lines) + TAIL


if __name__ == "__main__":
    TARGET.write_text(table())
    sys.stdout.write(f"wrote {TARGET}\n")
