"""Options of ``lite-delegate batch`` about the engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import click

from ...batch.engines.engine import BatchEngine
from ...batch.engines.ray_engine.resources import PLACE_SECONDS
from ...errors import InputError
from ..options.options import add_options

Command = TypeVar("Command", bound=Callable[..., Any])
SECONDS = click.FloatRange(0, min_open=True)
OPTIONS = (
    click.option("--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True),
    click.option(
        "--workers",
        type=click.IntRange(1),
        metavar="N",
        help="Processes; by default one for each processor, or as many as a cluster of Ray has room for.",
    ),
    click.option("--chunk-timeout", type=SECONDS, metavar="SECONDS", help="For one part."),
    click.option(
        "--address",
        metavar="auto|none|HOST:PORT|ray://HOST:PORT",
        help="The cluster of Ray; none: it is started here. By default RAY_ADDRESS says it, or none.",
    ),
    click.option(
        "--resources",
        metavar="NAME=NUMBER,...",
        help="What a worker takes of a node of Ray: CPU=2,GPU=1,npu=1. By default CPU as the model has threads.",
    ),
    click.option(
        "--place-timeout",
        type=SECONDS,
        metavar="SECONDS",
        help=f"For Ray to start the first worker. [default: {PLACE_SECONDS:g}]",
    ),
)
OF_RAY = ("address", "resources", "place_timeout")


def engine_options(command: Command) -> Command:
    """Adds the options to a command, which gets the engine as ``engine``."""

    @wraps(command)
    def made(*args: Any, engine: str, workers: int | None, chunk_timeout: float | None, **given: Any) -> Any:
        said = {name: given.pop(name) for name in OF_RAY}
        return command(*args, engine=_engine(engine, workers, chunk_timeout, **said), **given)

    return cast(Command, add_options(made, OPTIONS))


def _engine(
    name: str,
    workers: int | None,
    chunk_timeout: float | None,
    address: str | None,
    resources: str | None,
    place_timeout: float | None,
) -> BatchEngine:
    from ...batch import LocalEngine, RayEngine

    if name == "ray":
        return RayEngine(workers, address, resources or "", chunk_timeout, place_timeout or PLACE_SECONDS)
    said = {"--address": address, "--resources": resources, "--place-timeout": place_timeout}
    given = next((option for option, value in said.items() if value is not None), None)
    if given is not None:
        raise InputError(f"{given} is of --engine ray.")
    return LocalEngine(workers, chunk_timeout)
