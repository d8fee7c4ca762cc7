"""Writing graphs as TensorFlow Lite files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..backends.tflite_file.exporter import WHOLE, SignatureNames, TfliteExporter
from ..backends.tflite_file.opening import open_up
from ..basics.files import replacing
from ..errors import GraphError, LiteDelegateError
from ..flatbuffer.problem import TooLarge
from ..formats.input_shapes import ALL_KNOWN, ClosedShapes, close_shapes
from ..formats.tflite.export import TfliteFile, TfliteWriter
from ..formats.tflite.reader import FRAMEWORK
from ..inference.shapes.given_shapes import NO_SHAPES
from ..ir import Graph
from .open_sizes import other_sizes
from .states import without_variables
from .stored_weights import float_weights
from .whole_model import give_whole


def write_tflite(graph: Graph, path: str | os.PathLike[str]) -> ClosedShapes:
    """Writes a graph as a ``.tflite`` file, whole or not at all. Constants are written from where they are, not copied.

    Names and order of inputs and outputs stay. Open dimensions of inputs stay open where the operators are the same for
    all sizes, else they are closed by the rule of all commands (``formats.input_shapes.close_shapes``).

    Constants of a model beyond 2 GiB stand behind the flatbuffer.

    Args:
        graph: the graph; what it computes from constants alone is written as constants.
        path: the file; one that is there is replaced.

    Returns:
        The shapes of inputs whose open dimensions were closed.

    Raises:
        GraphError: nodes cannot be said in TensorFlow Lite's operators; nothing is written.
        LiteDelegateError: shapes that do not fit, or the package ``tflite`` is not installed.
        OSError: the file cannot be written; the former file is still there.
    """
    path = Path(path)
    file, closed = tflite_file(graph, f"'{path}' cannot be written as TensorFlow Lite")
    with replacing(path) as (new,), new.open() as out:
        out.writelines(file.pieces())
    return closed


def tflite_content(graph: Graph) -> bytes:
    """The bytes of a ``.tflite`` file that holds a graph; see ``write_tflite``."""
    return tflite_file(graph, f"Graph '{graph.name}' cannot be written as TensorFlow Lite")[0].content()


def tflite_file(graph: Graph, refused: str) -> tuple[TfliteFile, ClosedShapes]:
    """The file of a graph, not written yet, and the shapes of inputs whose open dimensions were closed.

    Args:
        graph: the graph.
        refused: begins the message about nodes that cannot be written.
    """
    floats = float_weights(graph)
    stateless = without_variables(floats.graph)
    is_tflite = graph.info is not None and graph.info.fmk_type == FRAMEWORK
    purpose = replace(WHOLE, is_tflite=is_tflite)
    signatures = _signatures(floats.graph)

    def model(shapes: Mapping[str, Sequence[int]] = NO_SHAPES) -> TfliteWriter:
        exporter = TfliteExporter(purpose=purpose, states=stateless.states, signatures=signatures, stored=floats.stored)
        give_whole(stateless.graph, exporter, refused, shapes)
        return exporter.model()

    made, closed = model(), close_shapes(stateless.graph.inputs)
    is_open = bool(closed.shapes) and _open_up(made, stateless.graph, model)
    try:
        return made.finish(), ALL_KNOWN if is_open else closed
    except TooLarge as e:
        raise GraphError(f"{refused}: {e}.") from e


def _open_up(made: TfliteWriter, graph: Graph, model: Callable[[Mapping[str, Sequence[int]]], TfliteWriter]) -> bool:
    """``open_up``; False where the model cannot be planned for other sizes."""
    try:
        others = [model(sizes) for sizes in other_sizes(graph)]
    except LiteDelegateError:
        return False
    return open_up(made, others)


def _signatures(graph: Graph) -> list[SignatureNames]:
    """The signatures of the graph's file that call the graph; none where a name is of no input or output."""
    inputs, outputs = ({value: place for place, value in enumerate(values)} for values in (graph.inputs, graph.outputs))
    found = []
    for each in graph.signatures:
        known = set(each.inputs.values()) <= set(inputs) and set(each.outputs.values()) <= set(outputs)
        if known and not each.is_elsewhere:
            names = [
                {name: places[value] for name, value in named.items()}
                for places, named in ((inputs, each.inputs), (outputs, each.outputs))
            ]
            found.append(SignatureNames(each.key, *names))
    return found
