"""``examples/ci_gate``: the commands of the workflow pass, and fail where kernels move to the CPU."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lite_delegate.demo import digits

FOLDER = Path(__file__).parents[2] / "examples" / "ci_gate"
WORKFLOW = (FOLDER / "model-gate.yml").read_text(encoding="utf-8")
README = (FOLDER / "README.md").read_text(encoding="utf-8")
GATES = re.findall(r"^ +- run: lite-delegate (.+)$", WORKFLOW, re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(Path(str(digits.__file__)).parent / "digits.ms", tmp_path / "model.ms")
    (writing,) = re.findall(r"^lite-delegate (.* -o report\.json)$", README, re.MULTILINE)
    assert run(tmp_path, writing).returncode == 0
    return tmp_path


def run(folder: Path, words: str, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lite_delegate", *shlex.split(words), *more]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_gates_pass_and_fail_where_kernels_are_lost(folder: Path) -> None:
    assert len(GATES) == 2
    for gate in GATES:
        assert run(folder, gate).returncode == 0
        lost = run(folder, gate, "--deny-type", "AvgPoolFusion")
        assert lost.returncode == 1
        assert "requirement not met" in lost.stderr
        assert "head/pool" in lost.stderr


def test_the_readme_has_the_commands_of_the_workflow() -> None:
    assert [gate for gate in GATES if f"lite-delegate {gate}\n" not in README] == []
