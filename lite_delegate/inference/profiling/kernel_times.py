"""KernelTimes: what each CPU kernel of one run takes, where PERF_COUNT of the CPU asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from threading import get_ident
from time import perf_counter_ns

from ...delegate import Kernel, LayerTime, SpanKind
from ...delegate.calls.spans import SpanRecorder


class CpuKernelTimes:
    """A ``SpanRecorder`` that adds up the time of CPU kernels, and passes all spans on.

    A kernel that runs several times, in a loop, counts each time. A loop itself includes the kernels of its body.

    Args:
        next_recorder: who records the thread besides; None: nobody.
    """

    def __init__(self, next_recorder: SpanRecorder | None) -> None:
        self._next = next_recorder
        self._thread = get_ident()
        self._open: list[tuple[Kernel | None, int]] = []
        self._found: dict[Kernel, int] = {}

    def begin(self, kind: SpanKind, name: str, kernel: Kernel | None) -> None:
        """A span begins."""
        if self._next is not None:
            self._next.begin(kind, name, kernel)
        if get_ident() == self._thread:
            self._open.append((kernel if kind is SpanKind.CPU_KERNEL else None, perf_counter_ns()))

    def end(self) -> None:
        """The span that began last ends."""
        now = perf_counter_ns()
        if get_ident() == self._thread:
            kernel, start = self._open.pop()
            if kernel is not None:
                self._found[kernel] = self._found.get(kernel, 0) + now - start
        if self._next is not None:
            self._next.end()

    def add_layers(self, kernel: str, layers: Sequence[LayerTime]) -> None:
        """Layers of a graph kernel are for the next recorder."""
        add = getattr(self._next, "add_layers", None)
        if add is not None:
            add(kernel, layers)

    @property
    def layers(self) -> list[LayerTime]:
        """The kernels that ran, in the order in which they ended first; times in microseconds."""
        found = self._found.items()
        return [LayerTime(kernel.name, kernel.type, "", ns / 1000, None, was_run=True) for kernel, ns in found]
