"""What every graph goes through before it is compiled, by whichever door it comes."""

from __future__ import annotations

import os
from pathlib import Path

from ...formats import is_ms, read_model, read_model_buffer
from ...ir import Graph, read_through, verify
from ...passes import ActivationFormsPass, DeadCodePass, DequantizeWeightsPass, UnpackConstantsPass, run_passes

PASSES = (DeadCodePass(), UnpackConstantsPass(), DequantizeWeightsPass(), ActivationFormsPass())
"""Passes for every graph before it is scheduled."""


def graph_of(
    model: str | os.PathLike[str] | bytes | bytearray | memoryview | Graph,
    level: str = "general",
    signature: str | None = None,
) -> Graph:
    """The graph of a model as users give it.

    Args:
        model: the path of a file, the bytes of one, or a graph, which stays as it is.
        level, signature: as for ``imported_graph``, of what is imported.

    Raises:
        TypeError: none of these.
        LiteDelegateError: it cannot be read.
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
    """The graph in a file, or in the bytes of one; optimized unless it is of a ``.ms`` file, which has been before.

    Args:
        model: the path of the file, or what is in it.
        level: of the optimization, see ``passes.optimize``.
        signature: which part of a ``.tflite`` model; None for the first.

    Raises:
        LiteDelegateError: it cannot be read, see ``formats.read_model``.
    """
    graph = read_model(model, None, signature) if isinstance(model, Path) else read_model_buffer(model, signature)
    if is_ms(model):
        return graph
    from ...passes.optimize import optimize

    return optimize(graph, level).graph


def prepared_graph(graph: Graph) -> Graph:
    """A graph in the form in which it is compiled. The given one stays as it is."""
    return read_through(graph, _prepared(graph), _prepared)


def _prepared(graph: Graph) -> Graph:
    return run_passes(graph, PASSES).graph
