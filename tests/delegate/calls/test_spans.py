from __future__ import annotations

from contextvars import copy_context
from threading import Thread

import pytest

from lite_delegate import InputError, Kernel
from lite_delegate.delegate import SpanKind, current_recorder, recording, span
from lite_delegate.delegate.calls.spans import current_listeners, start_clock


class Log:
    """A recorder that writes down what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def begin(self, kind: SpanKind, name: str, kernel: Kernel | None) -> None:
        self.lines.append(f"begin {kind.name} {name}")

    def end(self) -> None:
        self.lines.append("end")


def test_nobody_records_unless_asked() -> None:
    assert current_recorder() is None
    with span("pack") as nothing:
        assert nothing is None


def test_spans_are_told_in_order_and_by_kind_or_word() -> None:
    log = Log()
    with recording(log), span(SpanKind.COMPUTE, "all"):
        with span("pack"):
            assert current_recorder() is log
        with span("unpack", "last"):
            assert log.lines[-1] == "begin UNPACK last"
    assert log.lines == ["begin COMPUTE all", "begin PACK pack", "end", "begin UNPACK last", "end", "end"]


def test_a_failure_ends_the_span() -> None:
    log = Log()
    with recording(log), pytest.raises(KeyError), span("enqueue"):
        raise KeyError
    assert log.lines == ["begin ENQUEUE enqueue", "end"]


@pytest.mark.parametrize("is_recording", [True, False])
def test_an_unknown_kind_is_rejected_whether_somebody_records_or_not(is_recording: bool) -> None:
    with recording(Log()):
        if is_recording:
            with pytest.raises(InputError, match=r"expected one of pack, enqueue, .*, got 'packing'"):
                span("packing")
    if not is_recording:
        with pytest.raises(ValueError, match="got 'packing'"):
            span("packing")


def test_the_inner_recorder_takes_over_and_gives_back() -> None:
    outer, inner = Log(), Log()
    with recording(outer):
        with recording(inner), span("pack"):
            assert outer.lines == []
        with span("unpack"):
            assert inner.lines == ["begin PACK pack", "end"]
    assert outer.lines == ["begin UNPACK unpack", "end"]
    assert current_recorder() is None


def test_other_threads_are_not_recorded() -> None:
    seen: list[object] = ["not run"]
    with recording(Log()):
        thread = Thread(target=lambda: seen.append(current_recorder()))
        thread.start()
        thread.join()
    assert seen == ["not run", None]


def test_a_thread_is_listened_to_by_its_recorder_and_the_clock_of_its_request() -> None:
    clock, recorder = Log(), Log()

    def found() -> object:
        start_clock(clock)
        return current_listeners()

    assert current_listeners() is None
    assert copy_context().run(found) == (None, clock)
    with recording(recorder):
        assert copy_context().run(found) == (recorder, clock)
