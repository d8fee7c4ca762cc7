"""Reading TensorFlow Lite files."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from ...basics.counted import counted
from ...basics.unforeseen import rejecting_unforeseen
from ...errors import GraphError, ModelFormatError
from ...flatbuffer.decoder import MAX_SIZE, Decoder
from ...flatbuffer.mapping import map_file, release_pages
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import Graph, ModelInfo, Reading, verify
from ...ir.types.version import PREFIX
from ..input_shapes import InputShapes
from ..rejection import unsupported
from ..rereading import with_reading
from .importer import TfliteImporter, indices, read_codes
from .package import require_tflite
from .signatures import choose, signatures_of
from .tensors.buffers import CopyBudget, read_buffers
from .tensors.layout import IDENTIFIER, tflite_schema

FRAMEWORK = 4
"""``MetaGraph.fmkType`` of models that come from TensorFlow Lite."""
VERSION = f"{PREFIX}2.3.0"
"""The release whose rules the graph follows, where rules differ between releases (channels of weights)."""
_FORMAT_VERSION = 3


def read_tflite(
    path: str | os.PathLike[str], signature: str | None = None, input_shapes: InputShapes | None = None
) -> Graph:
    """The model in a ``.tflite`` file as a graph of our operators, verified.

    The file is mapped, not read: constants are read-only views of it, except for those that must be laid out anew,
    so it must not be changed in place while the graph is in use.

    Args:
        path: the file.
        signature: which of the file's signatures; None for the first.
        input_shapes: dimensions by input name, for inputs of which the file leaves some open.

    Raises:
        ModelFormatError: the file is missing, unreadable, damaged or of another format; the message names the place.
        UnsupportedOperatorError: lists every operator whose operands no tensor of ours can hold, with the reason.
        InputError: there is no such signature; ``input_shapes`` names no input, or does not fit the file.
        LiteDelegateError: the package ``tflite`` is not installed.
    """
    require_tflite()
    where = f"'{os.fspath(path)}'"
    try:
        content = map_file(Path(path))
    except FormatProblem as e:
        raise ModelFormatError(f"{where}: {e}") from e
    graph = _checked(content, signature, where, input_shapes or {})
    release_pages(content)
    return graph


def read_tflite_buffer(
    data: bytes | bytearray | memoryview, signature: str | None = None, input_shapes: InputShapes | None = None
) -> Graph:
    """The model in the bytes of a ``.tflite`` file; see ``read_tflite``."""
    require_tflite()
    content = memoryview(data).cast("B").toreadonly()
    return _checked(content, signature, f"model of {counted(len(data), 'byte')}", input_shapes or {})


def _checked(content: memoryview, signature: str | None, where: str, input_shapes: InputShapes) -> Graph:
    """The model in the bytes of a file; ``where`` names it in messages."""
    try:
        with rejecting_unforeseen(where, FormatProblem):
            graph = _read(content, signature, input_shapes, where)
    except (FormatProblem, GraphError) as e:
        raise ModelFormatError(f"{where}: {e}") from e
    return with_reading(graph, Reading(partial(_checked, content, signature, where)))


def _read(content: memoryview, signature: str | None, input_shapes: InputShapes, where: str) -> Graph:
    root = root_of(content)
    for name in ("subgraphs", "operator_codes"):
        if root[name] is None:
            raise FormatProblem("must be there, found none", name)
    entry = choose(root["signature_defs"], signature)
    importer = TfliteImporter(
        records=list(root["subgraphs"]),
        codes=read_codes(list(root["operator_codes"])),
        buffers=read_buffers(root["buffers"] or (), content),
        budget=CopyBudget(len(content)),
        input_shapes=input_shapes,
    )
    graph = importer.main(entry)
    if importer.rejections:
        raise unsupported(where, importer.rejections)
    graph.info = ModelInfo(name=root["description"], version=VERSION, fmk_type=FRAMEWORK)
    verify(graph)
    record = importer.records[entry.subgraph]
    kept = [i for i in indices(record["outputs"]) if entry.outputs is None or i in entry.outputs]
    pairs = (
        list(zip(found, values, strict=True))
        for found, values in ((indices(record["inputs"]), graph.inputs), (kept, graph.outputs))
    )
    graph.signatures = signatures_of(root["signature_defs"], entry, *pairs)
    if any(each.is_elsewhere for each in graph.signatures):
        graph.resources = importer.resources(graph)
    return graph


def root_of(content: memoryview) -> Record:
    """NOTE: files above 2 GiB are a flatbuffer and weights behind it."""
    if len(content) < 8:
        raise FormatProblem(f"expected at least 8 bytes, found {len(content)}")
    found = bytes(content[4:8])
    if found != IDENTIFIER:
        raise FormatProblem(f"not a TensorFlow Lite model: expected {IDENTIFIER!r} at byte 4, found {found!r}")
    decoder, schema = Decoder(content[:MAX_SIZE], tflite_schema()), tflite_schema()
    root = decoder.table(decoder.follow(0), schema.root)
    if root["version"] != _FORMAT_VERSION:
        raise FormatProblem(f"expected {_FORMAT_VERSION}, found {root['version']}", "version")
    return root
