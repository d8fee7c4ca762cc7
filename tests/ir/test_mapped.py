"""Memory of constants in mapped files."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
import pytest

from lite_delegate.flatbuffer.mapping import map_file
from lite_delegate.ir.mapped import FilePlace, drop_pages, file_place

PAGE = mmap.PAGESIZE
COUNT = 64


@pytest.fixture
def content(tmp_path: Path) -> memoryview:
    (tmp_path / "weights").write_bytes(bytes(range(1, COUNT + 1)) * PAGE)
    return map_file(tmp_path / "weights")


def resident() -> int:
    """Pages of the mapped file that are in this process's memory, as the system counts them."""
    lines = Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.endswith("/weights"))
    return int(next(line for line in lines[start:] if line.startswith("Rss:")).split()[1]) * 1024 // PAGE


needs_smaps = pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="pages are counted by /proc")


@needs_smaps
@pytest.mark.parametrize(
    ("start", "stop", "left"),
    [
        (0, COUNT * PAGE, 0),
        (1, COUNT * PAGE, 1),
        (0, COUNT * PAGE - 1, 1),
        (PAGE, 2 * PAGE, COUNT - 1),
        (PAGE + 1, 3 * PAGE - 1, COUNT),
    ],
)
def test_whole_pages_of_an_array_go_and_others_stay(content: memoryview, start: int, stop: int, left: int) -> None:
    assert sum(content) == sum(range(1, COUNT + 1)) * PAGE
    assert resident() == COUNT
    drop_pages(np.frombuffer(content[start:stop], np.uint8)[:].reshape(1, -1))
    assert resident() == left
    assert sum(content) == sum(range(1, COUNT + 1)) * PAGE


@needs_smaps
def test_an_array_that_is_not_in_one_piece_stays(content: memoryview) -> None:
    assert sum(content) > 0
    drop_pages(np.frombuffer(content, np.uint8)[::2])
    assert resident() == COUNT


def test_arrays_in_memory_stay() -> None:
    for array in (np.arange(PAGE), np.frombuffer(bytes(PAGE), np.uint8), np.asarray(memoryview(b""))):
        before = array.copy()
        drop_pages(array)
        np.testing.assert_array_equal(array, before)


def test_an_array_in_a_mapped_file_tells_where_it_lies(content: memoryview, tmp_path: Path) -> None:
    array = np.frombuffer(content, np.uint8)[8 : 8 + 4 * PAGE].view(np.float32).reshape(2, -1)
    assert file_place(array) == FilePlace(tmp_path / "weights", 8, 4 * PAGE)
    assert file_place(array[1]) == FilePlace(tmp_path / "weights", 8 + 2 * PAGE, 2 * PAGE)


@needs_smaps
def test_telling_where_it_lies_reads_nothing(content: memoryview) -> None:
    array = np.frombuffer(content, np.uint8)
    drop_pages(array)
    before = resident()
    assert file_place(array[PAGE:]) is not None
    assert resident() == before


def test_arrays_that_are_elsewhere_or_in_pieces_lie_in_no_file(content: memoryview) -> None:
    array = np.frombuffer(content, np.uint8)
    assert file_place(array[::2]) is None
    assert file_place(array.copy()) is None
