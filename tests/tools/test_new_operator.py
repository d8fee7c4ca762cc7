"""What ``tools/new_operator.py`` writes runs and passes the tests of an operator."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from lite_delegate_kernels.all_kernels import OPERATORS

from lite_delegate.npu.operators.all_operators import ALL_OPERATORS
from lite_delegate.npu.profiles.operators import CUSTOM_OPERATORS
from tools.new_operator import ROOT, Unfit, add_row, file_name, keywords, scaffold

PARTS = ("lite_delegate", "kernels", "schemas", "tools", "docs", "tests", "pyproject.toml")
SPELLED_OTHERWISE = {"MatMulFusion", "PReLUFusion", "QuantDTypeCast"}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The repository's sources, to be changed."""
    for part in PARTS:
        source, target = ROOT / part, tmp_path / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    return tmp_path


def run(copy: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(str(copy / part) for part in ("", "kernels", "schemas"))
    environment = {**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "-p no:cacheprovider"}
    return subprocess.run(
        [sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )


def test_what_is_scaffolded_passes_its_tests(copy: Path) -> None:
    name, snake = "SmoothL1Loss", "smooth_l1_loss"  # of the schema, has attributes, is for training and so not there
    done = run(copy, "tools/new_operator.py", name, "--npu", "--onnx", "Smooth", "--tflite", "SMOOTH")
    assert done.returncode == 0, done.stderr
    assert f"op_{snake}.py" in done.stdout
    for folder in ("kernels/lite_delegate_kernels", "lite_delegate/npu/operators"):
        assert (copy / folder / f"op_{snake}.py").exists()
    checks = ["tests/kernels/test_conformance_cases.py", "tests/kernels/test_signatures.py", "tests/ir/test_traits.py"]
    checks += ["tests/conformance/test_operators_table.py", "-k", f"{name} or every or document or table"]
    tested = run(copy, "-m", "pytest", "-q", *checks)
    assert tested.returncode == 0, tested.stdout[-2000:]
    judged = run(copy, "-m", "lite_delegate", "conformance", "--op", name, "--delegate", "npu")
    assert judged.returncode == 0, judged.stdout[-2000:] + judged.stderr[-2000:]
    assert "11 passed, 0 wrong, 0 failed" in judged.stdout
    converters = (
        "from lite_delegate.formats.onnx.table import converter_of as a; from lite_delegate.formats.tflite.table"
    )
    listed = run(copy, "-c", f"{converters} import CONVERTERS as B; assert a('Smooth') and 'SMOOTH' in B")
    assert listed.returncode == 0, listed.stderr
    again = run(copy, "tools/new_operator.py", name)
    assert (again.returncode, "is there already" in again.stderr) == (2, True)


def test_a_name_that_the_schema_lacks_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(Unfit, match="no primitive 'Conv2D': did you mean"):
        scaffold(tmp_path, "Conv2D", npu=False, origins={})


def test_file_names_are_those_of_the_operators() -> None:
    """Those of the schema: the tool makes no operators of Custom nodes."""
    names = {o.op_type for o in ALL_OPERATORS if o.op_type not in CUSTOM_OPERATORS} - SPELLED_OTHERWISE
    assert {file_name(name) for name in names} <= set(OPERATORS)


def test_attributes_become_keywords_with_their_defaults() -> None:
    assert keywords({}) == ""
    given = {"axis": None, "keep": True, "k": 2, "mode": "SAME", "eps": 0.5}
    text = "axis: Sequence[int] | None = None, keep: bool = True, k: int = 2, mode: str = 'SAME', eps: float = 0.5"
    assert keywords(given) == f", *, {text}"


def test_a_row_goes_where_it_belongs(tmp_path: Path) -> None:
    table = tmp_path / "table.py"
    table.write_text('T = (\n    "abs",\n    "sin",\n)\n')
    for row in ('    "ceil",\n', '    "zero",\n', '    "a",\n'):
        add_row(table, row, r'    "\w+",\n')
    assert table.read_text() == 'T = (\n    "a",\n    "abs",\n    "ceil",\n    "sin",\n    "zero",\n)\n'
    with pytest.raises(Unfit, match="that row already"):
        add_row(table, '    "abs",\n', r'    "\w+",\n')
    with pytest.raises(Unfit, match="no table"):
        add_row(table, "    op_x,\n", r"    op_\w+,\n")
