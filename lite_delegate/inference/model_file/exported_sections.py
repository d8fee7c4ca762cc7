"""Exporting: a compiled model to the sections of a file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...basics.failures import said
from ...basics.unforeseen import FAILURES
from ...delegate import Delegate, Kernel
from ...errors import DelegateBuildError, LiteDelegateError
from ...formats.ms.in_model import ModelFiles
from ...formats.ms.separate_constants import NO_FILES, ConstantSink, weights_of
from ...formats.ms.writer import ms_bytes
from ...reporting.plain import to_plain
from ...runtime.planning.layout import graph_kernels_of, layouts_of
from ...sections.sections import Bytes, canonical_json
from ..tensors.port import Bounds
from .header import header_of
from .parts import ModelParts
from .sources import plain_sources


def sections_of(
    parts: ModelParts, *, with_weights: bool = True, files: ModelFiles = NO_FILES
) -> tuple[dict[str, Any], dict[str, Bytes]]:
    """The fields of the header and the sections; equal compilations give equal ones.

    1. "plan": the shapes, the order of the nodes and which of them graph kernels stand for; sources of nodes.
    2. "record": the partition.
    3. "graph": what was compiled, as ``.ms``; "prepared": the form that was planned, where that is another one. Of a
       model that is read again for known shapes (``Graph.reading``) the one graph is the form that was planned.
    4. "kernel/0", "kernel/1", ...: what the delegates export of their graph kernels.
    5. "constants": the larger constants of the graphs, each once.

    Args:
        parts: of the model.
        with_weights: False: constants of the graph that was compiled stay in the model's own file, by their hash.
        files: of the model, for who knows their contents when the file is read: constants that lie in them stay there,
            by their places.

    Raises:
        LiteDelegateError: the model was only planned.
        DelegateBuildError: a delegate cannot export.
        GraphError: the graph holds what ``.ms`` cannot say.
    """
    scheduled, reads_again = parts.scheduled, parts.graph.reading is not None
    graph = scheduled.graph if reads_again else parts.graph
    if scheduled.settings.plan_only:
        raise LiteDelegateError("The Model was only planned and cannot be exported: set Context.plan_only to False.")
    with_weights = with_weights or reads_again  # the model's own file is not read for these shapes
    header = header_of(parts, has_weights=with_weights and not files.contents)
    kernels = _exported(parts)
    sink = ConstantSink(() if with_weights else weights_of(graph), files)
    graphs = {"graph": graph}
    if scheduled.graph is not graph:
        graphs["prepared"] = scheduled.graph
    written = {name: ms_bytes(each, sink) for name, each in graphs.items()}
    sources = {name: plain_sources(each) for name, each in graphs.items()}
    plan = {**_shapes(parts), "reads_again": reads_again, "graphs": to_plain(layouts_of(scheduled)), "sources": sources}
    delegates = tuple(replace(each, off_device="") for each in scheduled.plan.record.delegates)
    record = replace(scheduled.plan.record, asked=(), failures=(), delegates=delegates)
    return header, {
        "plan": canonical_json(plan),
        "record": canonical_json(to_plain(record)),
        **written,
        **{f"kernel/{number}": data for number, data in enumerate(kernels)},
        "constants": sink.contents(),
    }


def _exported(parts: ModelParts) -> list[bytes]:
    owners, delegates = parts.scheduled.delegation.owners, parts.delegates
    return [_bytes_of(kernel, delegates[owners[kernel]]) for kernel in graph_kernels_of(parts.scheduled)]


def _bytes_of(kernel: Kernel, delegate: Delegate) -> bytes:
    try:
        data = delegate.export_kernel(kernel)
    except LiteDelegateError:
        raise
    except FAILURES as e:  # a delegate's own code may raise anything
        raise DelegateBuildError(
            f"Delegate '{delegate.name}': exporting graph kernel '{kernel.name}' failed: {said(e)}."
        ) from e
    if not isinstance(data, bytes):
        raise DelegateBuildError(
            f"Delegate '{delegate.name}' cannot export graph kernel '{kernel.name}': export_kernel must return bytes, "
            f"returned {type(data).__name__}. Without it the model cannot be exported."
        )
    return data


def _shapes(parts: ModelParts) -> dict[str, Any]:
    """The shapes of the plan, and what was said of open ones."""
    positions = {value: i for i, value in enumerate(parts.graph.inputs)}
    known, error = parts.known_shapes(), parts.shape_error
    return {
        "shapes": [None if value not in known else list(known[value]) for value in positions],
        "closed": [[positions[value], list(dims)] for value, dims in parts.closed_shapes.shapes.items()],
        "shape_error": None if error is None else str(error),
        "bounds": parts.bounds if _has_upper(parts.bounds) else None,
    }


def _has_upper(bounds: Bounds | None) -> bool:
    """Whether a user gave ranges; what the graph leaves open, is so again when the file is read."""
    pairs = [pair for ranges in bounds or () for pair in ranges or ()]
    return any(most is not None and least != most for least, most in pairs)
