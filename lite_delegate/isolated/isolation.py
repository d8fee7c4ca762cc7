"""Isolation: the interpreter and the limits of a delegate's own process, and the options that set them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Self

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..errors import InputError
from ..properties import Access, Integer, PropertySpec, Text, parsed

PYTHON = "PYTHON"
PREFIX = "ISOLATED_"
_SIZE = re.compile(r"([0-9]+)\s*([KMG]?)B?", re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True)
class Isolation(Brief):
    """The interpreter and the limits of a delegate's own process.

    Attributes:
        python: the path of the interpreter; "" for the interpreter of this process.
        start_seconds: seconds for the start: the interpreter, the import, the constructor, and ``init``.
        claim_seconds: seconds for an answer: ``supports``, ``version``, ``limits``, properties and the like.
        build_seconds: seconds for a graph kernel: building, preparing, exporting or importing it.
        run_seconds: seconds for a run of a graph kernel.
        restarts: how often the process is started again after it ended or was killed.
        memory: bytes of memory that the process may take for its data; 0: no limit.
    """

    python: str = ""
    start_seconds: int = 60
    claim_seconds: int = 10
    build_seconds: int = 300
    run_seconds: int = 60
    restarts: int = 16
    memory: int = 0

    def with_options(self, options: Mapping[str, object]) -> tuple[Self, dict[str, object]]:
        """The settings with options, and the options that are not for the isolation but for the delegate.

        Args:
            options: ``python=PATH``, and ``isolated_run_seconds=5`` and the like; upper and lower case are alike.

        Raises:
            InputError: (a ValueError) an unknown option of this prefix, or a value that is not allowed.
        """
        changes: dict[str, object] = {}
        rest: dict[str, object] = {}
        for key, value in options.items():
            name = key.upper()
            if name == PYTHON or name.startswith(PREFIX):
                changes.update(_change(name, value))
            else:
                rest[key] = value
        return replace(self, **changes), rest  # type: ignore[arg-type]

    def value(self, name: str) -> object:
        """The value of one of ``SPECS``, by its name."""
        value: object = getattr(self, name.removeprefix(PREFIX).lower())
        return value


def _change(name: str, value: object) -> dict[str, object]:
    name = PREFIX + PYTHON if name == PYTHON else name
    spec = _BY_NAME.get(name)
    if spec is None:
        raise InputError(f"Unknown option {name}; there are python, {', '.join(map(str.lower, _BY_NAME))}.")
    assert spec.kind is not None or name == PREFIX + PYTHON
    kind = spec.kind or Text("the path of an interpreter")
    return {name.removeprefix(PREFIX).lower(): parsed(name, kind, value)}


@dataclass(frozen=True, slots=True)
class ByteSize:
    """A number of bytes: an integer, or a text such as ``512M`` or ``2G``."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return "a number of bytes such as 512M or 2G; 0: no limit"

    def parse(self, value: object) -> int:
        """The number of bytes."""
        found = _SIZE.fullmatch(str(value).strip())
        if found is None or isinstance(value, bool):
            raise ValueError
        return int(found[1]) * _UNITS[found[2].upper()]


def _spec(field: str, effect: str, kind: Integer | ByteSize | None) -> PropertySpec:
    default = next(each.default for each in fields(Isolation) if each.name == field)
    access = Access.RO if kind is None else Access.RW
    return PropertySpec(PREFIX + field.upper(), effect, kind, default, when="" if kind is None else "L", access=access)


_SECONDS = Integer(1, 1_000_000)
SPECS = (
    _spec("python", "The interpreter of the delegate's own process; empty for the one of this process.", None),
    _spec("start_seconds", "Seconds for the start of the process, the constructor and init.", _SECONDS),
    _spec("claim_seconds", "Seconds for an answer of the delegate.", _SECONDS),
    _spec("build_seconds", "Seconds for a graph kernel: to build, prepare, export or import it.", _SECONDS),
    _spec("run_seconds", "Seconds for a run of a graph kernel.", _SECONDS),
    _spec("restarts", "How often the process is started again after it ended.", Integer(0, 1_000_000)),
    _spec("memory", "Bytes of memory that the process may take for its data, from its next start on.", ByteSize()),
)
"""The properties of a delegate in a process of its own, beside the delegate's own properties."""
_BY_NAME = {spec.name: spec for spec in SPECS}
