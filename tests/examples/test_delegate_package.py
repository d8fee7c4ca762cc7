"""``examples/delegate_package``: installed into a folder, its device is listed, and its tests and commands pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lite_delegate.demo import digits

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "delegate_package"
MODEL = Path(str(digits.__file__)).parent / "digits.ms"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target), str(FOLDER)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    if done.returncode:
        pytest.skip(f"pip cannot build the package: {done.stderr.strip().splitlines()[-1]}")
    return target


def run(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, "-m", *words], env=environment, cwd=installed, capture_output=True, text=True, check=False
    )


def test_the_device_is_listed_by_its_entry_point(installed: Path) -> None:
    done = run(installed, "lite_delegate", "devices")
    assert done.returncode == 0, done.stderr
    assert "ACME" in done.stdout
    report = run(installed, "lite_delegate", "report", str(MODEL), "--delegate", "acme")
    assert "LayerNormFusion, Softmax" in report.stdout
    assert "delegate   acme" in report.stdout


def test_its_own_tests_pass(installed: Path) -> None:
    done = run(installed, "pytest", "-q", "-p", "no:cacheprovider", str(FOLDER / "tests"), "-rs")
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout


def test_its_workflow_has_the_commands_of_the_readme() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    workflow = (FOLDER / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    commands = [
        line.removeprefix("      - run: ") for line in workflow.splitlines() if line.startswith("      - run: ")
    ]
    assert len(commands) == 3
    assert [command for command in commands[1:] if command not in readme] == []
