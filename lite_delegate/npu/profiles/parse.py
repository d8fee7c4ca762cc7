"""The parser of profile files, which takes any contents."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from ...basics.similar import did_you_mean
from ...errors import InputError
from ...ir.operator_names import format_of
from ...ir.types.data_type import DataType
from ...properties import shown
from .bounds import EVERY, NAMES, OperatorBounds
from .driver_version import version_fields
from .number_range import NumberRange
from .operators import known_operators
from .presence import Presence
from .profile import FLOATING, QUANTIZED, Compute, Defaults, Memory, OperatorLimits, Profile
from .schema import Key, keys_of

TABLES: Mapping[str, type] = {
    "limits": OperatorLimits,
    "presence": Presence,
    "compute": Compute,
    "memory": Memory,
    "defaults": Defaults,
}
ALL = "all"
PAIR = re.compile(r"\d{1,9}\.\d{1,9}", re.ASCII)
SINCE = "_since"
"""The end of the names of limits that hold the first driver version with a feature."""
LAYOUTS = ("NCHW", "NHWC")
DEVICE_TYPES = ("INTEGRATED", "DISCRETE")
REQUIRED = ("description", "operators")
_FLOAT_NAMES = tuple(d.name for d in sorted(FLOATING))
_DTYPE_NAMES = tuple(d.name for d in sorted(FLOATING | QUANTIZED))

TOP_KEYS: Mapping[str, Key] = {
    key.name: key
    for key in (
        Key("description", str, None, False, NumberRange(0, 0), ""),
        Key("base", str, None, False, NumberRange(0, 0), ""),
        Key("operators", str, frozenset, False, NumberRange(0, 0), ALL),
        Key("dtypes", str, frozenset, False, NumberRange(0, 0), frozenset(_FLOAT_NAMES)),
        Key("precisions", str, tuple, False, NumberRange(0, 0), ("FLOAT16", "FLOAT32")),
        Key("layouts", str, tuple, False, NumberRange(0, 0), LAYOUTS),
        Key("max_rank", int, None, False, NumberRange(1, 8), 4),
        Key("platform", str, None, False, NumberRange(0, 0), ""),
        Key("driver_version", str, None, False, NumberRange(0, 0), ""),
        Key("device_type", str, None, False, NumberRange(0, 0), "INTEGRATED"),
        Key("driver_ir", str, tuple, False, NumberRange(0, 0), ()),
    )
}
"""The keys outside of tables; ``base`` is gone when ``parse_profile`` is called, see ``merged``."""

_T = TypeVar("_T")


def parse_profile(name: str, data: Mapping[str, Any], *, source: str = "") -> Profile:
    """A profile from the contents of its file.

    Args:
        name: the name of the profile.
        data: keys and tables, as a TOML parser gives them, with the base profile merged in.
        source: the name of the source in messages; "" for "NPU profile NAME".

    Raises:
        InputError: a key that no profile has, a missing key, or a value of another type or out of range.
    """
    where = source or f"NPU profile '{name}'"
    _check_names(where, "an unknown key", data, [*TOP_KEYS.keys() - {"base"}, *TABLES])
    missing = [key for key in REQUIRED if key not in data]
    if missing:
        raise InputError(f"{where} lacks {', '.join(missing)}.")
    values = {key: _top(where, key, data) for key in TOP_KEYS}
    dtypes = {DataType[d] for d in values["dtypes"]}
    precisions = tuple(DataType[d] for d in values["precisions"])
    profile = Profile(
        name=name,
        description=values["description"],
        operators=None if values["operators"] == ALL else values["operators"],
        dtypes=frozenset(dtypes & FLOATING),
        max_rank=values["max_rank"],
        limits=_table(where, "limits", data, OperatorLimits),
        bounds=_bounds(where, data),
        presence=_table(where, "presence", data, Presence),
        compute=_table(where, "compute", data, Compute),
        memory=_table(where, "memory", data, Memory),
        platform=values["platform"],
        driver_version=values["driver_version"],
        quantized=frozenset(dtypes & QUANTIZED),
        storage=precisions[0],
        defaults=_table(where, "defaults", data, Defaults),
        precisions=precisions,
        layouts=values["layouts"],
        device_type=values["device_type"],
        driver_ir=values["driver_ir"],
    )
    _check_fit(where, profile)
    return profile


def merged(base: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """The contents of a file over the contents of its base: tables key by key, other values replaced."""
    result = _over(base, data)
    result.pop("base", None)
    return result


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of ``below``, replaced by the keys of ``above``; tables in tables likewise."""
    both = {
        name: _over(below[name], value)
        for name, value in above.items()
        if isinstance(value, dict) and isinstance(below.get(name), dict)
    }
    return {**below, **above, **both}


def _top(where: str, name: str, data: Mapping[str, Any]) -> Any:
    key = TOP_KEYS[name]
    if name not in data or (name == "operators" and data[name] == ALL):
        return key.default
    if name == "operators" and data[name] == []:
        return frozenset()
    value = key.value(data[name], where)
    allowed = _allowed(name)
    if allowed is not None:
        _check_names(where, f"unknown {name}:", [value] if isinstance(value, str) else value, allowed)
    if name == "driver_version":
        _check_version(where, name, value)
    odd = [each for each in value if not re.fullmatch(PAIR, each)] if name == "driver_ir" else []
    if odd:
        raise InputError(f"{where}: 'driver_ir' must be pairs of numbers such as \"1.0\", got {shown(odd[0])}.")
    if name == "description" and not value.isprintable():
        raise InputError(f"{where}: 'description' must be one line of text, got {shown(value)}.")
    return value


def _allowed(name: str) -> Collection[str] | None:
    if name == "operators":
        return known_operators()
    return {
        "dtypes": _DTYPE_NAMES,
        "precisions": _FLOAT_NAMES,
        "layouts": LAYOUTS,
        "device_type": DEVICE_TYPES,
    }.get(name)


def _check_version(where: str, key: str, version: str) -> None:
    try:
        version_fields(version or "0")
    except ValueError as e:
        raise InputError(f"{where}: '{key}': {e}") from e


def _table(where: str, name: str, data: Mapping[str, Any], table: type[_T]) -> _T:
    found = data.get(name, {})
    if not isinstance(found, dict):
        raise InputError(f"{where}: '{name}' must be a table, got {shown(found)}.")
    operators = _operators_in(found) if table is OperatorLimits else ()
    return _of_table(where, name, {key: found[key] for key in found if key not in operators}, table)


def _of_table(where: str, name: str, found: Mapping[str, Any], table: type[_T]) -> _T:
    keys = keys_of(table)
    _check_names(where, f"an unknown key in [{name}]:", found, keys)
    values = {key: keys[key].value(value, f"{where}, [{name}]") for key, value in found.items()}
    for key, value in values.items():
        if key.endswith(SINCE):
            _check_version(f"{where}, [{name}]", key, value)
        if key in NAMES and value is not None:
            _check_names(where, f"unknown {key} in [{name}]:", value, NAMES[key])
    return table(**values)


def _bounds(where: str, data: Mapping[str, Any]) -> tuple[tuple[str, OperatorBounds], ...]:
    """The tables [limits.OPERATOR], each completed by [limits.any]."""
    limits = data.get("limits", {})
    names = _operators_in(limits)
    _check_names(where, "an unknown operator in [limits]:", names, [EVERY, *known_operators()])
    common = limits.get(EVERY, {})
    return tuple(
        (name, _of_table(where, f"limits.{name}", {**common, **limits[name]}, OperatorBounds)) for name in names
    )


def _operators_in(limits: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the tables in a table of limits; they are operators, where limits are no tables."""
    return tuple(name for name, value in limits.items() if isinstance(value, dict))


def _check_names(where: str, what: str, found: Collection[str], known: Collection[str]) -> None:
    """Checks that every name is known; the message has the closest known names, or all when they are few."""
    unknown = sorted(set(found) - set(known))
    if not unknown:
        return
    other = format_of(unknown[0]) if "operators" in what else ""
    meant = "" if other else did_you_mean(unknown[0], known)
    hint = meant or f". Known: {', '.join(sorted(known)[:40])}."
    hint = f". It is an operator of {other}: give its name in the .ms format{hint}" if other else hint
    raise InputError(f"{where} has {what} {', '.join(map(shown, unknown[:5]))}{hint}")


def _check_fit(where: str, profile: Profile) -> None:
    """Rules between several keys."""
    compute, memory, defaults = profile.compute, profile.memory, profile.defaults
    if list(compute.clock_mhz) != sorted(compute.clock_mhz):
        raise InputError(f"{where}: 'clock_mhz' must not fall from level to level, got {shown(compute.clock_mhz)}.")
    for key, value, of, limit in (
        ("frequency", defaults.frequency, "levels in 'clock_mhz'", len(compute.clock_mhz)),
        ("latency_tiles", defaults.latency_tiles, "tiles", compute.tiles),
        ("throughput_tiles", defaults.throughput_tiles, "tiles", compute.tiles),
        ("latency_dma_engines", defaults.latency_dma_engines, "DMA engines", memory.dma_engines),
        ("throughput_dma_engines", defaults.throughput_dma_engines, "DMA engines", memory.dma_engines),
    ):
        if value is not None and value > limit:
            raise InputError(
                f"{where}, [defaults]: '{key}' may be {limit} at most, as many as there are {of}, got {value}."
            )
