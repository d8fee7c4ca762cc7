"""Arguments and options that several commands share, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import click

from ..delegate_spec import NO_OPTIONS, parse_options, resolve_delegates
from ..errors import InputError
from ..files import write_whole
from ..formats import read_model
from ..partition import PartitionOptions
from ..partition.options import COST
from ..passes.optimise import LEVELS, optimise
from ..runtime import Context, Model, ModelType

_F = TypeVar("_F", bound=Callable[..., Any])
NO_SHAPES: Mapping[str, tuple[int, ...]] = MappingProxyType({})
DEFAULTS = PartitionOptions()

model_argument = click.argument("model", type=click.Path(path_type=Path))
signature_option = click.option(
    "--signature", metavar="NAME", help="Which signature of a .tflite model; the first by default."
)
optimize_option = click.option(
    "--optimize",
    type=click.Choice(tuple(LEVELS)),
    default="general",
    show_default=True,
    help="For .onnx and .tflite models: general folds, fuses and removes what is not needed; none runs what was read.",
)
times_option = click.option(
    "--times",
    type=click.Path(path_type=Path),
    metavar="FILE.json",
    help="What kernels take, written by 'lite-delegate calibrate', for --placement cost.",
)
strict_option = click.option("--strict", is_flag=True, help="Fail if any kernel would run on the CPU.")
on_delegate_error_option = click.option(
    "--on-delegate-error",
    type=click.Choice(("raise", "fallback")),
    default="raise",
    show_default=True,
    help="What to do when the delegate's device fails in a prediction: stop, or run the subgraph on the CPU.",
)


def _parse_shapes(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """``NAME=1,3,224,224`` as a name and its dimensions.

    Raises:
        InputError: a text that is no such thing, a dimension below 1, or a name that comes twice.
    """
    found: dict[str, tuple[int, ...]] = {}
    for text in texts:
        name, _, numbers = text.rpartition("=")
        dims = [part.strip() for part in numbers.split(",") if part.strip()]
        if not name or not all(part.isascii() and part.isdigit() and int(part) for part in dims):
            raise InputError(f"--input-shape must be NAME=D,D,... with dimensions of at least 1, got '{text}'.")
        if name in found:
            raise InputError(f"--input-shape names '{name}' twice.")
        found[name] = tuple(map(int, dims))
    return found


input_shape_option = click.option(
    "--input-shape",
    "shapes",
    multiple=True,
    callback=lambda context, parameter, texts: _parse_shapes(texts),
    metavar="NAME=D,D,...",
    help="Dimensions of an input of an .onnx or .tflite model, for those that it leaves open. Repeatable.",
)


def delegate_option(default: str, *, several: bool = False) -> Callable[[_F], _F]:
    """The options ``--delegate SPEC`` (parameter ``spec``) and ``--delegate-option KEY=VALUE`` (``options``).

    Args:
        default: the SPEC where none is given.
        several: whether more than one may be given; the parameter is a tuple of them then.
    """
    help_text = "none, npu, npu:PROFILE, npu:FILE.toml, or package.module:ClassName."
    more = " Repeatable: each gets what those before it left; NAME=SPEC renames one."
    spec = click.option(
        "--delegate",
        "spec",
        default=(default,) if several else default,
        multiple=several,
        show_default=True,
        metavar="SPEC",
        help=help_text + more * several,
    )
    options = click.option(
        "--delegate-option",
        "options",
        multiple=True,
        callback=lambda context, parameter, texts: parse_options(texts),
        metavar="KEY=VALUE",
        help="An option of the delegate. Repeatable." + " N.KEY=VALUE: of the N-th of several." * several,
    )
    return lambda command: spec(options(command))


def format_option(*formats: str) -> Callable[[_F], _F]:
    """The option ``--format``; the first is the default."""
    return click.option("--format", "format_", type=click.Choice(formats), default=formats[0], show_default=True)


def build_model(
    path: Path,
    spec: str | Sequence[str],
    options: Mapping[str, str] = NO_OPTIONS,
    *,
    strict: bool = False,
    on_delegate_error: str = "raise",
    signature: str | None = None,
    shapes: Mapping[str, tuple[int, ...]] = NO_SHAPES,
    optimize: str = "general",
    threads: int = 0,
    partition: PartitionOptions = DEFAULTS,
    affinity: Mapping[str, str] = NO_OPTIONS,
    repair_tries: int | None = DEFAULTS.repair_tries,
    times: Path | None = None,
    plan_only: bool = False,
) -> Model:
    """A model built from a file, with the delegates that SPECs and options name.

    Args:
        spec: of a delegate, or those of several in order of preference.
        signature: of a file that has several.
        shapes: of inputs whose dimensions the file leaves open.
        threads: of one prediction; 0 leaves the choice to the runtime.
        partition: how the model is split, but for ``affinity`` and ``repair_tries``, which are given apart.
        times: a file that has what kernels take, for placement by gain.
        plan_only: the model is for its report, and cannot predict.

    Raises:
        InputError: there is such a file, but nothing is placed by gain.
    """
    if times is not None and partition.placement != COST:
        raise InputError("--times is of use only with --placement cost.")
    context = Context()
    context.kernel_times = times
    context.cpu.thread_num = threads
    context.optimize = optimize
    context.set_delegates(resolve_delegates([spec] if isinstance(spec, str) else spec, options))
    context.partition = replace(partition, affinity=dict(affinity), repair_tries=repair_tries)
    context.strict = strict
    context.plan_only = plan_only
    context.on_delegate_error = on_delegate_error
    model = Model()
    if signature is None and not shapes:
        model.build_from_file(path, ModelType.MINDIR_LITE, context)
        return model
    model.build_from_graph(optimise(read_model(path, shapes, signature), context.optimize).graph, context)
    model.model_path_ = str(path)
    return model


def emit(text: str, output: Path | None) -> None:
    """Prints text, or writes it to a file."""
    if output is None:
        click.echo(text)
    else:
        write_whole(output, (text + "\n").encode())
