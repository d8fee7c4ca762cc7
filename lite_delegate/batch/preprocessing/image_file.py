"""The TOML file that says how images become inputs: a table for each input, with keys as ``ImageOptions`` has them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...basics.similar import did_you_mean
from ...errors import InputError
from .image_options import COLOURS, DTYPES, FITS, LAYOUTS, ORIENTATIONS, RESIZES, ImageOptions

FRACTION = re.compile(r"\s*([0-9.]+)\s*/\s*([0-9.]+)\s*")
"""``"1/255"``: TOML has no such numbers."""


class _BadValue(Exception):
    """What a key expects."""


def read_image_file(path: str, inputs: Sequence[str]) -> dict[str, ImageOptions]:
    """The options of each input that a file names.

    Args:
        path: of the file.
        inputs: the names of the model's inputs.

    Raises:
        InputError: the file is no TOML, names no input or one that does not exist, or has a key or a value that is not
            known.
        OSError: the file cannot be read.
    """
    try:
        with open(path, "rb") as file:
            tables = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise InputError(f"'{path}' is no TOML: {e}") from e
    if not tables:
        raise InputError(f"'{path}' is empty, expected a table [{_toml_key(inputs[0])}] for the model's input.")
    known = ", ".join(f"'{name}'" for name in inputs)
    for name, table in tables.items():
        if name not in inputs:
            place = f"key '{name}'" if not isinstance(table, dict) else f"[{name}]"
            raise InputError(f"'{path}', {place}: expected a table for one of the inputs {known}{_meant(name, inputs)}")
        if not isinstance(table, dict):
            raise InputError(f"'{path}', '{name}': expected a table [{_toml_key(name)}] with keys, got {table!r}.")
    return {name: _options(f"'{path}', [{_toml_key(name)}]", table) for name, table in tables.items()}


def _options(where: str, table: Mapping[str, Any]) -> ImageOptions:
    unknown = next((key for key in table if key not in KEYS), None)
    if unknown is not None:
        raise InputError(
            f"{where}: there is no key '{unknown}'; the keys are {', '.join(KEYS)}{_meant(unknown, list(KEYS))}"
        )
    found: dict[str, Any] = {}
    for key, value in table.items():
        try:
            found[key] = KEYS[key](value)
        except _BadValue as e:
            raise InputError(f"{where}, {key}: expected {e.args[0]}, got {value!r}{e.args[1]}") from None
    return ImageOptions(**found)


def _meant(word: str, known: Sequence[str]) -> str:
    return did_you_mean(word, known) or "."


def _toml_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else f'"{name}"'


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _choice(*known: str) -> Callable[[Any], str]:
    def checked(value: Any) -> str:
        if value in known:
            return str(value)
        raise _BadValue(f"one of {', '.join(known)}", _meant(value, known) if isinstance(value, str) else ".")

    return checked


def _text(value: Any) -> str:
    if isinstance(value, str) and value:
        return value
    raise _BadValue("a name", ".")


def _size(value: Any) -> tuple[int, int]:
    pair = value if isinstance(value, list) else [value, value]
    if len(pair) == 2 and all(isinstance(each, int) and not isinstance(each, bool) and each > 0 for each in pair):
        return pair[0], pair[1]
    raise _BadValue("[height, width] or one number of pixels", ".")


def _scale(value: Any) -> float:
    if _is_number(value):
        return float(value)
    found = FRACTION.fullmatch(value) if isinstance(value, str) else None
    try:
        if found is not None:
            return float(found[1]) / float(found[2])
    except (ValueError, ZeroDivisionError):
        pass
    raise _BadValue('a number, or "1/255"', ".")


def _fraction(value: Any) -> float:
    if _is_number(value) and 0 < value <= 1:
        return float(value)
    raise _BadValue("a number over 0, at most 1", ".")


def _numbers(*, may_be_zero: bool) -> Callable[[Any], tuple[float, ...]]:
    def checked(value: Any) -> tuple[float, ...]:
        each = value if isinstance(value, list) else [value]
        if len(each) in (1, 3) and all(map(_is_number, each)) and (may_be_zero or all(each)):
            return tuple(map(float, each))
        raise _BadValue(f"a number or one for each channel{'' if may_be_zero else ', not 0'}", ".")

    return checked


KEYS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "column": _text,
        "size": _size,
        "resize": _choice(*RESIZES),
        "fit": _choice(*FITS),
        "crop_fraction": _fraction,
        "fill": _numbers(may_be_zero=True),
        "colour": _choice(*COLOURS),
        "scale": _scale,
        "mean": _numbers(may_be_zero=True),
        "std": _numbers(may_be_zero=False),
        "layout": _choice(*LAYOUTS),
        "dtype": _choice(*DTYPES),
        "orientation": _choice(*ORIENTATIONS),
    }
)
"""The check of each key's value, which returns the value of the option."""
