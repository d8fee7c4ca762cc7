"""CpuKernelTimes: the time of each CPU kernel in one run, with PERF_COUNT of the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from threading import get_ident
from time import perf_counter_ns

from ...delegate import Kernel, LayerTime, SpanKind
from ...delegate.calls.spans import SpanRecorder


class CpuKernelTimes:
    """A ``SpanRecorder`` that adds up the times of CPU kernels, and passes all spans to the next recorder.

    A kernel in a loop counts each of its runs. The time of a loop includes the kernels of its body.

    Args:
        next_recorder: the other recorder of the thread; None: no other recorder.
    """

    def __init__(self, next_recorder: SpanRecorder | None) -> None:
        self._next = next_recorder
        self._thread = get_ident()
        self._open: list[tuple[Kernel | None, int]] = []
        self._found: dict[Kernel, int] = {}

    def begin(self, kind: SpanKind, name: str, kernel: Kernel | None) -> None:
        """Begins a span."""
        if self._next is not None:
            self._next.begin(kind, name, kernel)
        if get_ident() == self._thread:
            self._open.append((kernel if kind is SpanKind.CPU_KERNEL else None, perf_counter_ns()))

    def end(self) -> None:
        """Ends the innermost span."""
        now = perf_counter_ns()
        if get_ident() == self._thread:
            kernel, start = self._open.pop()
            if kernel is not None:
                self._found[kernel] = self._found.get(kernel, 0) + now - start
        if self._next is not None:
            self._next.end()

    def add_layers(self, kernel: str, layers: Sequence[LayerTime]) -> None:
        """Passes the layers of a graph kernel to the next recorder."""
        add = getattr(self._next, "add_layers", None)
        if add is not None:
            add(kernel, layers)

    @property
    def layers(self) -> list[LayerTime]:
        """The kernels that ran, in the order of their first ends; times in microseconds."""
        found = self._found.items()
        return [LayerTime(kernel.name, kernel.type, "", ns / 1000, None, was_run=True) for kernel, ns in found]
