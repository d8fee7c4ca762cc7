"""What plans share is given back once; delegates are closed once; predictions that are under way end first."""

from __future__ import annotations

import gc
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate import Delegate, DelegateBuildError, DelegateUnavailable
from lite_delegate.errors import LiteDelegateError, ModelClosed
from lite_delegate.runtime.lifetimes.lease import Lease
from lite_delegate.runtime.lifetimes.session import open_session
from lite_delegate.runtime.lifetimes.shared import Shared


def counted() -> tuple[Shared, list[int]]:
    calls: list[int] = []
    return Shared(lambda: calls.append(1), "it"), calls


@given(st.lists(st.booleans(), max_size=12))
def test_the_last_one_gives_it_back(sharing: list[bool]) -> None:
    shared, calls = counted()
    users = 1
    for more in sharing:
        if users == 0:
            break
        users += 1 if more else -1
        shared.share() if more else shared.let_go()
        assert len(calls) == (users == 0)
    for _ in range(users):
        assert calls == []
        shared.let_go()
    assert calls == [1]
    with pytest.raises(LiteDelegateError, match="it was given back already"):
        shared.share()


def test_an_error_while_giving_back_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    shared = Shared(lambda: 1 / 0, "graph kernel 'G'")
    with caplog.at_level(logging.WARNING, "lite_delegate"):
        shared.let_go()
    assert caplog.messages == ["graph kernel 'G' could not be given back: ZeroDivisionError: division by zero"]


def test_many_threads_give_it_back_once() -> None:
    shared, calls = counted()
    for _ in range(63):
        shared.share()
    threads = [Thread(target=shared.let_go) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == [1]


def test_a_lease_gives_back_when_it_is_closed_and_only_once() -> None:
    (first, one), (second, two) = counted(), counted()
    lease = Lease([first, second])
    assert not lease.is_closed
    for _ in range(2):
        lease.close()
    assert (lease.is_closed, one, two) == (True, [1], [1])
    with pytest.raises(ModelClosed, match="has been closed"):
        lease.enter()
    del lease
    gc.collect()
    assert one == [1]


def test_a_lease_gives_back_when_nobody_has_it() -> None:
    shared, calls = counted()
    lease = Lease([shared])
    begun = lease.enter()
    del begun
    lease.leave()
    assert calls == []
    del lease
    gc.collect()
    assert calls == [1]


def test_predictions_under_way_end_first() -> None:
    shared, calls = counted()
    lease = Lease([shared])
    one, two = lease.enter(), lease.enter()
    lease.close("gone.")
    lease.close("elsewhere.")
    with pytest.raises(ModelClosed, match=r"gone\."):
        lease.enter()
    del one
    lease.leave()
    assert calls == []
    del two
    lease.leave()
    assert calls == [1]


def test_a_suspended_lease_lets_predictions_wait() -> None:
    shared, _ = counted()
    lease, entered = Lease([shared]), Event()

    def predict() -> None:
        begun = lease.enter()
        entered.set()
        del begun
        lease.leave()

    assert lease.suspend()
    assert not lease.suspend()
    thread = Thread(target=predict)
    thread.start()
    assert not entered.wait(0.05)
    lease.resume()
    assert entered.wait(10)
    thread.join()
    begun = lease.enter()
    assert not lease.suspend()
    del begun
    lease.leave()
    lease.close()
    assert not lease.suspend()


def test_who_waits_for_a_suspended_lease_learns_that_it_was_closed() -> None:
    shared, calls = counted()
    lease = Lease([shared])
    errors: list[Exception] = []

    def predict() -> None:
        try:
            lease.enter()
        except ModelClosed as e:
            errors.append(e)

    assert lease.suspend()
    thread = Thread(target=predict)
    thread.start()
    lease.close()
    thread.join(10)
    assert (len(errors), calls) == (1, [1])


def test_nothing_is_given_back_while_anybody_predicts_however_closing_falls() -> None:
    """Predictions take no lock when they begin."""
    for _ in range(20):
        shared, calls = counted()
        lease, started, seen = Lease([shared]), Semaphore(0), list[bool]()

        def predict(
            lease: Lease = lease, calls: list[int] = calls, started: Semaphore = started, seen: list[bool] = seen
        ) -> None:
            while True:
                try:
                    begun = lease.enter()
                except ModelClosed:
                    return
                seen += [bool(calls), lease.suspend(), bool(calls)]
                del begun
                lease.leave()
                started.release()

        with ThreadPoolExecutor(3) as pool:
            runs = [pool.submit(predict) for _ in range(3)]
            for _ in range(20):
                assert started.acquire(timeout=30)
            lease.close()
            for run in runs:
                run.result(30)
        assert calls == [1]
        assert not any(seen)


class Predicting:
    """An object that says whether it predicts."""

    is_under_way = False

    def after_fork(self) -> None:
        self.is_under_way = False


def test_predictions_of_a_watched_object_end_first() -> None:
    shared, calls = counted()
    lease, user, idle = Lease([shared]), Predicting(), Predicting()
    lease.watch(user)
    lease.watch(idle)
    assert not lease.gate.is_shut
    user.is_under_way = True
    assert not lease.suspend()
    lease.close()
    assert lease.gate.is_shut
    assert calls == []
    user.is_under_way = False
    lease.leave()
    assert calls == [1]


def test_a_suspended_lease_shuts_its_gate_until_it_goes_on() -> None:
    shared, _ = counted()
    lease = Lease([shared])
    lease.watch(Predicting())
    assert lease.suspend()
    assert lease.gate.is_shut
    lease.resume()
    assert not lease.gate.is_shut
    assert lease.suspend()
    lease.close()
    lease.resume()
    assert lease.gate.is_shut


def test_predictions_of_a_parent_process_are_not_under_way_in_its_children() -> None:
    shared, calls = counted()
    lease, user = Lease([shared]), Predicting()
    user.is_under_way = True
    lease.watch(user)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        lease.close()
        os.write(write, bytes(calls))
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    assert (os.read(read, 8), calls) == (bytes([1]), [])
    os.close(read)


def test_a_watched_object_that_is_gone_keeps_nothing() -> None:
    shared, calls = counted()
    lease, user = Lease([shared]), Predicting()
    user.is_under_way = True
    lease.watch(user)
    lease.close()
    assert calls == []
    del user
    gc.collect()
    lease.leave()
    assert calls == [1]


class Counting(Delegate):
    """Notes what it is called for in a list that several share."""

    def __init__(self, name: str, calls: list[str], error: Exception | None = None) -> None:
        self.name, self.calls, self.error = name, calls, error

    def init(self) -> None:
        self.calls.append(f"{self.name} init")
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        self.calls.append(f"{self.name} close")


def test_a_session_closes_what_it_initialized_in_reverse() -> None:
    calls: list[str] = []
    delegates = [Counting("a", calls), Counting("b", calls, DelegateUnavailable("no")), Counting("c", calls)]
    session = open_session(delegates)
    assert list(session.absent) == ["b"]
    assert session.serves(delegates)
    assert not session.serves(delegates[:2])
    plans = [session.share(), session.share()]
    session.let_go()
    plans[0].let_go()
    assert calls == ["a init", "b init", "c init"]
    plans[1].let_go()
    assert calls[3:] == ["c close", "a close"]


def test_a_session_does_not_close_what_compiles_off_device() -> None:
    calls: list[str] = []
    delegates = [Counting("a", calls, DelegateUnavailable("no")), Counting("b", calls), Counting("c", calls)]
    delegates[0].compiles_off_device = delegates[1].compiles_off_device = True
    session = open_session(delegates)
    assert (list(session.absent), list(session.off_device)) == ([], ["a"])
    session.let_go()
    assert calls == ["a init", "b init", "c init", "c close", "b close"]


@pytest.mark.parametrize("error", [DelegateBuildError("broken"), ValueError("broken"), KeyboardInterrupt()])
def test_delegates_before_one_that_fails_are_closed(error: BaseException) -> None:
    calls: list[str] = []
    delegates = [Counting("a", calls), Counting("b", calls, error)]  # type: ignore[arg-type]
    kind = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else DelegateBuildError
    with pytest.raises(kind):
        open_session(delegates)
    assert calls == ["a init", "b init", "a close"]


def test_a_close_that_raises_is_logged_and_the_others_are_closed(caplog: pytest.LogCaptureFixture) -> None:
    class Stuck(Counting):
        def close(self) -> None:
            super().close()
            raise OSError("the driver hangs")

    calls: list[str] = []
    session = open_session([Counting("a", calls), Stuck("b", calls)])
    with caplog.at_level(logging.WARNING, "lite_delegate"):
        session.let_go()
    assert calls[2:] == ["b close", "a close"]
    assert caplog.messages == ["delegate 'b' could not be closed: OSError: the driver hangs"]
