"""``examples/application``: readings of pictures, twice with one cache."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="pillow is not installed")

FOLDER = Path(__file__).parents[2] / "examples" / "application"
COUNT = 30


def python(folder: Path, *words: str) -> str:
    done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("device", ["CPU", "HETERO:NPU,CPU"])
def test_sure_readings_are_right(tmp_path: Path, device: str) -> None:
    python(tmp_path, str(FOLDER / "pictures.py"), "pictures", "--count", str(COUNT))
    command = [str(FOLDER / "read_meters.py"), "pictures", "--device", device, "--cache", "cache"]
    first, second = python(tmp_path, *command), python(tmp_path, *command)
    assert first == second
    counts = re.search(r"^(\d+) pictures, (\d+) sure readings, (\d+) of them right$", first, re.MULTILINE)
    assert counts is not None
    pictures, sure, right = map(int, counts.groups())
    assert pictures == COUNT
    assert sure >= COUNT // 2
    assert right >= 0.9 * sure  # the model gets 98 % of single digits right
    assert first.count("look at ") == COUNT - sure
    assert list((tmp_path / "cache").rglob("*"))
