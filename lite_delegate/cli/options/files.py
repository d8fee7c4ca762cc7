"""The files of a command: the types of parameters that name them, and the rule that no output is one of the inputs.

Each type takes note of its file while click reads the command line, and checks it against those that were named before.
So the rule holds for every command whose parameters have these types, before any work is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

import click

from ...basics.data_class import dataclass
from ...basics.files import check_target, same_file
from ...errors import InputError

_KEY = "lite_delegate.basics.files"
_Files = Callable[[], Iterable[Path]]


@dataclass(frozen=True, slots=True)
class _Named:
    """Files that a parameter names.

    Attributes:
        parameter: the parameter's name, as users read it.
        files: gives the files; a model's files are looked for when an output may be one of its files.
        is_output: whether the files are written.
    """

    parameter: str
    files: _Files
    is_output: bool


def note_inputs(context: click.Context | None, parameter: click.Parameter | None, files: _Files) -> None:
    """Takes note of files that the command reads.

    Raises:
        InputError: an output that was named before is one of them.
    """
    _note(context, _Named(_shown(parameter), files, is_output=False))


def note_output(context: click.Context | None, parameter: click.Parameter | None, path: Path) -> None:
    """Takes note of a file that the command writes.

    Raises:
        InputError: a file that was named before is the same one.
    """
    _note(context, _Named(_shown(parameter), lambda: (path,), is_output=True))


class InputFile(click.Path):
    """A file that is read."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = cast(Path, super().convert(value, param, ctx))
        note_inputs(ctx, param, lambda: self.files(path))
        return path

    def files(self, path: Path) -> Iterable[Path]:
        """All files that are read where the parameter names one."""
        return (path,)


class ModelFile(InputFile):
    """A model that is read, with the files beside it that hold its weights."""

    def files(self, path: Path) -> Iterable[Path]:
        from ...formats.external_files import files_of_model

        return files_of_model(path)


class TextWithFile(click.types.StringParamType):
    """A text in which a file that is read has words around it: ``x=FILE.npy``, ``KEY=FILE``, ``npu:FILE.toml``.

    Words and paths are told apart later, so each part of the text that may be a path counts as a path.

    Args:
        separators: the characters behind which a path begins.
        suffixes: the suffixes with which a path ends; by default a path ends with the text.
    """

    name = "text"

    def __init__(self, separators: str, suffixes: tuple[str, ...] = ()) -> None:
        self._separators = separators
        self._suffixes = suffixes

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        note_inputs(ctx, param, lambda: self._paths(text))
        return text

    def _paths(self, text: str) -> Iterable[Path]:
        starts = [0, *(i + 1 for i, char in enumerate(text) if char in self._separators)]
        ends = [i + len(suffix) for suffix in self._suffixes for i in range(len(text)) if text.startswith(suffix, i)]
        return [Path(text[start:end]) for start in starts for end in (ends if self._suffixes else [len(text)])]


INPUT_TEXT = TextWithFile("=")
SPEC_TEXT = TextWithFile("=:,", (".py", ".toml"))


class OutputFile(click.Path):
    """A file that is written. That it can be written is looked at before anything that takes long."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = cast(Path, super().convert(value, param, ctx))
        if ctx is not None and not ctx.resilient_parsing:
            check_target(path)
            note_output(ctx, param, path)
        return path


class OutputFolder(click.Path):
    """A folder in which files are written."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)


def _note(context: click.Context | None, new: _Named) -> None:
    if context is None or context.resilient_parsing:
        return
    known: list[_Named] = context.meta.setdefault(_KEY, [])
    for other in known:
        _check_apart(other, new)
    known.append(new)


def _check_apart(a: _Named, b: _Named) -> None:
    output, other = (a, b) if a.is_output else (b, a)
    if not output.is_output:
        return
    for path in output.files():
        if other.is_output and _is_same_place(path, other.files()):
            raise InputError(f"{a.parameter} and {b.parameter} are both '{path}'; name two files.")
        if other.is_output or not _is_replaced(path):
            continue
        same = same_file(path, other.files())
        if same is not None:
            also = "" if same == path else f" ('{same}')"
            raise InputError(
                f"{output.parameter} '{path}' is a file that is read, of {other.parameter}{also}; name another file."
            )


def _is_same_place(path: Path, others: Iterable[Path]) -> bool:
    """Whether an output is the file of another output; outputs may share a stream, such as a terminal."""
    return any(_is_replaced(path) and path.resolve() == other.resolve() for other in others)


def _is_replaced(path: Path) -> bool:
    """Whether writing a file replaces the file at the path."""
    return path.is_file() or not path.exists()


def _shown(parameter: click.Parameter | None) -> str:
    if parameter is None:
        return "a parameter"
    return max(parameter.opts, key=len) if isinstance(parameter, click.Option) else parameter.human_readable_name
