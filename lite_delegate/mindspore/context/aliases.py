"""Aliases: properties that are other names of attributes of a context."""

from __future__ import annotations

import os
from collections.abc import Callable

from ...basics.data_class import dataclass
from ...properties import Values
from .context_options import CpuOptions


@dataclass(frozen=True, slots=True)
class Alias:
    """Properties and the attributes that they are other names of.

    Attributes:
        names: the properties.
        read: gives their values by name as the attributes are now.
        write: sets the attributes to what the values say.
    """

    names: tuple[str, ...]
    read: Callable[[CpuOptions], dict[str, object]]
    write: Callable[[CpuOptions, Values], None]


def _read_cache(context: CpuOptions) -> dict[str, object]:
    cache = context.cache
    if cache is None:
        return {"CACHE_DIR": "", "REQUIRE_CACHED": False}
    secret = cache.encryption
    return {
        "CACHE_DIR": os.fspath(cache.folder),
        "CACHE_MODE": cache.mode,
        "CACHE_SIZE": cache.size,
        "CACHE_WAIT_MS": cache.wait_ms,
        "CACHE_BLOB_ID": cache.blob_id,
        "REQUIRE_CACHED": cache.required,
        "CACHE_ENCRYPTION_CALLBACKS": None if secret is None else (secret.encrypt, secret.decrypt),
    }


def _write_cache(context: CpuOptions, values: Values) -> None:
    from ...inference.properties.cache_properties import cache_options

    context.cache = cache_options(values)


def _write_on_error(context: CpuOptions, values: Values) -> None:
    context.on_delegate_error = str(values.value("ON_DEVICE_ERROR")).lower()


def _write_mapping(context: CpuOptions, values: Values) -> None:
    context.copy_weights = not values.value("ENABLE_MMAP")


def _write_transformations(context: CpuOptions, values: Values) -> None:
    context.rewrite = not values.value("DISABLE_TRANSFORMATIONS")
    context.optimize = "general" if context.rewrite else "none"


def _write_threads(context: CpuOptions, values: Values) -> None:
    context.cpu.thread_num = int(str(values.value("INFERENCE_NUM_THREADS")))


def _write_backends(context: CpuOptions, values: Values) -> None:
    context.cpu.backends = str(values.value("CPU_BACKENDS")).lower()


ALIASES = (
    Alias(
        (
            "CACHE_DIR",
            "CACHE_MODE",
            "CACHE_SIZE",
            "CACHE_WAIT_MS",
            "CACHE_BLOB_ID",
            "REQUIRE_CACHED",
            "CACHE_ENCRYPTION_CALLBACKS",
        ),
        _read_cache,
        _write_cache,
    ),
    Alias(("ON_DEVICE_ERROR",), lambda c: {"ON_DEVICE_ERROR": c.on_delegate_error.upper()}, _write_on_error),
    Alias(("ENABLE_MMAP",), lambda c: {"ENABLE_MMAP": not c.copy_weights}, _write_mapping),
    Alias(
        ("DISABLE_TRANSFORMATIONS",),
        lambda c: {"DISABLE_TRANSFORMATIONS": c.optimize == "none" and not c.rewrite},
        _write_transformations,
    ),
    Alias(("INFERENCE_NUM_THREADS",), lambda c: {"INFERENCE_NUM_THREADS": c.cpu.thread_num}, _write_threads),
    Alias(("CPU_BACKENDS",), lambda c: {"CPU_BACKENDS": c.cpu.backends.upper()}, _write_backends),
)


def live_values(context: CpuOptions) -> dict[str, object]:
    """The values of all aliases as the attributes of a context are now, by property."""
    return {name: value for alias in ALIASES for name, value in alias.read(context).items()}


def write_aliases(context: CpuOptions, names: set[str], values: Values) -> None:
    """Sets the attributes of a context that some properties are other names of.

    Args:
        context: whose attributes are set.
        names: of the properties that were set.
        values: of all properties.
    """
    for alias in ALIASES:
        if not names.isdisjoint(alias.names):
            alias.write(context, values)
