"""Reproducer: the wrong kernels as files, with the command that shows the error."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from uuid import uuid4

import numpy as np
from lite_delegate_kernels import Array

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..delegate import Delegate
from ..devices.registry.delegate_spec import NO_OPTIONS
from ..errors import InputError, LiteDelegateError
from ..formats.ms import write_ms
from ..runtime.binding.stretch_graph import stretch_graph
from ..tensors.strings import as_numpy
from .results import Culprit
from .subgraphs.subgraph import Subgraph
from .subgraphs.tolerance import AskedTolerance

Piece = tuple[Subgraph, Sequence[Array], Culprit]
"""A subgraph, the inputs of the run in which it was wrong, and the finding in it."""
Shows = Callable[[Path, Mapping[str, Array], Delegate], bool]
"""True when a saved model, for inputs by name, is wrong on a delegate."""

HERE = '"$(dirname -- "$0")"'
"""The folder of a shell script, in the script."""


@dataclass(frozen=True, slots=True)
class Reproducer(Brief):
    """A writer of culprits: ``model.ms``, ``inputs.npz``, ``expected.npz`` and ``command.txt`` each, the last of which
    is for ``sh``.

    Attributes:
        directory: a new one, or one that is empty; all of it is written, or nothing.
        specs: of the model's delegates in their order, as ``--delegate`` takes them.
        options: of the delegates, as ``--delegate-option`` takes them.

    Raises:
        InputError: the directory has something in it, or none can be made there.
    """

    directory: Path
    specs: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=lambda: NO_OPTIONS)

    def __post_init__(self) -> None:
        path = self.directory
        if not path.absolute().parent.is_dir():
            raise InputError(f"'{path.parent}' is not a directory; cannot save in '{path}'.")
        if path.exists() and not (path.is_dir() and not any(path.iterdir())):
            raise InputError(f"'{path}' is there already; name a new directory to save in.")

    def save(
        self, pieces: Sequence[Piece], delegates: Sequence[str], asked: AskedTolerance, shows: Shows
    ) -> tuple[Culprit, ...]:
        """Saves the findings and tries each saved model on the same delegate.

        Args:
            pieces: the findings.
            delegates: names of the model's delegates, in the order of ``specs``.
            asked: the tolerance that the user gave.
            shows: tries a saved model.

        Returns:
            The culprits, with the directory of each, and a note where it could not be saved, or does not show anything.

        Raises:
            OSError: the files cannot be written; nothing was.
        """
        with _whole(self.directory) as folder:
            return tuple(
                self._save(folder, i, piece, delegates.index(piece[0].delegate.name), asked, shows)
                for i, piece in enumerate(pieces)
            )

    def _save(
        self, folder: Path, number: int, piece: Piece, owner: int, asked: AskedTolerance, shows: Shows
    ) -> Culprit:
        subgraph, inputs, culprit = piece
        nodes, boundary = subgraph.stretch(culprit.found.kernels)
        values = subgraph.values(inputs)
        name = re.sub(r"[^A-Za-z0-9_.-]+", "_", f"{number}-{nodes[0].name}")[:80]
        shapes = {tensor: array.shape for tensor, array in values.items()}
        made = stretch_graph(culprit.found.name, nodes, boundary, shapes)
        given = {made.names[t]: values[t] for t in boundary.inputs}
        expected = {made.names[t]: values[t] for t in boundary.outputs}
        try:
            (folder / name).mkdir()
            write_ms(made.graph, folder / name / "model.ms")
            _write(folder / name, _files(given, expected, [*self._delegate(owner), *_asked(asked)]))
            shown = shows(folder / name / "model.ms", given, subgraph.delegate)
        except LiteDelegateError as e:
            shutil.rmtree(folder / name)
            return replace(culprit, note=_joined(culprit.note, f"it cannot be saved: {e}"))
        note = culprit.note if shown else _joined(culprit.note, "the saved model by itself is not wrong")
        return replace(culprit, saved=str(self.directory / name), note=note)

    def _delegate(self, owner: int) -> Iterator[str]:
        """The options that name one of the delegates, alone."""
        yield from ("--delegate", self.specs[owner])
        start = "" if len(self.specs) == 1 else f"{owner + 1}."
        for key, value in self.options.items():
            if key.startswith(start):
                yield from ("--delegate-option", f"{key.removeprefix(start)}={value}")


def _files(given: Mapping[str, Array], expected: Mapping[str, Array], options: Sequence[str]) -> Mapping[str, bytes]:
    """The files beside the model. The command finds them where it is itself, so the folder can be moved."""
    inputs = [f"--input {shlex.quote(f'{name}=')}{HERE}/inputs.npz" for name in given]
    command = " ".join([f"lite-delegate compare {HERE}/model.ms", shlex.join(options), *inputs])
    return {"inputs.npz": _npz(given), "expected.npz": _npz(expected), "command.txt": f"{command}\n".encode()}


def _asked(asked: AskedTolerance) -> Iterator[str]:
    for option, limit in (("--rtol", asked.rtol), ("--atol", asked.atol)):
        yield from () if limit is None else (option, repr(limit))


@contextmanager
def _whole(directory: Path) -> Iterator[Path]:
    """A folder that takes the place of ``directory`` when the block ends well, and is gone when not."""
    folder = directory.absolute().with_name(f".{directory.absolute().name}.{uuid4().hex}.tmp")
    folder.mkdir()
    try:
        yield folder
        if directory.is_dir():
            directory.rmdir()
        os.replace(folder, directory)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _npz(arrays: Mapping[str, Array]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{name: as_numpy(x) for name, x in arrays.items()})
    return buffer.getvalue()


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
