"""Vela's configuration files: clocks and memories of systems, by name."""

from __future__ import annotations

from configparser import ConfigParser
from configparser import Error as ParserError
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from ...errors import DelegateUnavailable
from .vela import PACKAGE, VelaSettings

OWN = "Arm/vela.ini"
"""The file that Vela reads where none is named."""


def located(config: str) -> str:
    """The absolute path of a configuration file in the working directory; other names are left to Vela."""
    path = Path(config).absolute()
    return str(path) if config and path.is_file() else config


def check(settings: VelaSettings) -> None:
    """Checks the configuration file and the names that it must have.

    Raises:
        DelegateUnavailable: the file is not there or cannot be read, or has no such system or memory mode.
    """
    path = _path(settings.config or OWN)
    if path is not None:
        _check_names(path, settings)
    elif settings.config:
        raise DelegateUnavailable(f"Vela's configuration file '{settings.config}' is not there.")


def digest(config: str) -> str:
    """The digest of a configuration file's content; "" for Vela's own file, and where there is none."""
    path = _path(config) if config else None
    return "" if path is None else blake2b(path.read_bytes(), digest_size=16).hexdigest()


def _path(config: str) -> Path | None:
    """The file with this path, else the file of Vela's package with this name, as Vela looks for it."""
    given = Path(config).absolute()
    if given.is_file():
        return given
    found = find_spec(PACKAGE)
    folders = [] if found is None else found.submodule_search_locations or ()
    packaged = (Path(folder) / "config_files" / config for folder in folders)
    return next((path for path in packaged if path.is_file()), None)


def _check_names(path: Path, settings: VelaSettings) -> None:
    parser = ConfigParser()
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except (ParserError, OSError, UnicodeDecodeError) as e:
        said = " ".join(str(e).split())
        raise DelegateUnavailable(f"Vela's configuration file '{path}' cannot be read: {said}") from e
    for kind, name in (("System_Config", settings.system), ("Memory_Mode", settings.memory)):
        known = [each.removeprefix(f"{kind}.") for each in parser.sections() if each.startswith(f"{kind}.")]
        if name and name not in known:
            raise DelegateUnavailable(f"'{path}' has no {kind}.{name}; it has {', '.join(known) or 'none'}.")
