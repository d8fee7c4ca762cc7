"""Kept sources: the model of a call, which goes to another process as the place of its file, bytes, or a graph."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from pickle import PickleBuffer
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex, cast

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...errors import ModelFormatError
from ...ir import Graph

if TYPE_CHECKING:
    from ...formats.ms.tensors.external import Bytes
    from .uncompiled_model import ModelSource


class KeptSource(Protocol):
    """The model of a call. Its pickle has all that another process needs to read the model."""

    @property
    def model(self) -> ModelSource:
        """The model as ``Core.compile_model`` takes it."""


def kept_source(model: ModelSource) -> KeptSource:
    """The model of a call, kept for pickles. Nothing is read or copied before a pickle is made.

    Args:
        model: the path of a file, which is noted with its size and its time of change; the bytes of a file; a graph.
            Any other object is kept as it is.
    """
    if isinstance(model, str | os.PathLike):
        return KeptFile(model)
    if isinstance(model, bytes | bytearray | memoryview):
        return KeptBytes(model)
    return KeptGraph(model)


@dataclass(frozen=True, slots=True)
class FileMark:
    """The contents of a file, by which another process finds out that the file changed.

    Attributes:
        path: the absolute path.
        size: in bytes.
        changed_ns: the time of the last change.
        digest: of the contents, see ``sections.digest``.
    """

    path: str
    size: int
    changed_ns: int
    digest: str

    def check(self) -> None:
        """Checks that the file has the same contents. The contents are read only where the time of change differs.

        Raises:
            ModelFormatError: there is no such file, or the file changed.
        """
        from ...sections.digest import digest_of_file

        advice = "Put the same file there, or pickle the model again."
        found = _state_of(Path(self.path))
        if found is None:
            raise ModelFormatError(f"'{self.path}', which the pickled model was made from, is not there. {advice}")
        if found == (self.size, self.changed_ns):
            return
        changed = f"'{self.path}' changed since the pickled model was made from it: expected"
        if found[0] != self.size:
            raise ModelFormatError(f"{changed} {counted(self.size, 'byte')}, found {found[0]:,}. {advice}")
        digest, _ = digest_of_file(Path(self.path))
        if digest != self.digest:
            raise ModelFormatError(f"{changed} the digest {self.digest[:16]}..., found {digest[:16]}.... {advice}")


class KeptFile:
    """The file of a model. A pickle has its path and its digest, and those of the files with its weights.

    Args:
        path: the path as the user gave it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._given, self._path = path, Path(os.path.abspath(path))
        self._state = _state_of(self._path)
        self._marks: tuple[FileMark, ...] = ()

    @property
    def model(self) -> ModelSource:
        """The path as the user gave it, while the working directory is the same; else the absolute path."""
        return self._given if os.path.abspath(self._given) == str(self._path) else self._path

    def __reduce__(self) -> tuple[Any, ...]:
        """The marks of the files, which are hashed for the first pickle.

        Raises:
            ModelFormatError: the file changed since the call.
        """
        if self._state is None or _state_of(self._path) != self._state:
            raise ModelFormatError(
                f"'{self._path}' changed since the model was made from it, so another process cannot make the same "
                "model: compile again, or compile from the bytes of the file."
            )
        if not self._marks:
            from ...formats.external_files import external_files

            self._marks = tuple(map(_mark_of, (self._path, *external_files(self._path))))
        return _file_again, (self._marks,)


class KeptBytes:
    """The bytes of a model's file.

    Args:
        model: the bytes, which must not be changed.
    """

    def __init__(self, model: bytes | bytearray | memoryview) -> None:
        self.model = model

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        """The bytes; since protocol 5 without a copy, where the engine takes buffers out of band."""
        return _bytes_again, (PickleBuffer(self.model) if protocol.__index__() >= 5 else bytes(self.model),)


class KeptGraph:
    """A graph in memory. A pickle has the graph as ``.ms``, and each constant of 1 KiB or more once, as an array.

    Args:
        model: the graph, which must not be changed.
    """

    def __init__(self, model: Graph) -> None:
        self.model = model

    def __reduce__(self) -> tuple[Any, ...]:
        """The written graph, its constants as views of their memory, and the sources of its nodes.

        Raises:
            TypeError: the graph is read again from its file for known shapes, and is not all of the model.
            GraphError: ``.ms`` cannot express the graph.
        """
        from ...formats.ms.separate_constants import listed
        from ..model_file.sources import plain_sources

        if self.model.reading is not None:
            raise TypeError(
                "A graph that is read again for the shapes of its inputs does not pickle: compile the model from the "
                "path or the bytes of its file."
            )
        return _graph_again, (*listed(self.model), plain_sources(self.model))


def _file_again(marks: Sequence[FileMark]) -> KeptFile:
    for mark in marks:
        mark.check()
    return KeptFile(marks[0].path)


def _bytes_again(data: Any) -> KeptBytes:
    return KeptBytes(data if isinstance(data, bytes) else memoryview(data))


def _graph_again(written: bytes, arrays: Mapping[int, Bytes], sources: Mapping[str, Any]) -> KeptGraph:
    from ...formats.ms.reader import read_ms_buffer
    from ...formats.ms.separate_constants import ListedConstants
    from ..model_file.sources import give_sources

    graph = read_ms_buffer(written, ListedConstants(arrays))
    give_sources(graph, sources)
    return KeptGraph(graph)


def _mark_of(path: Path) -> FileMark:
    from ...sections.digest import digest_of_file

    size, changed_ns = cast("tuple[int, int]", _state_of(path))
    digest, _ = digest_of_file(path)
    return FileMark(str(path), size, changed_ns, digest)


def _state_of(path: Path) -> tuple[int, int] | None:
    """The size of a file and the time of its last change; None where there is no file."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns
