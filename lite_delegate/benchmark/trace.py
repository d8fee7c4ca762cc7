"""Trace: profiled predictions as trace events, which Perfetto and Chrome's about:tracing show.

The format: one object with ``traceEvents``; "X" are complete events with a start ``ts`` and a duration ``dur`` in
microseconds, "M" names of processes and threads.
https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..delegate import DeviceEstimate, LayerEstimate, SpanKind
from ..mindspore.model import Model
from ..runtime.records import NodeRecord
from ..tensors.tensor import Tensor
from .breakdown import KernelCall, break_down
from .profiling import estimates
from .recorder import ROOT, Span

HOST, DEVICE = 1, 2
"""Process numbers: times measured on the host, and times estimated of the device."""
SUBGRAPHS = 1
"""The thread number of graph kernels in the device's process; layers are in the threads with higher numbers."""
DEVICE_NAME = "estimate (simulated device)"

Events = list[dict[str, Any]]


def trace_json(traced: Sequence[Sequence[Span]], model: Model) -> str:
    """The trace of predictions, as JSON text.

    Args:
        traced: the spans of each prediction, all by one clock.
        model: that predicted.
    """
    origin = traced[0][0].start if traced else 0
    expected = estimates(model)
    lanes: list[float] = []
    events = [
        *(event for number, spans in enumerate(traced) for event in _host(spans, number, origin, model)),
        *_device([call for spans in traced for call in break_down(spans).calls], expected, lanes, origin),
    ]
    data = {
        "traceEvents": [*_names(len(lanes), has_device=bool(expected)), *events],
        "displayTimeUnit": "ms",
        "otherData": {
            "model": model.model_path_,
            "predictions": len(traced),
            "measured": "process 1: times of this host",
            "estimated": "process 2: the delegate's estimates, not measured",
        },
    }
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def _names(lanes: int, *, has_device: bool) -> Iterator[dict[str, Any]]:
    """The names of processes and threads."""
    yield _name(HOST, 0, "process_name", "host (measured)")
    yield _name(HOST, 1, "thread_name", "predict")
    if not has_device:
        return
    yield _name(DEVICE, 0, "process_name", DEVICE_NAME)
    yield _name(DEVICE, SUBGRAPHS, "thread_name", "subgraphs (estimate)")
    for lane in range(lanes):
        yield _name(DEVICE, SUBGRAPHS + 1 + lane, "thread_name", f"steps, lane {lane + 1} (estimate)")


def _name(pid: int, tid: int, what: str, name: str) -> dict[str, Any]:
    return {"ph": "M", "pid": pid, "tid": tid, "name": what, "args": {"name": name}}


def _event(pid: int, tid: int, name: str, cat: str, ts: float, dur: float, args: Mapping[str, Any]) -> dict[str, Any]:
    return {"ph": "X", "pid": pid, "tid": tid, "name": name, "cat": cat, "ts": ts, "dur": dur, "args": dict(args)}


def _host(spans: Sequence[Span], number: int, origin: int, model: Model) -> Iterator[dict[str, Any]]:
    """The measured events of one prediction."""
    record = model.get_partition()
    nodes = {node.name: node for node in record.nodes}
    members = {subgraph.name: subgraph.kernels for subgraph in record.subgraphs}
    owners: list[str] = []
    for span in spans:
        around = "" if span.parent == ROOT else owners[span.parent]
        owners.append(span.name if span.kind is SpanKind.GRAPH_KERNEL and not around else around)
        args: dict[str, Any] = {"prediction": number + 1} if span.parent == ROOT else _arguments(span, nodes, members)
        if owners[-1]:
            args["subgraph"] = owners[-1]
        yield _event(HOST, 1, span.name, span.kind.value, (span.start - origin) / 1e3, span.duration / 1e3, args)


def _arguments(span: Span, nodes: Mapping[str, NodeRecord], members: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """The details that a click on a kernel shows; dimensions that are open before the model runs are -1."""
    kernel = span.kernel
    if kernel is None or span.kind is SpanKind.HOST:
        return {}
    args: dict[str, Any] = {"node": kernel.name, "type": kernel.type}
    args["inputs"] = [_described(t) for t in kernel.inputs if not t.is_const]
    args["outputs"] = [_described(t) for t in kernel.outputs]
    if kernel.name in members:
        args["nodes"] = list(members[kernel.name])
    node = nodes.get(kernel.name)
    if node is not None and node.graph:
        args["graph"] = node.graph
    if node is not None and node.subgraph:
        args["in_place_of"] = node.subgraph
    return args


def _described(tensor: Tensor) -> str:
    return f"{tensor.name}: {tensor.dtype.name.lower()} {list(tensor.shape)}"


def _device(
    calls: Sequence[KernelCall], expected: Mapping[str, DeviceEstimate], lanes: list[float], origin: int
) -> Iterator[dict[str, Any]]:
    """The estimated timeline: each call starts with the measured one, or after the one before it on the device.

    Args:
        lanes: for each thread of layers the microsecond from which it is free; it grows as layers overlap.
    """
    free = 0.0
    for call in calls:
        span = call.span
        if span.kind is not SpanKind.GRAPH_KERNEL or span.name not in expected:
            continue
        estimate = expected[span.name]
        start = max(free, (span.start - origin) / 1e3)
        free = _whole(start + estimate.estimated_us)
        args = {"subgraph": span.name, "cycles": estimate.estimated_cycles, "bytes": estimate.estimated_bytes}
        yield _event(DEVICE, SUBGRAPHS, span.name, "estimate", start, _whole(free - start), args)
        yield from _layers(estimate.layers, start, span.name, lanes)


def _whole(us: float) -> float:
    """Microseconds rounded to nanoseconds, so that a span begins where the span before it ends."""
    return round(us, 3)


def _layers(
    layers: Sequence[LayerEstimate], start: float, subgraph: str, lanes: list[float]
) -> Iterator[dict[str, Any]]:
    """The layers of one call, each in the first free thread; layers of less than a nanosecond are left out."""
    end = start
    for layer in layers:
        begin = end if layer.estimated_start_us is None else _whole(start + layer.estimated_start_us)
        end = _whole(begin + layer.estimated_us)
        if end <= begin:
            continue
        lane = next((i for i, free in enumerate(lanes) if free <= begin), len(lanes))
        lanes[lane : lane + 1] = [end]
        args = {
            "subgraph": subgraph,
            "instruction": layer.instruction,
            "nodes": list(layer.layers),
            "cycles": layer.estimated_cycles,
            "bytes": layer.estimated_bytes,
        }
        yield _event(DEVICE, SUBGRAPHS + 1 + lane, layer.name, "estimate", begin, _whole(end - begin), args)
