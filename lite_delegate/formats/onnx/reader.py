"""Reading ONNX files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ...basics.unforeseen import rejecting_unforeseen
from ...errors import GraphError, ModelFormatError
from ...flatbuffer.mapping import map_file, release_pages
from ...flatbuffer.problem import FormatProblem
from ...ir import Graph, ModelInfo, Reading, Value, verify
from ..rejection import unsupported
from ..rereading import with_reading
from ..sources import readers_of, removed_sources
from .boundary import InputShapes, add_inputs, outputs_of
from .builder import GraphBuilder
from .importer import OnnxImporter
from .protobuf.messages import ModelProto
from .protobuf.tensors import TensorData
from .protobuf.wire import NO_CONTENTS, Contents, outline
from .scope import Scope, declared_types
from .validity import check_model

FRAMEWORK = 2
"""The number of ONNX in ``MetaGraph.fmkType``."""


def read_file(path: Path, input_shapes: InputShapes) -> Graph:
    """See ``read_onnx``."""
    try:
        content = map_file(path)
    except FormatProblem as e:
        raise ModelFormatError(f"'{path}': {e}") from e
    return read_buffer(content, path.parent, f"'{path}'", input_shapes)


def read_buffer(data: bytes | memoryview, directory: Path | None, where: str, input_shapes: InputShapes) -> Graph:
    """The model in the bytes of a file; ``where`` names it in messages, ``directory`` holds its side files."""
    try:
        with rejecting_unforeseen(where, FormatProblem):
            model, contents = parsed(data)
            graph = import_model(model, directory, where, input_shapes, contents)
        return with_reading(graph, Reading(partial(read_buffer, data, directory, where)))
    except (FormatProblem, GraphError) as e:
        raise ModelFormatError(f"{where}: {e}") from e


def import_model(
    model: ModelProto,
    directory: Path | None,
    where: str,
    input_shapes: InputShapes,
    contents: Contents = NO_CONTENTS,
) -> Graph:
    """The graph of a parsed model; see ``read_onnx``. ``contents`` are the tensors cut out of it.

    Raises:
        FormatProblem: the model breaks a rule of the format.
        GraphError: the model breaks a rule of the graph.
        InputError: ``input_shapes`` does not fit.
        LimitError: calls of the model's functions make too many nodes, see ``expansion``.
        UnsupportedOperatorError: lists every node whose operands no tensor of this package can hold.
    """
    opsets = check_model(model)
    builder = GraphBuilder()
    importer = OnnxImporter(model, TensorData(directory, contents))
    scope = Scope(builder, opsets, declared=declared_types(model.graph.value_info, model.graph.output))
    importer.initializers(model.graph.initializer, scope)
    inputs = add_inputs(model.graph, scope, input_shapes)
    importer.convert(model.graph.node, scope)
    if importer.rejections:
        raise unsupported(where, importer.rejections)
    outputs = outputs_of(model.graph.output, scope)
    return _graph(model, builder, importer, inputs, outputs)


def _graph(
    model: ModelProto,
    builder: GraphBuilder,
    importer: OnnxImporter,
    inputs: Sequence[Value],
    outputs: Sequence[Value],
) -> Graph:
    graph = builder.graph(model.graph.name or "main", list(inputs), list(outputs))
    graph.subgraphs = importer.graphs
    graph.removed = removed_sources(graph, importer.sources)
    graph.readers = readers_of(importer.nodes)
    graph.info = ModelInfo(name=model.graph.name or None, fmk_type=FRAMEWORK)
    verify(graph)
    return graph


def parsed(data: bytes | memoryview) -> tuple[ModelProto, Contents]:
    """The model without the contents of its large tensors, and these."""
    found = outline(data)
    model = ModelProto()
    try:
        model.ParseFromString(found.rest)
    except Exception as e:
        # protobuf's DecodeError, and whatever else its parser raises on damaged bytes.
        raise FormatProblem(f"not an ONNX model: {e}") from e
    release_pages(memoryview(data))
    return model, found.contents
