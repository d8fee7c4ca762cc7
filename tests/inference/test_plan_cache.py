"""PlanCache: which plans are kept, which go, and who plans."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event

import pytest

from lite_delegate.inference.shapes.plan_cache import MOST_PLANS, PlanCache


@dataclass(eq=False)
class Plan:
    name: str
    is_closed: bool = False
    has_lost_device: bool = False


def filled(count: int, pinned: int | None = None) -> tuple[PlanCache[int, Plan], list[str]]:
    gone: list[str] = []
    cache: PlanCache[int, Plan] = PlanCache(pinned=pinned, evicted=lambda plan: gone.append(plan.name))
    for key in range(count):
        cache.keep(key, Plan(str(key)))
    return cache, gone


def keys(cache: PlanCache[int, Plan]) -> list[int]:
    return [key for key, _ in cache.items()]


def test_the_plan_goes_that_was_not_used_for_the_longest_time() -> None:
    cache, gone = filled(MOST_PLANS)
    assert cache.find(0) is not None
    cache.keep(100, Plan("100"))
    assert (gone, len(cache)) == (["1"], MOST_PLANS)
    assert keys(cache)[-2:] == [0, 100]


def test_a_pinned_plan_makes_no_room() -> None:
    cache, gone = filled(MOST_PLANS + 3, pinned=0)
    assert gone == ["1", "2", "3"]
    assert keys(cache)[0] == 0


def test_the_plan_in_whose_place_another_one_comes_goes_alone() -> None:
    cache, gone = filled(MOST_PLANS)
    cache.keep(3, Plan("again"))
    assert (gone, len(cache)) == (["3"], MOST_PLANS)
    cache.keep(3, cache.values()[-1])
    assert gone == ["3"]


def test_closed_plans_make_room_first() -> None:
    cache, gone = filled(MOST_PLANS)
    cache.values()[5].is_closed = True
    cache.keep(100, Plan("100"))
    assert gone == []
    assert 5 not in keys(cache)


@pytest.mark.parametrize("reason", ["is_closed", "has_lost_device"])
def test_a_plan_that_cannot_be_used_is_made_anew(reason: str) -> None:
    cache, _ = filled(2)
    setattr(cache.values()[0], reason, True)
    assert cache.find(0) is None
    assert cache.found_or_made(0, lambda: Plan("new")).name == "new"


def test_a_plan_that_does_not_fit_its_next_user_is_made_anew_and_not_used() -> None:
    cache, _ = filled(2)
    assert cache.found_or_made(0, lambda: Plan("new"), lambda plan: plan.name == "1").name == "new"
    assert keys(cache) == [0, 1]


def test_a_plan_that_cannot_be_made_changes_nothing() -> None:
    cache, gone = filled(MOST_PLANS)

    def make() -> Plan:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), cache.planning():
        cache.keep(100, cache.found_or_made(100, make))
    with cache.planning():  # free again
        assert (gone, keys(cache)) == ([], list(range(MOST_PLANS)))


def test_one_thread_plans_at_a_time() -> None:
    cache, _ = filled(0)
    begun, goes_on = Event(), Event()

    def slow() -> Plan:
        begun.set()
        goes_on.wait(10)
        return Plan("slow")

    def plan(make) -> Plan:
        with cache.planning():
            found = cache.found_or_made(0, make)
            cache.keep(0, found)
            return found

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(plan, slow)
        assert begun.wait(10)
        second = threads.submit(plan, lambda: Plan("second"))
        assert cache.find(0) is None  # whoever looks does not wait
        goes_on.set()
        assert first.result(10) is second.result(10)
