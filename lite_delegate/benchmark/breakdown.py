"""Breakdown: from the spans of a prediction to parts that add up to its wall time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from ..basics.data_class import dataclass
from ..delegate import SpanKind
from .recorder import ROOT, Span


class TimePart(StrEnum):
    """The parts of a prediction's time; each nanosecond belongs to exactly one."""

    PACK = "pack"
    ENQUEUE = "enqueue"
    COMPUTE = "compute"
    UNPACK = "unpack"
    CPU_KERNELS = "CPU kernels"
    HOST = "host overhead"
    RECORDING = "recording"
    UNEXPLAINED = "unexplained"

    @property
    def key(self) -> str:
        """The name of the part as a JSON key: ``"cpu_kernels"``."""
        return self.value.lower().replace(" ", "_")


_DEVICE = {
    SpanKind.PACK: TimePart.PACK,
    SpanKind.ENQUEUE: TimePart.ENQUEUE,
    SpanKind.COMPUTE: TimePart.COMPUTE,
    SpanKind.UNPACK: TimePart.UNPACK,
}
_KERNELS = (SpanKind.CPU_KERNEL, SpanKind.GRAPH_KERNEL)


@dataclass(frozen=True, slots=True)
class KernelCall:
    """One call of a CPU kernel or a graph kernel.

    Attributes:
        span: the span of the call.
        parts: nanoseconds by part; they add up to the span's.
    """

    span: Span
    parts: Counter[TimePart]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """One prediction.

    Attributes:
        wall: nanoseconds from the start to the end of the prediction.
        parts: nanoseconds by part; they add up to ``wall``.
        host: nanoseconds of the host overhead by activity of the runtime.
        calls: the calls of kernels, in order.
    """

    wall: int
    parts: Counter[TimePart]
    host: Counter[str]
    calls: tuple[KernelCall, ...]


def break_down(spans: Sequence[Span]) -> Breakdown:
    """The parts of a prediction.

    Time counts for the innermost span around it. What no span inside a graph kernel covers is computing where the
    graph kernel reports nothing at all, and unexplained where it reports something. What happens inside a CPU kernel
    counts for the CPU kernel, whatever is reported there; a model that a graph kernel predicts with computes.
    The recorder's own time is a part of its own.

    Args:
        spans: of one prediction, as a recorder gives them: parents first.
    """
    own = _own_times(spans)
    owners = _owners(spans)
    reporting = {span.parent for span in spans}
    parts: Counter[TimePart] = Counter()
    host: Counter[str] = Counter()
    calls = {i: KernelCall(span, Counter()) for i, span in enumerate(spans) if owners[i] == i}
    for i, span in enumerate(spans):
        owner = owners[i]
        part = _part(span, None if owner == ROOT else spans[owner], is_silent=i not in reporting)
        parts[part] += own[i]
        if part is TimePart.HOST:
            host[span.name] += own[i]
        if owner != ROOT:
            calls[owner].parts[part] += own[i]
        if span.parent != ROOT:
            parts[TimePart.RECORDING] += span.recording
        if owner not in (ROOT, i):
            calls[owner].parts[TimePart.RECORDING] += span.recording
    return Breakdown(spans[0].duration, parts, host, tuple(calls.values()))


def _own_times(spans: Sequence[Span]) -> list[int]:
    """Nanoseconds of each span without those of the spans inside it and of recording them."""
    own = [span.duration for span in spans]
    for span in spans:
        if span.parent != ROOT:
            own[span.parent] -= span.duration + span.recording
    return own


def _owners(spans: Sequence[Span]) -> list[int]:
    """For each span the outermost kernel around it, itself perhaps; ``ROOT`` outside of kernels."""
    owners: list[int] = []
    for i, span in enumerate(spans):
        around = ROOT if span.parent == ROOT else owners[span.parent]
        owners.append(i if around == ROOT and span.kind in _KERNELS else around)
    return owners


def _part(span: Span, owner: Span | None, *, is_silent: bool) -> TimePart:
    """The part that the own time of a span belongs to; a span that is silent has no spans inside."""
    if owner is None:
        return TimePart.UNEXPLAINED if span.kind is SpanKind.PREDICTION else _DEVICE.get(span.kind, TimePart.HOST)
    if owner.kind is SpanKind.CPU_KERNEL:
        return TimePart.CPU_KERNELS
    if span is owner:
        return TimePart.COMPUTE if is_silent else TimePart.UNEXPLAINED
    return _DEVICE.get(span.kind, TimePart.COMPUTE)
