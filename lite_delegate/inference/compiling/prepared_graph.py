"""The graph that is compiled: read, optimized and prepared by passes, whatever its source."""

from __future__ import annotations

import os
from pathlib import Path

from ...formats import is_ms, read_model, read_model_buffer
from ...ir import Graph, read_through, verify
from ...passes import ActivationFormsPass, DeadCodePass, DequantizeWeightsPass, UnpackConstantsPass, run_passes

PASSES = (DeadCodePass(), UnpackConstantsPass(), DequantizeWeightsPass(), ActivationFormsPass())
"""The passes over every graph before it is scheduled."""


def graph_of(
    model: str | os.PathLike[str] | bytes | bytearray | memoryview | Graph,
    level: str = "general",
    signature: str | None = None,
) -> Graph:
    """The graph of a user's model.

    Args:
        model: the path of a file, the bytes of a file, or a graph, which is not changed.
        level, signature: as for ``imported_graph``.

    Raises:
        TypeError: the model is neither a path, nor bytes, nor a graph.
        LiteDelegateError: the model cannot be read.
    """
    if isinstance(model, Graph):
        verify(model)
        return model
    if isinstance(model, bytes | bytearray | memoryview):
        return imported_graph(model, level, signature)
    if isinstance(model, str | os.PathLike):
        return imported_graph(Path(model), level, signature)
    raise TypeError(f"model must be a path, the bytes of a file or a Graph, but got {type(model).__name__}.")


def imported_graph(
    model: Path | bytes | bytearray | memoryview, level: str = "general", signature: str | None = None
) -> Graph:
    """The optimized graph in a file or its bytes; the graph of a ``.ms`` file is optimized already.

    Args:
        model: the path of the file, or its bytes.
        level: of the optimization, see ``passes.optimize``.
        signature: which part of a ``.tflite`` model; None for the first.

    Raises:
        LiteDelegateError: the file cannot be read, see ``formats.read_model``.
    """
    graph = read_model(model, None, signature) if isinstance(model, Path) else read_model_buffer(model, signature)
    if is_ms(model):
        return graph
    from ...passes.optimize import optimize

    return optimize(graph, level).graph


def prepared_graph(graph: Graph) -> Graph:
    """A graph in the form in which it is compiled. The given graph is not changed."""
    return read_through(graph, _prepared(graph), _prepared)


def _prepared(graph: Graph) -> Graph:
    return run_passes(graph, PASSES).graph
