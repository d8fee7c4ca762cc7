"""Options of commands that set properties, under words of their own, with the property's default and range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from ...errors import InputError
from ...inference.properties.build_properties import OPTIMIZE, REWRITE
from ...inference.properties.context_properties import BUILDING, CPU
from ...inference.properties.cpu_properties import BACKENDS, THREADS
from ...inference.properties.model_properties import ON_ERROR
from ...inference.properties.runtime_properties import MMAP
from ...properties import Choice, Integer, Kind, PropertySpec, Registry, YesNo

_F = TypeVar("_F", bound=Callable[..., Any])
PROPERTIES = Registry("The command", {spec.name: spec for registry in (BUILDING, CPU) for spec in registry}.values())
"""The properties that a command may have an option for."""


def property_option(name: str, option: str, parameter: str = "", **more: Any) -> Callable[[_F], _F]:
    """An option that sets a property.

    Args:
        name: the name of the property.
        option: the option with its dashes. For a YES or NO property, the option is a flag for the other value.
        parameter: of the command; "": the name of the property in small letters.
        more: arguments of ``click.option``, such as the help, over the arguments that follow from the property.
    """
    spec = PROPERTIES.find(name)
    assert spec.kind is not None
    return click.option(option, parameter or name.lower(), **{**_shape(spec, spec.kind), **more})


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


def _bytes_of(context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    """A number of bytes, with K, M, G or T for 1024, 1024**2, ...; None where the option is not given.

    Raises:
        InputError: a text that is no such thing.
    """
    if text is None:
        return None
    number, unit = text.rstrip("kKmMgGtT"), text[len(text.rstrip("kKmMgGtT")) :].upper()
    if not (number.isascii() and number.isdigit()) or len(unit) > 1 or not int(number):
        raise InputError(f"--memory-limit must be a number of bytes such as 512M or 2G, got '{text}'.")
    return int(number) << 10 * " KMGT".index(unit or " ")


optimize_option = property_option(
    OPTIMIZE,
    "--optimize",
    help="For .onnx and .tflite models: general folds, fuses and removes unneeded nodes; none runs the graph as it "
    "was read.",
)
rewrite_option = property_option(
    REWRITE,
    "--no-rewrite",
    help="Ask delegates about nodes as they are, also where an equal form keeps a delegate's limits or is faster.",
)
copy_weights_option = property_option(
    MMAP,
    "--copy-weights",
    help="Read model files into memory, so that other programs may write to them meanwhile. By default they are "
    "mapped.",
)
memory_limit_option = property_option(
    "MEMORY_LIMIT",
    "--memory-limit",
    default=None,
    callback=_bytes_of,
    metavar="BYTES",
    help="The most memory that a prediction may take, such as 512M or 2G; by default the memory at hand.",
)
step_limit_option = property_option(
    "STEP_LIMIT",
    "--step-limit",
    metavar="N",
    help="Calls that the model's loops may make, and millions of terms of one kernel.",
)
strict_option = property_option("STRICT", "--strict", help="Fail if any kernel would run on the CPU.")
reference_kernels_option = property_option(
    "REFERENCE_KERNELS",
    "--reference-kernels",
    help="Leave out the CPU's fast kernels, run the reference kernels only.",
)
on_delegate_error_option = property_option(
    ON_ERROR,
    "--on-delegate-error",
    help="The reaction to a failure of the delegate's device in a prediction: stop, or run the subgraph on the CPU.",
)
threads_option = property_option(THREADS, "--threads", metavar="N", help="Of a run; 0: up to the runtime.")


def cpu_backends_option(default: str) -> Callable[[_F], _F]:
    """The option ``--cpu-backends``, whose default a command chooses: commands that compute take all that are there."""
    return property_option(
        BACKENDS,
        "--cpu-backends",
        default=default,
        help="Runtimes on whose kernels nodes that no delegate takes run, where that is faster; auto: those installed.",
    )
