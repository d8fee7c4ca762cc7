"""Writing ``.ms`` files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ...basics.files import NewFile, replacing
from ...errors import GraphError
from ...flatbuffer.encoder import Encoded, encode_in_pieces
from ...flatbuffer.problem import FormatProblem, TooLarge
from ...ir import Graph, drop_pages, verify
from ..external_files import check_side_file
from .graph_record import graph_record
from .schema import MS
from .tensors.tensor_records import WeightSink

SIDE_FILE_SUFFIX = ".msw"


def write_ms(graph: Graph, path: str | os.PathLike[str], *, external_data_threshold: int | None = None) -> None:
    """Writes a graph as a ``.ms`` file, whole or not at all. Constants are written from where they are, not copied.

    Args:
        graph: the main graph; its subgraphs are written with it.
        path: the file; one that is there is replaced, together with its own ``<model>.msw``.
        external_data_threshold: constants of at least this many bytes go into ``<model>.msw`` beside the file.
            A model of more than 2 GiB needs it. None keeps everything in the one file.

    Raises:
        GraphError: the graph breaks a rule, or holds what the format cannot say; nothing is written.
        InputError: there is a ``<model>.msw`` already that does not belong to the file that is replaced.
        OSError: the files cannot be written; earlier files are still there.
    """
    path = Path(path)
    if not path.name:
        raise IsADirectoryError(f"'{path}' is a directory, expected the name of a file")
    side_path = side_file(path)
    if side_path == path:
        raise GraphError(f"'{path}' cannot be written: {SIDE_FILE_SUFFIX} names the file beside a model")
    sink = WeightSink(side_path.name, external_data_threshold)
    content = _encode(graph, sink)
    if sink.parts:
        check_side_file(side_path, path)
    with replacing(side_path, path) as (new_side, new):
        _write_pieces(new, content)
        if sink.parts:
            _write_parts(new_side, sink)


def side_file(path: Path) -> Path:
    """The file beside a ``.ms`` file that large constants go into."""
    return path.with_suffix(SIDE_FILE_SUFFIX)


def ms_bytes(graph: Graph, sink: WeightSink | None = None) -> bytes:
    """The bytes of a ``.ms`` file that holds a graph.

    Args:
        graph: the main graph; its subgraphs are written with it.
        sink: takes constants that are to be elsewhere; None: all are in the bytes.

    Raises:
        GraphError: the graph breaks a rule, or holds what the format cannot say.
    """
    return b"".join(_encode(graph, WeightSink("", None) if sink is None else sink).pieces())


def _encode(graph: Graph, sink: WeightSink) -> Encoded:
    verify(graph)
    try:
        return encode_in_pieces(graph_record(graph, sink), MS)
    except TooLarge as problem:
        raise GraphError(
            f"Graph '{graph.name}' cannot be written as .ms: {problem}; set external_data_threshold."
        ) from problem
    except FormatProblem as problem:
        raise GraphError(f"Graph '{graph.name}' cannot be written as .ms: {problem}") from problem


def _write_pieces(new: NewFile, content: Encoded) -> None:
    with new.open() as file:
        for piece in content.pieces():
            file.write(piece)
            drop_pages(np.asarray(memoryview(piece)))


def _write_parts(new: NewFile, sink: WeightSink) -> None:
    with new.open() as file:
        for offset, data in sink.parts:
            file.write(bytes(offset - file.tell()))
            file.write(data.data)
            drop_pages(data)
