from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from threading import Thread

import pytest

from lite_delegate import LiteDelegateError
from lite_delegate.benchmark.recorder import ROOT, recorded
from lite_delegate.delegate import SpanKind, current_recorder, span
from tests.benchmark.fakes import FakeClock
from tests.present import present


def test_spans_have_the_times_of_the_clock_and_know_what_is_around_them() -> None:
    clock = FakeClock()

    def call() -> None:
        clock.work(1)
        with span("pack"):
            clock.work(20)
            with span("enqueue"):
                clock.work(300)
        clock.work(4_000)
        with span("unpack"):
            clock.work(50_000)

    recorder = recorded(call, clock)
    spans = recorder.spans()
    assert [(s.kind, s.parent, s.duration) for s in spans] == [
        (SpanKind.PREDICTION, ROOT, 54_321),
        (SpanKind.PACK, 0, 320),
        (SpanKind.ENQUEUE, 1, 300),
        (SpanKind.UNPACK, 0, 50_000),
    ]
    assert [s.start - spans[0].start for s in spans] == [0, 1, 21, 4_321]
    assert recorder.wall == 54_321
    assert len(recorder) == 4


def test_reading_the_clock_counts_as_recording() -> None:
    clock = FakeClock(tick=10)

    def call() -> None:
        with span("pack"):
            clock.work(100)

    whole, pack = recorded(call, clock).spans()
    assert pack.duration == 100 + 10
    assert pack.recording == 10 + 10
    assert whole.duration == 10 + pack.duration + pack.recording + 10


def test_a_failing_call_leaves_nobody_recording() -> None:
    with pytest.raises(ZeroDivisionError):
        recorded(lambda: 1 / 0)
    assert current_recorder() is None


def test_spans_of_other_threads_are_left_out_even_where_they_share_the_context() -> None:
    def call() -> None:
        with span("compute"):
            context = copy_context()

            def work() -> None:
                with span("pack"):
                    assert current_recorder() is not None

            thread = Thread(target=context.run, args=(work,))
            thread.start()
            thread.join()

    assert [s.kind for s in recorded(call).spans()] == [SpanKind.PREDICTION, SpanKind.COMPUTE]


def left_open() -> None:
    span("pack").__enter__()


def left_twice() -> None:
    with span("pack") as _, span("enqueue") as _:
        present(current_recorder()).end()


@pytest.mark.parametrize("call", [left_open, left_twice])
def test_spans_that_do_not_pair_are_rejected(call: Callable[[], None]) -> None:
    """No times could be told from them."""
    with pytest.raises(LiteDelegateError, match="do not pair"):
        recorded(call).spans()
