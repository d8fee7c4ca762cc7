"""The options that a run is compiled with, as plain data, without the device, which both sides know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from typing import Any

from ...errors import ModelFormatError
from ..device.programs.program import ElementType
from ..device.transfer import MOST_CHUNK
from ..ir.target import OPTIMIZATION_LEVELS, Target
from ..profiles import Profile

LOCAL = frozenset({"profile", "compile_threads"})
"""Fields of a target that the bytes leave out: they do not change the program, or the device's side chooses them."""


def plain_of(target: Target) -> dict[str, Any]:
    """The choices of a target, by name."""
    values = {each.name: getattr(target, each.name) for each in fields(Target) if each.name not in LOCAL}
    return {name: value.name if isinstance(value, Enum) else value for name, value in values.items()}


def target_from(choices: Mapping[str, Any], profile: Profile, compile_threads: int) -> Target:
    """The target that the choices make of a device.

    Raises:
        ModelFormatError: a choice is missing, unknown, or has a value of another kind.
    """
    usual = Target(profile)
    names = {each.name for each in fields(Target)} - LOCAL
    if set(choices) != names:
        odd = sorted(names ^ set(choices))
        raise ModelFormatError(f"In-memory model: expected the choices {sorted(names)}, these differ: {odd}.")
    values = {name: _value(name, value, getattr(usual, name)) for name, value in choices.items()}
    for name, allowed in _allowed(profile).items():
        if values[name] not in allowed:
            raise ModelFormatError(f"In-memory model: {name} must be {_told(allowed)}, is {choices[name]!r}.")
    return Target(profile, compile_threads=compile_threads, **values)


def _allowed(profile: Profile) -> Mapping[str, Sequence[object]]:
    """The values that the device allows for each choice that is not a name or YES or NO."""
    return {
        "tiles": range(1, profile.compute.tiles + 1),
        "dma_engines": range(1, profile.memory.dma_engines + 1),
        "frequency": range(1, len(profile.compute.clock_mhz) + 1),
        "optimization_level": OPTIMIZATION_LEVELS,
        "precision": [ElementType[each.name] for each in profile.precisions],
        "compute_layout": profile.layouts,
        "transfer_chunk": range(1, MOST_CHUNK + 1),
    }


def _told(allowed: Sequence[object]) -> str:
    return f"{allowed[0]} to {allowed[-1]}" if isinstance(allowed, range) else " or ".join(map(str, allowed))


def _value(name: str, found: Any, usual: Any) -> Any:
    """A choice in the type that it has by default."""
    if isinstance(usual, Enum):
        members = type(usual).__members__
        if isinstance(found, str) and found in members:
            return members[found]
        raise ModelFormatError(f"In-memory model: {name} must be one of {', '.join(members)}, is {found!r}.")
    if type(found) is not type(usual):
        raise ModelFormatError(f"In-memory model: {name} must be of {type(usual).__name__}, is {found!r}.")
    return found
