"""The NPU is a delegate like any other: it uses what every delegate may use, and no reference kernel."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import lite_delegate.npu as npu

ALLOWED = {
    "basics",
    "delegate",
    "errors",
    "flatbuffer",
    "formats",
    "ir",
    "npu",
    "passes",
    "properties",
    "remote",
    "semantics",
    "tensors",
    "version",
}
OUTSIDE = {"numpy", "lite_delegate_schemas"} | sys.stdlib_module_names


def test_imports_are_a_delegates():
    (folder,) = map(Path, npu.__path__)
    for path in folder.rglob("*.py"):
        depth = len(path.relative_to(folder).parts)
        for statement in ast.walk(ast.parse(path.read_text())):
            if isinstance(statement, ast.ImportFrom) and statement.level > depth:
                assert statement.level == depth + 1, path
                assert (statement.module or "").split(".")[0] in ALLOWED, path
            if isinstance(statement, ast.ImportFrom) and statement.level == 0:
                assert statement.module is not None
                assert statement.module.split(".")[0] in OUTSIDE, path
            if isinstance(statement, ast.Import):
                assert {alias.name.split(".")[0] for alias in statement.names} <= OUTSIDE, path


LATER = (
    *("lite_delegate.npu.operators", "lite_delegate.npu.compiler", "lite_delegate.npu.blob", "lite_delegate.npu.cost"),
    *("lite_delegate.ir._generated.primitives", "lite_delegate_kernels.op_add_fusion", "flatbuffers", "tomllib"),
    "lite_delegate_kernels.quantized",
)


def test_what_importing_the_delegate_leaves_for_later():
    code = f"import sys, lite_delegate.npu; print([name for name in {LATER!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"
