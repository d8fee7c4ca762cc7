"""``examples/batch`` as its README says, on fewer rows: trained models of packages, which are downloaded once."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("captcha", reason="captcha is not installed")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "batch"
SECONDS = 180


def commands(heading: str) -> list[list[str]]:
    """The commands of the first block behind a heading of the README."""
    text = (FOLDER / "README.md").read_text()
    (block,) = re.findall(rf"^## {heading}\n.*?```sh\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    lines = block.replace("\\\n", " ").strip().splitlines()
    return [shlex.split(line) for line in lines]


def played(heading: str, folder: Path, count: int) -> str:
    """What the commands print, with another number of rows."""
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    said = ""
    for words in commands(heading):
        words = [str(count) if before == "--count" else word for before, word in zip(["", *words], words, strict=False)]
        program = (
            [sys.executable, *words[1:]]
            if words[0] == "python"
            else [sys.executable, "-m", "lite_delegate", *words[1:]]
        )
        try:
            done = subprocess.run(program, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            if "--count" in words:
                pytest.skip("the model's package was not downloaded in time")
            raise
        if done.returncode and "pip" in done.stderr and "--count" in words:
            pytest.skip(f"pip cannot download the model's package: {done.stderr.strip().splitlines()[-1]}")
        assert done.returncode == 0, done.stderr
        said += done.stdout
    return said


def test_texts_are_read_in_images(tmp_path: Path) -> None:
    said = played("Texts in images", tmp_path, 12)
    right = re.search(r"^(\d+) of 12 texts are right$", said, re.MULTILINE)
    assert right is not None
    assert int(right[1]) >= 6


def test_speech_is_found_in_sounds(tmp_path: Path) -> None:
    from pyarrow import parquet

    played("Speech in sounds", tmp_path, 10)
    rows = parquet.read_table(tmp_path / "speech").to_pylist()
    assert [row["error"] for row in rows] == [None] * 10
    assert all((row["seconds_found"] > 0) == bool(row["letters"]) for row in rows)
    assert all(row["seconds_found"] <= row["seconds_spoken"] + 0.2 for row in rows)
