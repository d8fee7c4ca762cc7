"""ThreadRecorder: the spans of one prediction, with their times."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Any

from ..basics.data_class import dataclass
from ..delegate import Kernel, LayerTime, SpanKind, recording
from ..errors import LiteDelegateError

Clock = Callable[[], int]
"""Gives nanoseconds since some start; never less than before."""
CLOCK: Clock = time.perf_counter_ns

ROOT = -1
"""Parent of the outermost span."""
UNPAIRED = (
    "The spans of this prediction do not pair: a graph kernel left one that it did not begin, or began one that it did "
    "not leave. Report them with 'with span(...):'."
)


@dataclass(frozen=True, slots=True)
class Span:
    """One span of a prediction.

    Attributes:
        kind: the activity that took the time.
        name: the kernel's, or what the runtime did.
        kernel: what ran, None for the runtime itself and for what happens inside a kernel.
        parent: position of the span around it among the spans of the prediction; ``ROOT`` for the outermost.
        start: nanoseconds of the clock.
        end: nanoseconds of the clock.
        recording: nanoseconds that the recorder took before the start and after the end, which are part of the span
            around it.
    """

    kind: SpanKind
    name: str
    kernel: Kernel | None
    parent: int
    start: int
    end: int
    recording: int = 0

    @property
    def duration(self) -> int:
        """Nanoseconds from start to end, including the spans inside it."""
        return self.end - self.start


class ThreadRecorder:
    """A ``SpanRecorder`` for the thread that makes it; spans of other threads are left out.

    The clock is read on entering and on leaving ``begin`` and ``end``, so that the time of recording itself is known
    and falls to no span.

    Attributes:
        layers: the measurements of backends, by graph kernel, run by run.
    """

    def __init__(self, clock: Clock = CLOCK) -> None:
        self._clock = clock
        self._thread = get_ident()
        self._records: list[list[Any]] = []
        self._open: list[int] = [ROOT]
        self.layers: list[tuple[str, Sequence[LayerTime]]] = []

    def begin(self, kind: SpanKind, name: str, kernel: Kernel | None) -> None:
        """Begins a span inside the innermost open span."""
        entered = self._clock()
        if get_ident() != self._thread:
            return
        record = [kind, name, kernel, self._open[-1], entered, 0, 0, 0]
        self._open.append(len(self._records))
        self._records.append(record)
        record[5] = self._clock()

    def end(self) -> None:
        """Ends the innermost open span.

        Raises:
            LiteDelegateError: no span is open.
        """
        now = self._clock()
        if get_ident() == self._thread:
            if len(self._open) == 1:
                raise LiteDelegateError(UNPAIRED)
            record = self._records[self._open.pop()]
            record[6] = now
            record[7] = self._clock()

    def add_layers(self, kernel: str, layers: Sequence[LayerTime]) -> None:
        """The layers of a graph kernel took so long in a run; see ``tell_layers``."""
        if get_ident() == self._thread:
            self.layers.append((kernel, layers))

    def __len__(self) -> int:
        """The number of spans that began."""
        return len(self._records)

    @property
    def wall(self) -> int:
        """Nanoseconds of the first span, which must have ended."""
        return int(self._records[0][6] - self._records[0][5])

    def spans(self) -> tuple[Span, ...]:
        """The spans in the order in which they began.

        Raises:
            LiteDelegateError: one has not ended.
        """
        if len(self._open) > 1:
            raise LiteDelegateError(UNPAIRED)
        return tuple(
            Span(kind, name, kernel, parent, start, end, start - entered + left - end)
            for kind, name, kernel, parent, entered, start, end, left in self._records
        )


def recorded(call: Callable[[], object], clock: Clock = CLOCK) -> ThreadRecorder:
    """Records one call of ``predict``: the first span is the call itself, all others lie inside it.

    Raises:
        LiteDelegateError: spans that do not pair; and what the call raises.
    """
    recorder = ThreadRecorder(clock)
    with recording(recorder):
        recorder.begin(SpanKind.PREDICTION, "predict", None)
        result = call()
        recorder.end()
    del result  # its memory is freed outside the measured time
    return recorder
