"""Places in a device's queue that are taken before anybody computes: by hand, on engines of which one transfers."""

from __future__ import annotations

import gc
from weakref import ref

import pytest

from lite_delegate.npu.queue import DeviceQueue, Reservation, RunTimes, reserve
from tests.npu.queue.test_clock import run_of


class Graph:
    """A graph kernel that notes what is told of its parts."""

    name = "graph"

    def __init__(self) -> None:
        self.told: list[tuple[int, float, float]] = []

    def log_run(self, number: int, times: RunTimes) -> None:
        self.told.append((number, times.enqueued, times.end))


def reserved(queue: DeviceQueue, parts: int = 1, owner: Graph | None = None) -> Reservation:
    """Parts of 3 up, 10 computing, 2 down; each is computed by its number."""
    graph = Graph() if owner is None else owner
    return reserve(queue, [(graph, number, number, run_of(3, 10, 2)) for number in range(parts)], 0.0)


def compute(place: Reservation, *numbers: int) -> None:
    for number in numbers:
        part = place.part(number)
        assert part is not None
        with part:
            pass


def spans(place: Reservation) -> list[tuple[float, float]]:
    return [(run.enqueued_us, run.end_us) for run in place.runs()]


def test_workers_do_not_move_the_present() -> None:
    queue = DeviceQueue()
    places = [reserved(queue) for _ in range(3)]
    for place in reversed(places):
        compute(place, 0)
    assert queue.now_us == 0.0
    assert [spans(place) for place in places] == [[(0, 15)], [(0, 25)], [(0, 35)]]
    assert [place.settle() for place in places] == [15, 25, 35]
    assert queue.now_us == 35.0


def test_parts_follow_each_other_and_others_come_between() -> None:
    """Two runs of two parts: the tiles compute 3-13 and 13-23 the first parts; transfers of one engine between."""
    queue, graph = DeviceQueue(), Graph()
    first, second = reserved(queue, 2, graph), reserved(queue, 2)
    for place in (first, second):
        compute(place, 0, 1)
    first.settle()
    second.settle()
    assert spans(first) == [(0, 15), (15, 35)]
    assert spans(second) == [(0, 25), (25, 45)]
    assert graph.told == [(0, 0, 15), (1, 15, 35)]


def test_parts_that_did_not_run_leave_nothing_behind() -> None:
    queue = DeviceQueue()
    failed, behind = reserved(queue, 3), reserved(queue)
    compute(failed, 0)
    with pytest.raises(ZeroDivisionError), failed.part(1):  # type: ignore[union-attr]
        raise ZeroDivisionError
    compute(behind, 0)
    assert failed.settle() == 15.0
    assert spans(failed) == [(0, 15)]
    assert behind.settle() == 25.0


def test_a_part_that_failed_before_one_that_ran_keeps_its_time() -> None:
    queue = DeviceQueue()
    place = reserved(queue, 2)
    compute(place, 1)
    assert place.settle() == 30.0
    assert [run.was_cancelled for run in place.runs()] == [True, False]


def test_a_place_that_is_withdrawn_is_free() -> None:
    queue = DeviceQueue()
    places = [reserved(queue) for _ in range(3)]
    places[1].withdraw()
    compute(places[1], 0)  # a worker that has not looked yet
    for number in (0, 2):
        compute(places[number], 0)
        places[number].settle()
    assert (spans(places[0]), spans(places[2])) == ([(0, 15)], [(0, 25)])
    assert queue.now_us == 25.0


def test_time_passes_for_a_run_that_the_host_has_not_computed() -> None:
    queue = DeviceQueue()
    place = reserved(queue)
    place.finish()
    assert queue.now_us == 15.0
    assert place.settle() == 0.0
    assert [run.was_cancelled for run in place.runs()] == [True]


@pytest.mark.parametrize(("has_run", "now"), [(True, 30.0), (False, 15.0)])
def test_what_nobody_waits_for_is_settled_when_it_is_gone(has_run: bool, now: float) -> None:
    queue, graph = DeviceQueue(), Graph()
    place, kernel = reserved(queue, 1, graph), ref(graph)
    if has_run:
        compute(place, 0)
    del place, graph
    gc.collect()
    assert kernel() is None
    queue.submit(run_of(3, 10, 2)).done()
    assert queue.now_us == now


def test_what_is_foreseen_is_what_comes_and_changes_nothing() -> None:
    queue = DeviceQueue()
    first = queue.submit(run_of(3, 10, 2))
    assert first.times.end == 15.0
    second = queue.submit(run_of(3, 10, 2))
    assert (second.times.enqueued, second.times.end, queue.now_us) == (0.0, 25.0, 0.0)
    assert (first.done().end, second.done().end) == (15.0, 25.0)


def test_an_interrupt_leaves_places_that_end_with_the_clock_they_were_on() -> None:
    queue = DeviceQueue()
    place = reserved(queue)
    compute(place, 0)
    with pytest.raises(KeyboardInterrupt):
        queue.call(lambda clock: (_ for _ in ()).throw(KeyboardInterrupt))
    place.settle()
    assert queue.submit(run_of(3, 10, 2)).done().end == 15.0
