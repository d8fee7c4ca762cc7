"""Reading ``.ms`` files."""

from __future__ import annotations

import os
from pathlib import Path

from ...basics.counted import counted
from ...basics.unforeseen import rejecting_unforeseen
from ...errors import GraphError, ModelFormatError
from ...flatbuffer.decoder import decode
from ...flatbuffer.mapping import map_file, release_pages
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import Graph, ModelInfo, verify
from .nodes import indices, read_nodes
from .other_formats import what_it_is
from .schema import MS
from .sources import remember_sources
from .subgraphs import check_inputs_and_outputs, model_boundary, read_graphs
from .tensors.external import SideFiles
from .tensors.tensors import read_values


def read_ms(path: str | os.PathLike[str]) -> Graph:
    """The model in a ``.ms`` file, verified.

    The file is mapped, not read: constants are read-only views of it (copies where the file does not align
    their elements), so it must not be changed in place while the graph is in use.

    Raises:
        ModelFormatError: the file is missing, unreadable, damaged, of another format or of a version before
            1.1, or breaks a rule of the format; the message names the file and the place.
    """
    try:
        content = map_file(Path(path))
        with rejecting_unforeseen(f"'{os.fspath(path)}'", FormatProblem):
            graph = _read(content, Path(path).parent)
        release_pages(content)
        return graph
    except (FormatProblem, GraphError) as e:
        raise ModelFormatError(f"'{os.fspath(path)}': {e}") from e


def read_ms_buffer(data: bytes | bytearray | memoryview, directory: Path | SideFiles | None = None) -> Graph:
    """The model in the bytes of a ``.ms`` file, verified.

    Args:
        data: the bytes; constants are read-only views of them.
        directory: where files with external weights are, or what reads them, for models that have such.

    Raises:
        ModelFormatError: as ``read_ms``; the message names the place.
    """
    try:
        content = memoryview(data).cast("B").toreadonly()
        with rejecting_unforeseen(f"model of {counted(len(data), 'byte')}", FormatProblem):
            return _read(content, directory)
    except (FormatProblem, GraphError) as e:
        raise ModelFormatError(f"model of {counted(len(data), 'byte')}: {e}") from e


def _read(buffer: memoryview, directory: Path | SideFiles | None) -> Graph:
    other = what_it_is(buffer)
    if other:
        raise FormatProblem(f"not a .ms model: {other}")
    root = decode(buffer, MS)
    for name in ("nodes", "allTensors"):
        if root[name] is None:
            raise FormatProblem("must be there, found none", name)
    inputs, outputs = (set(indices(root[name])) for name in ("inputIndex", "outputIndex"))
    side_files = directory if isinstance(directory, SideFiles) else SideFiles(directory)
    values = read_values(root["allTensors"], inputs, outputs, side_files)
    check_inputs_and_outputs(*model_boundary(root, values))
    nodes = read_nodes(root["nodes"], values, root["version"])
    graph = read_graphs(root, values, nodes)
    remember_sources(graph, nodes)
    graph.info = _info(root)
    verify(graph)
    return graph


def _info(root: Record) -> ModelInfo:
    data = root["obfMetaData"]
    return ModelInfo(
        name=root["name"],
        version=root["version"],
        fmk_type=root["fmkType"],
        mempool_size=root["mempoolSize"],
        obfuscate=root["obfuscate"],
        obf_meta_data=None if data is None else data.tobytes(),
    )
