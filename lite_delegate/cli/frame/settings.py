"""Defaults of options: environment variables, and the file ``lite-delegate.toml`` of the working directory."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from ...basics.similar import did_you_mean
from ...errors import InputError
from .help_texts import COMMANDS, shared_options
from .loudness import note

FILE = Path("lite-delegate.toml")
PREFIX = "LITE_DELEGATE"


def long_name(parameter: click.Parameter) -> str:
    """The longest name of an option, without dashes."""
    return max(parameter.opts, key=len).lstrip("-")


def name_variables(command: click.Command) -> None:
    """Gives each option of a command its environment variable, such as ``LITE_DELEGATE_REPORT_DELEGATE``."""
    for option in command.params:
        if isinstance(option, click.Option) and option.envvar is None:
            option.envvar = "_".join((PREFIX, command.name or "", long_name(option))).translate(_UPPER).upper()


_UPPER = str.maketrans("- ", "__")


def defaults_in_file(command: click.Command) -> dict[str, Any]:
    """The values of a command's options in the file, by parameter: of the command's table, else of no table.

    Raises:
        InputError: the file is no TOML, or names a command or an option that does not exist.
        OSError: the file cannot be read.
    """
    if not FILE.is_file():
        return {}
    try:
        table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise InputError(f"'{FILE}' is no TOML: {e}.") from e
    options = {long_name(each): each for each in command.params if isinstance(each, click.Option)}
    given = _shared(table)
    own = _of_command(table, command.name or "")
    for name in own:
        if name not in options:
            raise InputError(f"'{FILE}', [{command.name}]: no option '{name}'{did_you_mean(name, options) or '.'}")
    found = {name: value for name, value in {**given, **own}.items() if name in options}
    if found:
        note(f"note: from '{FILE}': {', '.join(found)}")
    return {str(options[name].name): _value(options[name], value) for name, value in found.items()}


def _shared(table: Mapping[str, Any]) -> dict[str, Any]:
    """What stands in no table, for all commands that have such an option; checks the names of tables, too."""
    words = {name.split()[0] for name in COMMANDS}
    values = {name: value for name, value in table.items() if not isinstance(value, dict)}
    for known, names in ((words, table.keys() - values.keys()), (shared_options(), values.keys())):
        for name in names:
            if name not in known:
                what = "command" if known is words else "option of several commands"
                raise InputError(f"'{FILE}': no {what} '{name}'{did_you_mean(name, known) or '.'}")
    return values


def _of_command(table: Mapping[str, Any], command: str) -> dict[str, Any]:
    """The table ``[report]`` of a command, or ``[report.diff]`` of a command with two words."""
    found: Any = table
    for word in command.split():
        found = found.get(word, {}) if isinstance(found, dict) else {}
    return {name: value for name, value in found.items() if f"{command} {name}" not in COMMANDS}


def _value(option: click.Option, value: Any) -> Any:
    """As click has the value of an option: a flag's own, and lists where an option is repeatable."""
    if option.is_flag and not option.secondary_opts:
        return option.flag_value if value else option.default
    if option.multiple:
        return [str(each) for each in (value if isinstance(value, list) else [value])]
    return value
