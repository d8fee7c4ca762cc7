"""Arguments and options that several commands share, and their meaning."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from ...basics.files import write_whole
from ...devices.registry.delegate_spec import parse_options
from ...errors import InputError
from ...inference.shapes.given_shapes import dim_of_text
from ...reporting.terminal import Page, laid_out_for, page
from ..frame.loudness import note_written
from ..frame.tracebacks import traceback_option
from . import completion
from .files import INPUT_TEXT, SPEC_TEXT, InputFile, ModelFile, OutputFile, OutputFolder

_F = TypeVar("_F", bound=Callable[..., Any])
Dims = tuple[int | tuple[int, int], ...]

model_argument = click.argument("model", type=ModelFile())
signature_option = click.option(
    "--signature", metavar="NAME", help="Which signature of a .tflite model; the first by default."
)
times_option = click.option(
    "--times",
    type=InputFile(),
    metavar="FILE.json",
    help="Kernel times, written by 'lite-delegate calibrate', for --placement cost.",
)
cache_dir_option = click.option(
    "--cache-dir",
    type=OutputFolder(),
    metavar="DIR",
    help="Keep compiled models in this directory, and take them from there; see 'lite-delegate cache list'.",
)
cache_folder_option = click.option(
    "--cache-dir", "folder", type=OutputFolder(), required=True, metavar="DIR", help="The cache."
)


def add_options(command: Callable[..., Any], options: Sequence[Callable[[Any], Any]]) -> Callable[..., Any]:
    """Adds options to a command, which its help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def try_first_options(command: _F) -> _F:
    """Adds ``--try-first`` and ``--try-timeout``; the parameter ``try_first`` is seconds, None for no try."""

    @wraps(command)
    def with_options(*args: Any, try_first: bool, try_timeout: float, **kwargs: Any) -> Any:
        return command(*args, try_first=try_timeout if try_first else None, **kwargs)

    return cast(_F, add_options(with_options, _TRY_FIRST))


_TRY_FIRST = (
    click.option(
        "--try-first/--no-try-first",
        default=True,
        show_default=True,
        help="Try each subgraph in a helper process, where the delegate may crash in place of this command.",
    ),
    click.option(
        "--try-timeout",
        type=click.FloatRange(0, min_open=True),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        help="For one subgraph that is tried first.",
    ),
)
isolation_option = click.option(
    "--isolation/--no-isolation",
    default=True,
    show_default=True,
    help="Run delegates that are not of this package in processes of their own.",
)
allow_fallback_option = click.option(
    "--allow-fallback",
    is_flag=True,
    help="Go on with the CPU alone where a delegate that --delegate names is not there, which is an error otherwise.",
)


def _parse_shapes(texts: Sequence[str]) -> dict[str, Dims]:
    """``NAME=1,3,224,224`` or ``NAME=1,1..128`` as a name and its dimensions, pairs where they are ranges.

    Raises:
        InputError: a text that is no such thing, a dimension below 1, or a name that comes twice.
    """
    found: dict[str, Dims] = {}
    for text in texts:
        name, _, numbers = text.rpartition("=")
        dims = [dim_of_text(part.strip()) for part in numbers.split(",") if part.strip()]
        if not name or None in dims:
            raise InputError(
                f"--input-shape must be NAME=D,D,... with dimensions of at least 1, got '{text}'; a dimension of 1 to "
                "128 is 1..128."
            )
        if name in found:
            raise InputError(f"--input-shape names '{name}' twice.")
        found[name] = tuple(dim for dim in dims if dim is not None)
    return found


def numbers_only(shapes: Mapping[str, Dims], command: str = "") -> dict[str, tuple[int, ...]]:
    """Shapes for a command that takes no ranges.

    Raises:
        InputError: there is one.
    """
    found = {name: tuple(dim for dim in dims if isinstance(dim, int)) for name, dims in shapes.items()}
    ranged = next((name for name, dims in shapes.items() if len(found[name]) < len(dims)), None)
    if ranged is not None:
        raise InputError(f"--input-shape {ranged}: '{command}' takes a number for each dimension, and no range.")
    return found


input_shape_option = click.option(
    "--input-shape",
    "shapes",
    multiple=True,
    callback=lambda context, parameter, texts: _parse_shapes(texts),
    metavar="NAME=D,D,...",
    help="Dimensions of an input of which the model leaves some open; 1..128 where one may be another in each run. "
    "Repeatable.",
)


def delegate_option(default: str, *, several: bool = False) -> Callable[[_F], _F]:
    """The options ``--delegate SPEC`` (parameter ``spec``) and ``--delegate-option KEY=VALUE`` (``options``).

    Args:
        default: the SPEC where none is given.
        several: whether more than one may be given; the parameter is a tuple of them then, else a text.
    """
    help_text = (
        "none, npu, npu:PROFILE, npu:FILE.toml, another of 'lite-delegate devices' (qnn:SM8650, litert, "
        "ethos-u55-128), HETERO:A,B,CPU, auto or AUTO:A,B (the fastest by measurement), package.module:ClassName, "
        "file.py:ClassName, or isolated:SPEC (in a process of its own)."
    )
    more = " Repeatable: each delegate gets the nodes that the earlier ones left; NAME=SPEC renames a delegate."
    spec = click.option(
        "--delegate",
        "spec",
        type=SPEC_TEXT,
        default=(default,),
        multiple=True,
        callback=None if several else _only_one,
        show_default=True,
        metavar="SPEC",
        help=help_text + more * several,
        shell_complete=completion.delegates,
    )
    options = click.option(
        "--delegate-option",
        "options",
        type=INPUT_TEXT,
        multiple=True,
        callback=lambda context, parameter, texts: parse_options(texts),
        metavar="KEY=VALUE",
        help="An option of the delegate. Repeatable." + " N.KEY=VALUE: of the N-th of several." * several,
        shell_complete=completion.options,
    )
    return lambda command: spec(options(traceback_option(command)))


def _only_one(context: click.Context, parameter: click.Parameter, specs: tuple[str, ...]) -> str:
    if len(specs) > 1:
        raise InputError(f"{context.command_path} takes one --delegate, got {' and '.join(specs)}.")
    return specs[0]


def output_option(
    *names: str, metavar: str = "FILE", help_text: str = "Write there.", required: bool = False
) -> Callable[[_F], _F]:
    """An option for a file to write; a mistake in it shows at once.

    It is eager: callbacks of other options may read files, each of which is compared with this one before.
    """
    return click.option(
        *names,
        type=OutputFile(),
        required=required,
        is_eager=True,
        metavar=metavar,
        help=help_text,
        callback=_laid_out_for_file,
    )


def _laid_out_for_file(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """A file has the same text whatever terminal the command is typed in."""
    if path is not None:
        context.with_resource(laid_out_for(Page(full=page().full)))
    return path


def _laid_out_in_full(context: click.Context, parameter: click.Parameter, is_full: bool) -> None:
    context.with_resource(laid_out_for(page()._replace(full=is_full)))


full_option = click.option(
    "--full",
    is_flag=True,
    expose_value=False,
    callback=_laid_out_in_full,
    help="Show all rows of tables, also rows that are alike.",
)


def format_option(*formats: str) -> Callable[[_F], _F]:
    """The option ``--format``; the first is the default. A page for a browser is not written into a terminal."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        callback=_not_into_a_terminal,
    )


def _not_into_a_terminal(context: click.Context, parameter: click.Parameter, format_: str) -> str:
    if format_ == "html" and context.params.get("output") is None and sys.stdout.isatty():
        raise InputError("--format html is a page for a browser, not for a terminal: give -o FILE.html, or pipe it.")
    return format_


def emit(text: str, output: Path | None) -> None:
    """Prints text, or writes it to a file."""
    if output is None:
        click.echo(text)
    else:
        write_noted(output, (text + "\n").encode())


def write_noted(path: Path, content: bytes) -> None:
    """Writes an output whole, and says on standard error which file was written, and its size."""
    write_whole(path, content)
    note_written(path, len(content))
