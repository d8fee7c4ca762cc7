"""Weights in a side file: finding it, checking that it stays beside the model, viewing parts of it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np

from ....basics.counted import counted
from ....flatbuffer.decoder import Tables
from ....flatbuffer.mapping import map_file
from ....flatbuffer.problem import FormatProblem

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class SideFiles:
    """The files beside one model; each is mapped once.

    Users copy parts that are not aligned, so the bytes handed out of a file are limited to
    twice its size: a small model cannot ask for the same bytes many times over.
    """

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._mapped: dict[str, memoryview] = {}
        self._budget: dict[str, int] = {}

    def read(self, entries: Tables) -> Bytes:
        """The bytes that a tensor's ``externalData`` names, as a read-only view.

        NOTE: ``checkSum`` is not verified, as in MindSpore Lite. A length below 1 means up to the end.

        Raises:
            FormatProblem: not exactly one entry, a location that leaves the model's directory, or bytes that
                the file does not have.
        """
        if len(entries) != 1:
            raise FormatProblem(f"expected exactly one entry, found {len(entries)}")
        (entry,) = entries
        location, offset, length = entry["location"], entry["offset"], entry["length"]
        content = self._content(location)
        if length <= 0:
            length = len(content) - offset
        if offset < 0 or length < 0 or offset + length > len(content):
            raise FormatProblem(
                f"expected {counted(length, 'byte')} at {offset} in '{location}', which has {len(content):,}"
            )
        self._budget[location] -= length
        if self._budget[location] < 0:
            raise FormatProblem(f"tensors use more than twice the {counted(len(content), 'byte')} of '{location}'")
        return np.frombuffer(content, np.uint8, length, offset) if length else np.empty(0, np.uint8)

    def axes(self, entries: Tables) -> tuple[int, ...] | None:
        """The order in which a tensor's axes lie in what ``read`` gives, for one that is used as it lies; None: the
        order of its shape, and it is copied where its elements are not aligned.
        """
        return None

    def _content(self, location: str | None) -> memoryview:
        if not location:
            raise FormatProblem("expected a location, found none")
        if self._directory is None:
            raise FormatProblem(f"weights are in '{location}', and the directory of the model is not known")
        if location not in self._mapped:
            path = _inside(self._directory, location)
            try:
                self._mapped[location] = map_file(path)
            except FormatProblem as problem:
                raise FormatProblem(f"weights file '{path}': {problem.reason}") from problem
            self._budget[location] = 2 * len(self._mapped[location])
        return self._mapped[location]


def _inside(directory: Path, location: str) -> Path:
    """The path of a side file, which must be in the model's directory or below it, symbolic links followed."""
    for pure in (PurePosixPath(location), PureWindowsPath(location)):
        if pure.is_absolute() or pure.drive or pure.root or ".." in pure.parts:
            raise FormatProblem(f"location '{location}' must be relative to the model and must not leave its directory")
    try:
        path = (directory / location).resolve()
        is_inside = path.is_relative_to(directory.resolve())
    except (OSError, ValueError, RuntimeError) as e:
        raise FormatProblem(f"location '{location}' is not a path: {e}") from e
    if not is_inside:
        raise FormatProblem(f"location '{location}' leads out of the model's directory, to '{path}'")
    return path
