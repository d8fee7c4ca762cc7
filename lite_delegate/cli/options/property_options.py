"""Options of commands that set properties, with the property's default, range and effect."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from ...errors import InputError
from ...inference.properties.build_properties import NO_LIMIT, OPTIMIZE, REWRITE
from ...inference.properties.context_properties import BUILDING, CPU
from ...inference.properties.cpu_properties import BACKENDS, THREADS
from ...inference.properties.model_properties import ON_ERROR
from ...inference.properties.runtime_properties import MMAP, SAMPLES
from ...properties import Choice, Integer, Kind, PropertySpec, Registry, YesNo
from ...properties.kinds import words_of
from .files import INPUT_TEXT

_F = TypeVar("_F", bound=Callable[..., Any])
PROPERTIES = Registry("The command", {spec.name: spec for registry in (BUILDING, CPU) for spec in registry}.values())
"""The properties that a command may have an option for."""


def property_option(name: str, option: str, parameter: str = "", note: str = "", **more: Any) -> Callable[[_F], _F]:
    """An option that sets a property.

    Args:
        name: the name of the property.
        option: the option with its dashes. For a YES or NO property, the option is a flag for the other value.
        parameter: of the command; "": the name of the property in small letters.
        note: a sentence that the help has after the property's effect.
        more: arguments of ``click.option`` over the arguments that follow from the property.
    """
    spec = PROPERTIES.find(name)
    assert spec.kind is not None
    help_text = f"{_help(spec, spec.kind)} {note}".rstrip()
    return click.option(option, parameter or name.lower(), help=help_text, **{**_shape(spec, spec.kind), **more})


def _help(spec: PropertySpec, kind: Kind) -> str:
    """The effect of a property as the help of its option; for a flag, the effect of the value that the flag sets."""
    sentences = spec.effect.split(". ")
    words = words_of(kind)
    if isinstance(kind, YesNo):
        flag = "NO: " if spec.default else "YES: "
        text = next(each for each in sentences if each.startswith(flag)).removeprefix(flag)
    else:
        about_values = [each for each in sentences[1:] if each.split(":")[0] in words]
        text = ". ".join((sentences[0], *about_values))
    if text.split(":")[0] not in words:
        text = f"{text[0].upper()}{text[1:]}"
    return "".join(word.lower() if word in words else word for word in re.split(r"\b", text)) + "."


def _shape(spec: PropertySpec, kind: Kind) -> Mapping[str, Any]:
    """The arguments of ``click.option`` that follow from a property."""
    if isinstance(kind, YesNo):
        return {"flag_value": not spec.default, "default": spec.default}
    if isinstance(kind, Choice):
        words = [word.lower() for word in kind.values]
        return {"type": click.Choice(words), "default": str(spec.default).lower(), "show_default": True}
    if isinstance(kind, Integer):
        return {"type": click.IntRange(kind.minimum, kind.maximum), "default": spec.default, "show_default": True}
    return {"default": spec.default}


def bytes_of(context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    """A number of bytes, with K, M, G or T for 1024, 1024**2, ...; None for no number.

    Raises:
        InputError: a text that is no such thing.
    """
    if text is None or text.upper() == NO_LIMIT:
        return None
    number, unit = text.rstrip("kKmMgGtT"), text[len(text.rstrip("kKmMgGtT")) :].upper()
    if not (number.isascii() and number.isdigit()) or len(unit) > 1 or not int(number):
        raise InputError(f"{parameter.opts[0]} must be a number of bytes such as 512M or 2G, got '{text}'.")
    return int(number) << 10 * " KMGT".index(unit or " ")


optimize_option = property_option(OPTIMIZE, "--optimize")
rewrite_option = property_option(REWRITE, "--no-rewrite")
copy_weights_option = property_option(MMAP, "--copy-weights")
memory_limit_option = property_option(
    "MEMORY_LIMIT",
    "--memory-limit",
    note="512M and 2G are numbers, too.",
    default=None,
    callback=bytes_of,
    metavar="BYTES",
)
step_limit_option = property_option("STEP_LIMIT", "--step-limit", metavar="N")
samples_option = property_option(SAMPLES, "--samples", type=INPUT_TEXT, metavar="FILE.npz")
strict_option = property_option("STRICT", "--strict")
reference_kernels_option = property_option("REFERENCE_KERNELS", "--reference-kernels")
on_delegate_error_option = property_option(ON_ERROR, "--on-delegate-error")
threads_option = property_option(THREADS, "--threads", metavar="N")


def cpu_backends_option(default: str) -> Callable[[_F], _F]:
    """The option ``--cpu-backends``, whose default a command chooses: commands that compute take all that are there."""
    return property_option(BACKENDS, "--cpu-backends", default=default)
