"""What the tests of benchmarks share: a clock that a test moves, and spans made by hand."""

from __future__ import annotations

from lite_delegate import Kernel
from lite_delegate.benchmark.recorder import ROOT, Span
from lite_delegate.delegate import SpanKind


class FakeClock:
    """Gives the time that the test set; each reading takes ``tick`` nanoseconds."""

    def __init__(self, tick: int = 0) -> None:
        self.now = 1_000
        self.tick = tick

    def __call__(self) -> int:
        self.now += self.tick
        return self.now

    def work(self, nanoseconds: int) -> None:
        self.now += nanoseconds


def root(start: int, end: int) -> Span:
    return Span(SpanKind.PREDICTION, "predict", None, ROOT, start, end)


def inner(
    kind: SpanKind,
    start: int,
    end: int,
    parent: int = 0,
    name: str = "",
    kernel: Kernel | None = None,
    recording: int = 0,
) -> Span:
    return Span(kind, name or kind.value, kernel, parent, start, end, recording)
