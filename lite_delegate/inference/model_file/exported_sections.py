"""The export of a compiled model to the sections of a file."""

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
    """The fields of the header and the sections; equal compilations give equal bytes.

    1. "plan": the shapes, the order of the nodes, the nodes of each graph kernel, the sources of nodes.
    2. "record": the partition.
    3. "graph": the compiled graph as ``.ms``; "prepared": the planned graph, if it differs. For a model that is read
       again for known shapes (``Graph.reading``), "graph" is the planned graph.
    4. "kernel/0", "kernel/1", ...: the graph kernels as their delegates export them.
    5. "constants": the larger constants of the graphs, each once.

    Args:
        parts: of the model.
        with_weights: False: the constants of the compiled graph stay in the model's own file, found by their hash.
        files: of the model, if the importer has the same files: their constants stay in the files, found by their
            offsets.

    Raises:
        LiteDelegateError: the model was only planned.
        DelegateBuildError: a delegate cannot export.
        GraphError: ``.ms`` cannot express the graph.
    """
    scheduled, reads_again = parts.scheduled, parts.graph.reading is not None
    graph = scheduled.graph if reads_again else parts.graph
    if scheduled.settings.plan_only:
        raise LiteDelegateError("The Model was only planned and cannot be exported: set Context.plan_only to False.")
    with_weights = with_weights or reads_again  # the model's own file has no constants for these shapes
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
    """The shapes of the plan, and the choices and bounds of open dimensions."""
    positions = {value: i for i, value in enumerate(parts.graph.inputs)}
    known, error = parts.known_shapes(), parts.shape_error
    return {
        "shapes": [None if value not in known else list(known[value]) for value in positions],
        "closed": [[positions[value], list(dims)] for value, dims in parts.closed_shapes.shapes.items()],
        "shape_error": None if error is None else str(error),
        "bounds": parts.bounds if _has_upper(parts.bounds) else None,
    }


def _has_upper(bounds: Bounds | None) -> bool:
    """Whether a user gave ranges; the import finds the open dimensions of the graph without them."""
    pairs = [pair for ranges in bounds or () for pair in ranges or ()]
    return any(most is not None and least != most for least, most in pairs)
