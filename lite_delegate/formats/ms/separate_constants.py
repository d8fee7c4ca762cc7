"""Constants stored apart from their graphs: each once, mappable, or represented by only its hash or its place."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ...basics.counted import counted
from ...flatbuffer.decoder import Tables
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import Graph
from .in_model import LOCATION, ModelFiles, axes_there
from .tensors.external import Bytes, SideFiles
from .tensors.tensor_records import WeightSink

LEAST = 1024
"""Bytes that a constant must have to be kept apart from its graph."""
ALIGNMENT = 64
WITHIN = "constants"
"""The location of constants that are in the file."""
OUTSIDE = "weights:"
"""Before the hash in the location of constants that are not in the file."""
NO_FILES = ModelFiles()


class ConstantSink(WeightSink):
    """Takes the constants of several graphs, equal ones once.

    Args:
        outside: the hashes of constants that stay where they are.
        files: of the model; constants that lie in them stay there.
    """

    def __init__(self, outside: Collection[str] = (), files: ModelFiles = NO_FILES) -> None:
        super().__init__(WITHIN, LEAST)
        self._outside = outside
        self._files = files
        self._places: dict[str, int] = {}
        self._size = 0
        self._pieces: list[Bytes] = []

    def refer(self, record: Record, array: np.ndarray[Any, Any]) -> bool:
        """As ``WeightSink.refer``, for arrays in the model's files."""
        found = self._files.reference(array) if array.nbytes >= LEAST else None
        if found is not None:
            record["externalData"] = [found]
        return found is not None

    def store(self, record: Record, data: Bytes) -> None:
        """Puts contents into a tensor's record, or a reference to them."""
        if data.size < LEAST:
            record["data"] = data
            return
        digest = digest_of(data)
        if digest in self._outside:
            record["externalData"] = [{"location": OUTSIDE + digest, "offset": 0, "length": data.size}]
            return
        if digest not in self._places:
            self._places[digest] = self._size
            self._pieces += [data, np.zeros(-data.size % ALIGNMENT, np.uint8)]
            self._size += data.size + -data.size % ALIGNMENT
        record["externalData"] = [{"location": WITHIN, "offset": self._places[digest], "length": data.size}]

    def contents(self) -> memoryview:
        """The stored constants, each at a multiple of ``ALIGNMENT``."""
        return memoryview(np.concatenate(self._pieces).data if self._pieces else b"")


class Constants(SideFiles):
    """The constants of graphs in a file, as views.

    Args:
        within: the constants in the file.
        weights: the constants outside the file, by hash.
        source: the origin of ``weights``, for messages; "" without weights.
        files: the files of the model, for the constants that stay in them.
    """

    def __init__(
        self, within: memoryview, weights: Mapping[str, Bytes], source: str = "", files: ModelFiles = NO_FILES
    ) -> None:
        super().__init__(None)
        self._within = within
        self._weights = weights
        self._source = source
        self._files = files

    def axes(self, entries: Tables) -> tuple[int, ...] | None:
        """As ``SideFiles.axes``, for arrays in the model's files."""
        return next((axes_there(entry["location"] or "") for entry in entries), None)

    def read(self, entries: Tables) -> Bytes:
        """The bytes of a constant, as a read-only view.

        Raises:
            FormatProblem: the file does not have them, or the weights given do not.
        """
        if len(entries) != 1:
            raise FormatProblem(f"expected exactly one entry, found {len(entries)}")
        (entry,) = entries
        location, offset, length = entry["location"] or "", entry["offset"], entry["length"]
        if location.startswith(OUTSIDE):
            return self._from_weights(location.removeprefix(OUTSIDE), length)
        if location.startswith(LOCATION):
            return self._files.read(location, offset, length)
        if location != WITHIN or offset < 0 or length < 0 or offset + length > len(self._within):
            raise FormatProblem(f"expected {counted(length, 'byte')} at {offset} in '{location}', which are not there")
        return np.frombuffer(self._within, np.uint8, length, offset)

    def _from_weights(self, digest: str, length: int) -> Bytes:
        found = self._weights.get(digest)
        if found is not None and found.size == length:
            return found
        if not self._source:
            raise FormatProblem(
                f"{counted(length, 'byte')} of weights cannot be found in the file, which was written "
                "without weights: give the model's "
                "own file as weights"
            )
        raise FormatProblem(
            f"{counted(length, 'byte')} of weights with BLAKE2b {digest[:16]}... cannot be found in "
            f"{self._source}, which has other weights. "
            "Compile the model again"
        )


class ListedConstants(SideFiles):
    """The constants of a graph as separate arrays.

    Args:
        arrays: the bytes of each constant, by its offset in the sink that took it.
    """

    def __init__(self, arrays: Mapping[int, Bytes]) -> None:
        super().__init__(None)
        self._arrays = arrays

    def read(self, entries: Tables) -> Bytes:
        """The bytes of a constant, as a read-only view.

        Raises:
            FormatProblem: there is no such constant.
        """
        (entry,) = entries
        found = self._arrays.get(entry["offset"])
        if found is None or found.size != entry["length"]:
            raise FormatProblem(f"expected a constant of {counted(entry['length'], 'byte')} at {entry['offset']}")
        view = found.view()
        view.flags.writeable = False
        return view


def listed(graph: Graph) -> tuple[bytes, dict[int, Bytes]]:
    """A graph as ``.ms``, and the constants of ``LEAST`` bytes or more for ``ListedConstants``, as views.

    Constants that share their memory have one array.

    Raises:
        GraphError: ``.ms`` cannot express the graph.
    """
    from .writer import ms_bytes

    sink, known = WeightSink(WITHIN, LEAST), dict[tuple[int, int], Bytes]()
    written = ms_bytes(graph, sink)
    return written, {offset: known.setdefault((data.ctypes.data, data.size), data) for offset, data in sink.parts}


def weights_of(graph: Graph) -> dict[str, Bytes]:
    """The constants of a graph that may be kept apart from it, by their hash."""
    found = {}
    for each in graph.all_graphs():
        for value in each.values():
            contents = value.data if value.packed is None else value.packed.raw
            if value.is_constant and contents is not None and contents.nbytes >= LEAST and contents.dtype != object:
                data = np.ascontiguousarray(contents).reshape(-1).view(np.uint8)
                found[digest_of(data)] = data
    return found


def digest_of(data: Bytes) -> str:
    """The hexadecimal BLAKE2b of bytes, of 32 bytes."""
    return hashlib.blake2b(data.data, digest_size=32).hexdigest()
