"""Properties of the cache of compiled models, and the cache options that they stand for."""

from __future__ import annotations

import os
from pathlib import Path

from ...basics.data_class import dataclass
from ...cache import CacheOptions, Encryption
from ...cache.options import DEFAULT_SIZE, DEFAULT_WAIT_MS, MODES
from ...errors import PropertyError
from ...properties import Access, Callables, Choice, Integer, PropertySpec, Text, Values, YesNo

LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Folder:
    """The path of a folder, which may be absent; "" for no folder."""

    allowed: str = "the path of a folder, or nothing"

    def parse(self, value: object) -> str:
        """The path."""
        path = Text(self.allowed).parse(value)
        if path and Path(path).exists() and not Path(path).is_dir():
            raise ValueError("it is a file")
        return path


@dataclass(frozen=True, slots=True)
class FileName:
    """The name of a file, without a folder; "" for no name."""

    allowed: str = "the name of a file without a folder, not beginning with a dot, or nothing"

    def parse(self, value: object) -> str:
        """The name."""
        name = Text(self.allowed, most=200).parse(value)
        if os.path.basename(name) != name or name.startswith("."):
            raise ValueError
        return name


CACHE_PROPERTIES = (
    PropertySpec(
        "CACHE_DIR",
        "the folder of the cache: what was compiled before for the same devices and settings, in any process, is "
        "read instead of compiled; empty: no cache",
        Folder(),
        "",
        scope="kd",
        when="L",
    ),
    PropertySpec(
        "CACHE_MODE",
        "OPTIMIZE_SIZE leaves out of entries the weights that the model's own file has",
        Choice(MODES),
        MODES[0],
        scope="kd",
        when="L",
    ),
    PropertySpec(
        "CACHE_SIZE",
        "bytes that all entries may have together, the least recently used ones go first; 0: no limit",
        Integer(0, LARGEST),
        DEFAULT_SIZE,
        scope="kd",
        when="L",
    ),
    PropertySpec(
        "CACHE_WAIT_MS",
        "milliseconds to wait for another process that makes the same entry; then it is compiled and not written",
        Integer(0, LARGEST),
        DEFAULT_WAIT_MS,
        scope="kd",
        when="L",
    ),
    PropertySpec(
        "CACHE_BLOB_ID",
        "the name of the entry, without its suffix; empty: after its key. An entry of another key is rejected",
        FileName(),
        "",
        scope="kd",
        when="L",
    ),
    PropertySpec(
        "CACHE_ENCRYPTION_CALLBACKS",
        "functions over bytes, (encrypt, decrypt), through which entries are written and read",
        Callables(("encrypt", "decrypt")),
        None,
        scope="kd",
        when="L",
        access=Access.WO,
    ),
    PropertySpec(
        "REQUIRE_CACHED",
        "YES: a model that is not in the cache is an error that says why, and nothing is compiled",
        YesNo(),
        False,
        scope="kd",
        when="L",
    ),
)


def cache_values(options: CacheOptions | None) -> dict[str, object]:
    """The properties of cache options, by name; the inverse of ``cache_options``."""
    if options is None:
        return {"CACHE_DIR": "", "REQUIRE_CACHED": False}
    secret = options.encryption
    return {
        "CACHE_DIR": options.folder,
        "CACHE_MODE": options.mode,
        "CACHE_SIZE": options.size,
        "CACHE_WAIT_MS": options.wait_ms,
        "CACHE_BLOB_ID": options.blob_id,
        "CACHE_ENCRYPTION_CALLBACKS": None if secret is None else (secret.encrypt, secret.decrypt),
        "REQUIRE_CACHED": options.required,
    }


def cache_options(values: Values) -> CacheOptions | None:
    """The cache options of properties; None without a cache.

    Raises:
        PropertyError: a model must be in the cache, and no cache is set.
    """
    folder = values.value("CACHE_DIR")
    required = bool(values.value("REQUIRE_CACHED"))
    if not folder:
        if required:
            raise PropertyError("REQUIRE_CACHED is YES, but there is no cache: set CACHE_DIR to its folder, too.")
        return None
    callbacks = values.value("CACHE_ENCRYPTION_CALLBACKS")
    return CacheOptions(
        folder=str(folder),
        size=values.number("CACHE_SIZE"),
        wait_ms=values.number("CACHE_WAIT_MS"),
        required=required,
        mode=str(values.value("CACHE_MODE")),
        blob_id=str(values.value("CACHE_BLOB_ID")),
        encryption=Encryption(*callbacks) if isinstance(callbacks, tuple) else None,
    )
