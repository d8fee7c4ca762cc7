"""The queue in front of the device."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from threading import Barrier, Thread
from time import monotonic, sleep

import pytest

from lite_delegate.npu.device.turns import Turns
from lite_delegate.npu.ir.target import Priority, Target
from lite_delegate.npu.profiles import load_profile

HALF, WHOLE = Fraction(1, 2), Fraction(1)
LONG = 10.0


def until(condition) -> None:
    end = monotonic() + LONG
    while not condition():
        assert monotonic() < end
        sleep(0.001)


def started(turns: Turns, order: list[str], jobs) -> list[Thread]:
    """Threads that wait one behind the other, each in its turn noting its name."""
    threads = []
    for name, share, priority in jobs:

        def work(name=name, share=share, priority=priority):
            with turns.turn(share, priority):
                order.append(name)

        threads.append(Thread(target=work))
        threads[-1].start()
        wanted = len(threads)
        until(lambda wanted=wanted: turns.waiting == wanted)
    return threads


def test_programs_that_fit_run_side_by_side():
    turns, both = Turns(), Barrier(2)

    def work():
        with turns.turn(HALF):
            both.wait(LONG)  # broken unless the other is inside, too

    threads = [Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not both.broken


def test_programs_that_do_not_fit_run_one_after_the_other():
    turns, inside, most = Turns(), [], []

    def work():
        with turns.turn(Fraction(2, 3)):
            inside.append(1)
            most.append(len(inside))
            sleep(0.002)
            inside.pop()

    threads = [Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 5


def test_the_higher_priority_goes_first_and_then_who_came_first():
    turns = Turns()
    order: list[str] = []
    with turns.turn(WHOLE):
        jobs = [("low", WHOLE, Priority.LOW), ("first", WHOLE, Priority.MEDIUM), ("second", WHOLE, Priority.MEDIUM)]
        threads = started(turns, order, [*jobs, ("high", WHOLE, Priority.HIGH)])
    for thread in threads:
        thread.join()
    assert order == ["high", "first", "second", "low"]
    assert turns.waiting == 0


def test_nobody_overtakes_the_first_in_line():
    turns = Turns()
    order: list[str] = []
    with turns.turn(HALF):
        threads = started(turns, order, [("wide", WHOLE, Priority.MEDIUM), ("narrow", HALF, Priority.MEDIUM)])
        sleep(0.02)
        assert order == []
    for thread in threads:
        thread.join()
    assert order == ["wide", "narrow"]


def test_a_turn_ends_when_the_program_fails():
    turns = Turns()
    with pytest.raises(ValueError, match="lost"), turns.turn(WHOLE):
        raise ValueError("lost")
    with turns.turn(WHOLE):
        pass


def test_whoever_is_interrupted_while_waiting_leaves_the_line(monkeypatch):
    turns = Turns()

    def interrupt(condition):
        raise KeyboardInterrupt

    with turns.turn(WHOLE):
        monkeypatch.setattr(turns._changed, "wait_for", interrupt)
        with pytest.raises(KeyboardInterrupt), turns.turn(WHOLE):
            raise AssertionError("must not get here")
        monkeypatch.undo()
        assert turns.waiting == 0
    with turns.turn(WHOLE):
        pass


def test_the_share_is_the_tiles_unless_a_program_wants_the_device_for_itself():
    target = Target(load_profile("npu4000"), tiles=2)
    assert target.share == Fraction(1, 3)
    assert replace(target, exclusive=True).share == 1
