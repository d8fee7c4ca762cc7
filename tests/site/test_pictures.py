"""Pictures of the documents: small, all of the tool that makes them, each on a page, nothing in them from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("rich", reason="rich is not installed; `make site` installs it")
pytest.importorskip("PIL", reason="pillow is not installed")

from tools.pictures import FOLDER, PICTURES

ROOT = Path(__file__).parents[2]
MOST, MOST_OF_ALL = 100_000, 1_500_000
"""Bytes of a picture and of all."""


def test_pictures_are_those_of_the_tool() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {picture.file.name for picture in PICTURES}


def test_pictures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert {name: size for name, size in sizes.items() if size > MOST} == {}
    assert sum(sizes.values()) < MOST_OF_ALL


def test_each_picture_is_on_a_page() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {
        name for page in pages for name in re.findall(r"!\[[^]]+\]\([\w./]*?(\w+\.\w+)\)", page.read_text("utf-8"))
    }
    assert shown == {path.name for path in FOLDER.iterdir()}


def test_drawings_load_nothing_and_name_no_folder_of_a_machine() -> None:
    for path in FOLDER.glob("*.svg"):
        drawing = path.read_text(encoding="utf-8")
        assert re.findall(r"url\((?!#)[^)]*\)|href=[^ >]*|@import", drawing) == [], path.name
        assert re.findall(r"/(?:home|root|tmp|Users)/", drawing) == [], path.name
        assert str(ROOT) not in drawing, path.name
