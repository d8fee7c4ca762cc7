"""The search for the rows that end their workers, against a worker that is played here."""

from __future__ import annotations

import random

import pytest

from lite_delegate.batch.driver.suspect_chunk import SuspectChunk
from lite_delegate.batch.sources.chunk import Chunk
from lite_delegate.batch.worker.job_order import Task
from lite_delegate.errors import InputError


def searched(rows: int, killers: set[int], most: int = 10_000) -> tuple[dict[int, str], int]:
    """The excluded rows of the task that is done in the end, and the number of workers that ended."""
    chunk = Chunk(0, rows, "a", 0, None)
    suspect, task, deaths = SuspectChunk(chunk), Task(chunk), 0
    for _ in range(most):
        start, stop = task.probed or (0, rows)
        if killers & ({*range(start, stop)} - dict(task.excluded).keys()):
            deaths += 1
            task = suspect.died(task, "died")
        elif task.probed is None:
            return dict(task.excluded), deaths
        else:
            task = suspect.survived()
    raise AssertionError("no end")


@pytest.mark.parametrize("rows", [1, 2, 7, 64, 1000])
def test_a_row_that_ends_its_worker_is_the_only_one_excluded(rows: int) -> None:
    for killer in {0, rows // 2, rows - 1}:
        excluded, deaths = searched(rows, {killer})
        assert excluded == {killer: "died"}
        assert deaths <= 4 + rows.bit_length()


def test_several_rows_are_found_in_one_search() -> None:
    killers = set(random.Random(0).sample(range(500), 5))
    assert set(searched(500, killers)[0]) == killers


def test_many_rows_end_the_search_and_neighbours_are_excluded_without_proof() -> None:
    excluded, deaths = searched(4096, set(range(0, 4096, 2)))
    assert {*range(0, 4096, 2)} <= set(excluded)
    assert any("near this one" in reason for reason in excluded.values())
    assert deaths < 300


def test_a_chunk_that_ends_workers_by_itself_ends_the_job() -> None:
    suspect = SuspectChunk(Chunk(0, 8, "a", 0, None))
    with pytest.raises(InputError, match="rows 0 to 7 of 'a' cannot be read or written: died, although it ran no row"):
        always_dying(suspect)


def always_dying(suspect: SuspectChunk) -> None:
    task = Task(Chunk(0, 8, "a", 0, None))
    for _ in range(100):
        task = suspect.died(task, "died")


def test_a_chunk_whose_halves_do_no_harm_becomes_errors_after_some_tries() -> None:
    chunk = Chunk(0, 8, "a", 0, None)
    suspect, task = SuspectChunk(chunk), Task(chunk)
    for _ in range(100):
        if task.probed is None and len(task.excluded) == 8:
            break
        task = suspect.died(task, "died") if task.probed is None else suspect.survived()
    assert dict(task.excluded) == dict.fromkeys(range(8), "died with the whole chunk, but with no row alone")
