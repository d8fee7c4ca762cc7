"""Options about the device of each node, and about failures of such a placement."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from ...basics.opening import read_regular
from ...errors import InputError
from ...partition import PartitionOptions
from .files import InputFile

_F = TypeVar("_F", bound=Callable[..., Any])
USUAL = PartitionOptions()
UNLIMITED = "none"
"""The word for no limit on the command line."""


def placement_options(command: _F) -> _F:
    """``--affinity``, ``--pin``, ``--repair-tries`` and ``--calibration-ms``, below ``partition_options``.

    Their values become part of the command's parameter ``partition``, which ``partition_options`` makes.
    """

    @wraps(command)
    def with_plan(*args: Any, affinity: dict[str, str], pins: dict[str, str], **kw: Any) -> Any:
        limits = {name: kw.pop(name) for name in ("repair_tries", "calibration_ms")}
        kw["partition"] = replace(kw["partition"], affinity={**affinity, **pins}, **limits)
        return command(*args, **kw)

    affinity = click.option(
        "--affinity",
        type=InputFile(),
        callback=lambda context, parameter, path: read_affinity(path),
        metavar="FILE.json",
        help="The device of each node: an object of delegate names, or CPU, by the names of nodes.",
    )
    pins = click.option(
        "--pin",
        "pins",
        multiple=True,
        callback=lambda context, parameter, texts: parse_pins(texts),
        metavar="NODE=DEVICE",
        help="Run a node on a delegate, by its name, or on CPU. Goes before --affinity. Repeatable.",
    )
    tries = click.option(
        "--repair-tries",
        default=word_of_limit(USUAL.repair_tries),
        show_default=True,
        callback=lambda context, parameter, text: parse_limit("--repair-tries", text),
        metavar="N|none",
        help="Parts that are tried where a subgraph does not compile; none: as many as it takes, 0: no repair.",
    )
    calibration = click.option(
        "--calibration-ms",
        default=word_of_limit(USUAL.calibration_ms),
        show_default=True,
        callback=lambda context, parameter, text: parse_limit("--calibration-ms", text),
        metavar="N|none",
        help="Milliseconds for plans beyond those with each delegate alone, with the placement fastest.",
    )
    return cast(_F, affinity(pins(tries(calibration(with_plan)))))


def read_affinity(path: Path | None) -> dict[str, str]:
    """The plan in a file; an empty one where there is no file.

    Raises:
        InputError: the file is no JSON object of strings, or names a node twice.
        OSError: it cannot be read.
    """
    if path is None:
        return {}
    try:
        found = json.loads(read_regular(path), object_pairs_hook=lambda pairs: _once(path, pairs))
    except (ValueError, RecursionError) as e:
        if isinstance(e, InputError):
            raise
        raise InputError(f"--affinity {path}: it is no JSON: {e}.") from e
    if not isinstance(found, dict) or not all(isinstance(device, str) for device in found.values()):
        raise InputError(f'--affinity {path}: expected an object such as {{"conv1": "npu", "softmax": "CPU"}}.')
    return found


def _once(path: Path, pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, device in pairs:
        if name in found:
            raise InputError(f"--affinity {path}: node '{name}' is named twice.")
        found[name] = device
    return found


def parse_pins(texts: Sequence[str]) -> dict[str, str]:
    """``NODE=DEVICE`` as a plan.

    Raises:
        InputError: a text that is no such thing, or a node that comes twice.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, _, device = text.rpartition("=")
        if not name or not device:
            raise InputError(f"--pin must be NODE=DEVICE, got '{text}'.")
        if name in found:
            raise InputError(f"--pin names node '{name}' twice.")
        found[name] = device
    return found


def word_of_limit(limit: int | None) -> str:
    """A limit as the command line has it; ``parse_limit`` gives it back."""
    return UNLIMITED if limit is None else str(limit)


def parse_limit(option: str, text: str) -> int | None:
    """A number, None for ``none``.

    Raises:
        InputError: neither that nor a number of at least 0.
    """
    if text == UNLIMITED:
        return None
    if not (text.isascii() and text.isdigit()):
        raise InputError(f"{option} must be a number of at least 0, or {UNLIMITED}; got '{text}'.")
    return int(text)
