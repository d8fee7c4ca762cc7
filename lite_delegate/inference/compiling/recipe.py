"""Recipes: how models are compiled, and the digests of their contents, for the key of the cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import field
from functools import cache
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...basics.data_class import dataclass
from ...formats.ms.in_model import ModelFiles
from ...ir import Graph
from ...sections.digest import digest_of, digest_of_file

if TYPE_CHECKING:
    from ..model_file.parts import ModelParts

NOTHING_MORE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Recipe:
    """The compilation of a model, apart from its settings.

    Attributes:
        content: gives the digest of the model's file, or of the graph.
        loading: the options of reading, as plain data.
        read: gives the graph of the compilation, for entries without weights.
        compile: compiles the model without the cache.
        weights: gives the digest of the files that the model's file names; "" for a model without such files.
        files: gives the model's file and the files that it names, as they were hashed.
    """

    content: Callable[[], str]
    read: Callable[[], Graph]
    compile: Callable[[], ModelParts]
    loading: Mapping[str, Any] = field(default_factory=dict)
    weights: Callable[[], str] = str
    files: Callable[[], ModelFiles] = ModelFiles


@dataclass(frozen=True, slots=True)
class Hashed:
    """Files that were hashed.

    Attributes:
        digest: over the contents in order; names and paths of the files do not matter.
        contents: the mapped contents of each file.
    """

    digest: str
    contents: tuple[memoryview, ...] = ()


def hashed(paths: Sequence[Path]) -> Hashed:
    """Hashes files.

    Raises:
        OSError: a file cannot be read.
    """
    found = [digest_of_file(path) for path in paths]
    return Hashed(_joined([digest for digest, _ in found]), tuple(content for _, content in found))


def _joined(digests: Sequence[str]) -> str:
    """The digest of several files, from the digests of their contents."""
    return digest_of("".join(digests).encode())


def recipe_of_file(
    path: Path,
    level: str,
    read: Callable[[], Graph],
    make: Callable[[], ModelParts],
    loading: Mapping[str, Any] = NOTHING_MORE,
) -> Recipe:
    """The recipe of a model in a file, whose contents are hashed from now on, in other threads.

    Args:
        path: of the file.
        level: the level of optimization.
        read: gives the graph that is compiled.
        make: compiles the graph without the cache.
        loading: the options of reading, as plain data.
    """

    own = _begun(lambda: hashed([path]))

    @cache
    def outside() -> Hashed:
        from ...formats.external_files import external_files

        files = external_files(path)
        return hashed(files) if files else Hashed("")

    def files() -> ModelFiles:
        return ModelFiles((*own().contents, *outside().contents))

    return Recipe(lambda: own().digest, read, make, {"optimize": level, **loading}, lambda: outside().digest, files)


def recipe_of_bytes(
    data: bytes | bytearray | memoryview,
    level: str,
    read: Callable[[], Graph],
    make: Callable[[], ModelParts],
    loading: Mapping[str, Any] = NOTHING_MORE,
) -> Recipe:
    """The recipe of a model file's bytes; equal to the recipe of the file if no other file has its weights.

    Arguments as for ``recipe_of_file``.
    """
    files = ModelFiles((memoryview(data).cast("B"),), in_memory=True)
    return Recipe(lambda: _joined([digest_of(data)]), read, make, {"optimize": level, **loading}, files=lambda: files)


def recipe_of_graph(graph: Graph, make: Callable[[], ModelParts], loading: Mapping[str, Any] = NOTHING_MORE) -> Recipe:
    """The recipe of a graph in memory; arguments as for ``recipe_of_file``."""
    return Recipe(lambda: content_of_graph(graph), lambda: graph, make, loading)


def content_of_graph(graph: Graph) -> str:
    """The digest of a graph from any source.

    Raises:
        GraphError: ``.ms`` cannot express the graph.
    """
    from ...formats.ms.separate_constants import ConstantSink, weights_of
    from ...formats.ms.writer import ms_bytes
    from ...sections.sections import canonical_json
    from ..model_file.sources import plain_sources

    written = ms_bytes(graph, ConstantSink(weights_of(graph)))
    return digest_of(written + canonical_json(plain_sources(graph)))


def _begun(compute: Callable[[], Hashed]) -> Callable[[], Hashed]:
    """Starts a thread that computes a result; gives a function that waits for the result."""
    context, found, errors = copy_context(), list[Hashed](), list[BaseException]()

    def work() -> None:
        try:
            found.append(context.run(compute))  # the context says whether files are copied
        except BaseException as e:
            errors.append(e)

    def result() -> Hashed:
        thread.join()
        if errors:
            raise errors[0]
        return found[0]

    thread = Thread(target=work, name="lite-delegate-content", daemon=True)
    thread.start()
    return result
