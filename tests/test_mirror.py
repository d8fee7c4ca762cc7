"""Tests mirror the sources: each room of the middle has its tests in the folder of the same path, or in a file that has
the name of the room or of one of its modules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "lite_delegate"
MIDDLE = ("backends", "delegate", "devices", "inference", "mindspore", "runtime")


def rooms() -> Iterator[Path]:
    """The folders of the middle with modules beside ``__init__``, relative to the package."""
    for folder in (PACKAGE / name for name in MIDDLE):
        for each in (folder, *folder.rglob("*/")):
            if any(path.stem != "__init__" for path in each.glob("*.py")):
                yield each.relative_to(PACKAGE)


def found_for(room: Path) -> Iterator[Path]:
    """The test files of a room: in its folder, or under its names in the tests of the rooms around it."""
    yield from (TESTS / room).glob("test_*.py")
    names = {room.name, *(path.stem for path in (PACKAGE / room).glob("*.py") if path.stem != "__init__")}
    for path in (TESTS / room.parts[0]).rglob("test_*.py"):
        if path.stem.removeprefix("test_") in names:
            yield path


@pytest.mark.parametrize("room", list(rooms()), ids=str)
def test_each_room_has_tests_that_one_finds_by_its_name(room: Path) -> None:
    assert list(found_for(room))
