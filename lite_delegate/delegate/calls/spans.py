"""Spans: the kinds of work that a prediction spends its time on, told to a recorder.

A graph kernel reports its work by ``with span(SpanKind.PACK):`` around the statements that do it. While nobody records,
a span costs a look-up. A graph kernel must report its own thread's work only: spans of other threads run beside the
prediction and do not add up with it, so recorders leave them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from enum import StrEnum
from types import TracebackType
from typing import ParamSpec, Protocol, TypeVar

from ...errors import InputError
from ..kernel import Kernel

P = ParamSpec("P")
T = TypeVar("T")


class SpanKind(StrEnum):
    """Kinds of work. Graph kernels report the first four kinds, the runtime reports the others.

    1. PACK: inputs are brought into the device's layout and element type.
    2. ENQUEUE: the run is handed to the device: waiting for its turn, handing over buffers, starting the program.
    3. COMPUTE: the device computes, and the host waits for it.
    4. UNPACK: outputs are brought back into the host's layout and element type.
    5. CPU_KERNEL: a node of the model runs on its CPU kernel.
    6. GRAPH_KERNEL: a graph kernel runs, from the start of ``execute`` to its end.
    7. HOST: other work of the runtime, which the span's name tells.
    8. PREDICTION: one prediction as its caller sees it.
    """

    PACK = "pack"
    ENQUEUE = "enqueue"
    COMPUTE = "compute"
    UNPACK = "unpack"
    CPU_KERNEL = "CPU kernel"
    GRAPH_KERNEL = "graph kernel"
    HOST = "host"
    PREDICTION = "prediction"


class SpanRecorder(Protocol):
    """Whoever records spans. Calls come in pairs, and a span begins and ends inside the one that began before it."""

    def begin(self, kind: SpanKind, name: str, kernel: Kernel | None) -> None:
        """A span begins. ``name`` is the kernel's name, or the runtime's work; ``kernel`` is the kernel that runs."""

    def end(self) -> None:
        """The span that began last and has not ended ends."""


Listeners = tuple[SpanRecorder | None, SpanRecorder | None]
"""A recorder, and a clock."""
_LISTENERS: ContextVar[Listeners | None] = ContextVar("lite_delegate_span_listeners", default=None)
"""The recorder of this thread's spans, and the clock of the request that it runs; None without either, as a rule."""
RUNTIME_KINDS = (SpanKind.HOST, SpanKind.CPU_KERNEL, SpanKind.PREDICTION)
"""Kinds that no clock is told of."""
_KINDS = {str(kind): kind for kind in SpanKind}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_NOBODY: AbstractContextManager[None] = nullcontext()


@contextmanager
def recording(recorder: SpanRecorder) -> Iterator[None]:
    """Records the predictions that this thread makes inside the block; other threads' predictions are not seen."""
    token = _LISTENERS.set((recorder, current_clock()))
    try:
        yield
    finally:
        _LISTENERS.reset(token)


def start_clock(clock: SpanRecorder) -> SpanRecorder | None:
    """Tells a clock the graph kernels' work from here to the end of the caller's ``contextvars.Context``.

    The clock gets no step of the runtime.

    Returns:
        The recorder of this thread's predictions; None without one.
    """
    listeners = _LISTENERS.get()
    recorder = None if listeners is None else listeners[0]
    _LISTENERS.set((recorder, clock))
    return recorder


def current_recorder() -> SpanRecorder | None:
    """The recorder of this thread's predictions; None without one, as a rule."""
    listeners = _LISTENERS.get()
    return None if listeners is None else listeners[0]


def current_clock() -> SpanRecorder | None:
    """The clock of the request whose run this thread computes; None without one."""
    listeners = _LISTENERS.get()
    return None if listeners is None else listeners[1]


def current_listeners() -> Listeners | None:
    """The recorder of this thread's predictions, and the clock of the request whose run this thread computes."""
    return _LISTENERS.get()


def current_request() -> int:
    """The number of the request whose run this thread computes; 0 without one."""
    number: int = getattr(current_clock(), "request", 0)
    return number


def is_listened_to() -> bool:
    """True where somebody records this thread or a clock runs: then graph kernels are to be reported."""
    return _LISTENERS.get() is not None


def span(kind: SpanKind | str, name: str = "", kernel: Kernel | None = None) -> AbstractContextManager[None]:
    """Tells that the block does work of that kind.

    Blocks may contain each other: time counts for the innermost. A kind may be reported several times.

    Args:
        kind: a ``SpanKind`` or its value: "pack", "enqueue", "compute", "unpack".
        name: for traces; the kind's value when it is "".
        kernel: the kernel that runs, for the runtime's own spans.

    Raises:
        InputError: (a ValueError) the kind is unknown.
    """
    known = kind if type(kind) is SpanKind else _KINDS.get(kind)
    if known is None:
        raise InputError(f"span: expected one of {', '.join(_KINDS)}, got {kind!r}.")
    listeners = _LISTENERS.get()
    if listeners is None:
        return _NOBODY
    if listeners[1] is None or known in RUNTIME_KINDS:
        recorder = listeners[0]
        return _NOBODY if recorder is None else _Span(recorder, known, name or _NAMES[known], kernel)
    return _TimedSpan(listeners[0], listeners[1], known, name or _NAMES[known], kernel)


def told(kind: SpanKind, name: str, function: Callable[P, T], *arguments: P.args, **more: P.kwargs) -> T:
    """Calls a function of the runtime, inside of a span where a recorder watches this thread.

    Args:
        kind: one of ``RUNTIME_KINDS``, which clocks do not get.
        name: the name of the span.
        function: the function to call.
        arguments: its positional arguments.
        more: its keyword arguments.
    """
    listeners = _LISTENERS.get()
    if listeners is None or listeners[0] is None:
        return function(*arguments, **more)
    with _Span(listeners[0], kind, name, None):
        return function(*arguments, **more)


class _Span:
    """Begins and ends a span with a block."""

    __slots__ = ("_arguments", "_recorder")

    def __init__(self, recorder: SpanRecorder, kind: SpanKind, name: str, kernel: Kernel | None) -> None:
        self._recorder = recorder
        self._arguments = (kind, name, kernel)

    def __enter__(self) -> None:
        self._recorder.begin(*self._arguments)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._recorder.end()


class _TimedSpan:
    """A span for a clock, and for a recorder if the thread has one; the clock's stretch lies outside."""

    __slots__ = ("_arguments", "_clock", "_recorder")

    def __init__(
        self, recorder: SpanRecorder | None, clock: SpanRecorder, kind: SpanKind, name: str, kernel: Kernel | None
    ) -> None:
        self._recorder = recorder
        self._clock = clock
        self._arguments = (kind, name, kernel)

    def __enter__(self) -> None:
        self._clock.begin(*self._arguments)
        if self._recorder is not None:
            self._recorder.begin(*self._arguments)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._recorder is not None:
            self._recorder.end()
        self._clock.end()
