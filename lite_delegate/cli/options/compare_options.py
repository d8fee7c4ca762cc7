"""Options of ``compare`` about the usability of a model, and about its repair."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from ...compare import RepairOptions, UsableLimits
from ...errors import InputError
from ..frame.loudness import note
from .options import add_options, output_option

_F = TypeVar("_F", bound=Callable[..., Any])
DEFAULT = UsableLimits()
_SHARE = click.FloatRange(0, 1)
_OPTIONS = (
    click.option(
        "--min-snr",
        type=float,
        metavar="DB",
        default=DEFAULT.snr_db,
        show_default=True,
        help="Signal-to-noise ratio in dB that each output needs to be usable.",
    ),
    click.option(
        "--min-cosine",
        type=_SHARE,
        metavar="C",
        default=DEFAULT.cosine,
        show_default=True,
        help="Cosine to the reference that each output needs to be usable.",
    ),
    click.option(
        "--min-agreement",
        type=_SHARE,
        metavar="S",
        default=DEFAULT.agreement,
        show_default=True,
        help="Share of rows with the same best class, and of equal integers, that an output needs to be usable.",
    ),
    click.option(
        "--noise-floor",
        type=click.FloatRange(0),
        metavar="A",
        default=DEFAULT.floor,
        show_default=True,
        help="Absolute differences up to it are usable, whatever their ratio to the signal.",
    ),
    click.option(
        "--classes",
        multiple=True,
        metavar="OUTPUT",
        help="An output that holds classes, whose best one must stay the same; otherwise they are recognized. "
        "Repeatable.",
    ),
    click.option("--no-classes", is_flag=True, help="No output holds classes."),
)


def usable_options(command: _F) -> _F:
    """Adds the options to a command, which gets them as one parameter ``usable``, a ``UsableLimits``."""

    @wraps(command)
    def with_limits(*args: Any, **kwargs: Any) -> Any:
        names, none = kwargs.pop("classes"), kwargs.pop("no_classes")
        if names and none:
            raise InputError("--classes and --no-classes contradict each other; leave one of them out.")
        try:
            limits = UsableLimits(
                snr_db=kwargs.pop("min_snr"),
                cosine=kwargs.pop("min_cosine"),
                agreement=kwargs.pop("min_agreement"),
                floor=kwargs.pop("noise_floor"),
                classes=names if names or none else None,
            )
        except ValueError as e:
            raise InputError(f"What is usable: {e}") from e
        return command(*args, usable=limits, **kwargs)

    return cast(_F, add_options(with_limits, _OPTIONS))


def repair_options(command: _F) -> _F:
    """``--repair``, ``--repair-seconds``, ``--repair-samples`` and ``--repair-device``.

    The command gets ``repair_file``, where the plan is to be written, and ``repair``, a ``RepairOptions``; both None
    where no repair was asked for. ``repair_samples`` is how many sets of inputs there are to be.
    """

    @wraps(command)
    def with_repair(*args: Any, repair_file: Path | None, **kwargs: Any) -> Any:
        seconds, device = kwargs.pop("repair_seconds"), kwargs.pop("repair_device")
        options = None if repair_file is None else RepairOptions(seconds, device, progress=_say)
        return command(*args, repair_file=repair_file, repair=options, **kwargs)

    plan = output_option(
        "--repair",
        "repair_file",
        metavar="FILE.json",
        help_text="Find the nodes to keep in float32 so that the model is usable, and write them there for --affinity.",
    )
    seconds = click.option(
        "--repair-seconds",
        type=click.FloatRange(0, min_open=True),
        metavar="S",
        default=RepairOptions().seconds,
        show_default=True,
        help="Time that --repair may take.",
    )
    device = click.option(
        "--repair-device",
        metavar="DEVICE",
        help="Where --repair keeps nodes: CPU, or one of the delegates.  [default: a delegate with float32, else CPU]",
    )
    samples = click.option(
        "--repair-samples",
        type=click.IntRange(1),
        metavar="N",
        default=1,
        show_default=True,
        help="Sets of inputs for which the plan of --repair must hold: inputs from --input stay, all others are "
        "random, "
        "by the seeds from --random-seed on.",
    )
    return cast(_F, plan(seconds(samples(device(with_repair)))))


def _say(text: str) -> None:
    note(f"repair: {text}")
