"""Writing graphs as ONNX files."""

from __future__ import annotations

import os
from pathlib import Path

from ..backends.lowering import OPSET
from ..backends.onnx_file import OnnxExporter
from ..basics.files import replacing
from ..errors import GraphError
from ..exporting.whole_model import give_whole
from ..formats.external_files import check_side_file
from ..ir import Graph

SIDE_FILE_SUFFIX = ".data"


def write_onnx(
    graph: Graph, path: str | os.PathLike[str], *, external_data_threshold: int | None = None, opset: int = OPSET
) -> None:
    """Writes a graph as an ONNX file, whole or not at all. Constants are written from where they are, not copied.

    Names and order of inputs and outputs stay. Loops and choices become ONNX's Loop and If. Open dimensions of inputs
    are closed by the rule of all commands (``formats.input_shapes.close_shapes``), since what is written is planned for
    known shapes.

    Args:
        graph: the graph; what it computes from constants alone is written as constants.
        path: the file; one that is there is replaced, together with its own ``<path>.data``.
        external_data_threshold: constants of at least this many bytes go into ``<path>.data`` beside it. A model of
            more than 2 GiB needs it. None keeps everything in the one file.
        opset: the release of ONNX's operators, from 17 to the newest of the package ``onnx``, which writes all but 21.

    Raises:
        GraphError: nodes cannot be said in the release of ONNX's operators, or the file would be too large; nothing is
            written.
        LiteDelegateError: shapes that do not fit, a release in which models cannot be written, and the like.
        InputError: there is a ``<path>.data`` already that does not belong to the file that is replaced.
        OSError: the files cannot be written; what was there before is still there.
    """
    path = Path(path)
    side_path = side_file(path)
    refused = f"'{path}' cannot be written as ONNX"
    exporter = OnnxExporter(side_path.name, external_data_threshold)
    give_whole(graph, exporter, refused)
    try:
        file = exporter.file().in_release(opset)
    except GraphError as e:
        raise GraphError(f"{refused}: {e}") from e
    if file.beside:
        check_side_file(side_path, path)
    with replacing(side_path, path) as (new_side, new):
        with new.open() as out:
            out.writelines(file.pieces)
        if file.beside:
            with new_side.open() as out:
                for offset, array in file.beside:
                    out.write(bytes(offset - out.tell()))
                    out.write(array.reshape(-1).view("uint8").data)


def side_file(path: Path) -> Path:
    """The file beside an ONNX file that large constants go into."""
    return path.with_name(path.name + SIDE_FILE_SUFFIX)
