"""Configuration files: sections of ``key=value`` lines, as ``config_path`` names them."""

from __future__ import annotations

from configparser import ConfigParser, Error

from ...basics.opening import read_regular
from ...errors import InputError


class _Sections(ConfigParser):
    """A parser that keeps upper and lower case of keys, and does not interpolate values."""

    def __init__(self) -> None:
        super().__init__(interpolation=None, delimiters=("=",), comment_prefixes=("#", ";"))

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def read_sections(path: str) -> dict[str, dict[str, str]]:
    """The sections of a configuration file, by name.

    Raises:
        InputError: the file cannot be read, or has other lines than ``[section]``, ``key=value`` and comments.
    """
    parser = _Sections()
    try:
        parser.read_string(read_regular(path).decode(), source=path)
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(f"config_path '{path}' is not a file that can be read: {e}.") from e
    except Error as e:
        line = str(e).replace("\n", " ")
        raise InputError(f"config_path '{path}': expected [section] and key=value lines: {line}") from e
    return {name: dict(parser.items(name)) for name in parser.sections()}
