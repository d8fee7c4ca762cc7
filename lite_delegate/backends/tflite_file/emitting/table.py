"""The table of ONNX's operators that TensorFlow Lite's builtin operators compute."""

from __future__ import annotations

from functools import cache

from . import (
    elementwise,
    functions,
    indexing,
    movement,
    products,
    quantization,
    recurrent,
    reductions,
    scattering,
    windows,
)
from .call import Write


@cache
def operators() -> dict[str, Write]:
    """All of them, by ONNX's names."""
    families = (
        *(elementwise, functions, indexing, movement, products),
        *(quantization, recurrent, reductions, scattering, windows),
    )
    return {op: write for family in families for op, write in family.OPERATORS.items()}
