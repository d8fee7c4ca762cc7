"""The names of devices: ``NPU``, ``NPU.4000.0``, ``HETERO:NPU,CPU``, ``AUTO:NPU,-CPU``, ``BATCH:NPU(4)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from types import MappingProxyType

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ...errors import InputError

HETERO, AUTO, MULTI, BATCH = VIRTUAL = ("HETERO", "AUTO", "MULTI", "BATCH")
"""Virtual devices: devices that are made of other devices."""
CPU = "CPU"
ETHOS_U = (
    *("u55-32", "u55-64", "u55-128", "u55-256", "u65-256", "u65-512"),
    *("u85-128", "u85-256", "u85-512", "u85-1024", "u85-2048"),
)
"""The ids of the device ETHOSU, which Arm calls ``ethos-ID``."""
ALIASES = MappingProxyType(
    {
        "MYRIAD": ("NPU", "myriad_x"),
        "HDDL": ("NPU", "hddl"),
        **{f"ETHOS-{each.upper()}": ("ETHOSU", each) for each in ETHOS_U},
    }
)
"""The name and id of a device for each other name: OpenVINO's names of older devices, Arm's of accelerators."""
MOST_IN_BATCH = 4096
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_ID = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
_PROFILE = re.compile(r"[^,()]+")
_SIZE = re.compile(r"\((?P<number>[^()]*)\)")


@dataclass(frozen=True, slots=True)
class Physical(Brief):
    """The host, or the device of a delegate.

    Attributes:
        name: the registered name, in any case.
        id: the id of one of several devices, or a profile; "" for the usual device.
        at: the position in the text that the name was read from, counted from 1.
    """

    name: str
    id: str = ""
    at: int = field(default=1, compare=False)

    @property
    def key(self) -> tuple[str, str]:
        """The key of the device, which is equal for all ways to write its name."""
        return self.name.upper(), self.id

    @property
    def is_cpu(self) -> bool:
        """True for the host."""
        return self.key == (CPU, "")

    def __str__(self) -> str:
        if not self.id:
            return self.name
        return f"{self.name}{'.' if _ID.fullmatch(self.id) else ':'}{self.id}"


@dataclass(frozen=True, slots=True)
class Hetero(Brief):
    """Devices that share a model: each device takes nodes that the devices before it left."""

    parts: tuple[Physical, ...]

    def __str__(self) -> str:
        return f"{HETERO}:{_listed(self.parts)}"


@dataclass(frozen=True, slots=True)
class Auto(Brief):
    """The best of several devices for a model.

    Attributes:
        parts: the devices to choose from, in order; () for all devices that are there.
        excluded: the devices that are not to be chosen.
    """

    parts: tuple[Physical, ...] = ()
    excluded: tuple[Physical, ...] = ()

    def __str__(self) -> str:
        words = [*map(str, self.parts), *(f"-{each}" for each in self.excluded)]
        return f"{AUTO}:{','.join(words)}" if words else AUTO


@dataclass(frozen=True, slots=True)
class Multi(Brief):
    """Several devices with the whole model each, among which predictions are shared out."""

    parts: tuple[Physical, ...]

    def __str__(self) -> str:
        return f"{MULTI}:{_listed(self.parts)}"


@dataclass(frozen=True, slots=True)
class Batch(Brief):
    """A device that gets several predictions at once.

    Attributes:
        part: the device.
        size: the number of predictions at most; None: the size is chosen.
    """

    part: Physical | Hetero
    size: int | None = None

    def __str__(self) -> str:
        return f"{BATCH}:{self.part}{'' if self.size is None else f'({self.size})'}"


DeviceName = Physical | Hetero | Auto | Multi | Batch


def parse_device(text: str) -> DeviceName:
    """The device that a name stands for.

    ``NAME``, ``NAME.ID`` (or ``NAME:PROFILE``); ``HETERO:A,B``, ``MULTI:A,B``; ``AUTO``, ``AUTO:A,B,-C``;
    ``BATCH:A(4)``, ``BATCH:HETERO:A,B(4)``. Case does not matter. ``MYRIAD`` and ``HDDL`` are profiles of the NPU, see
    ``ALIASES``. The registry knows whether the devices of these names are there.

    Raises:
        InputError: the text is no such name; the message has the position, counted from 1.
    """
    if not isinstance(text, str):
        raise InputError(f"The name of a device must be a text such as 'NPU' or 'HETERO:NPU,CPU', got {text!r}.")
    return _Parser(text).device()


class _Parser:
    """The parser of one device name."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.stop = len(text)

    def device(self) -> DeviceName:
        word, colon, start = self._virtual(0)
        if word == AUTO:
            return self._auto(start) if colon else Auto()
        if word and not colon:
            raise self._wrong(start, f"':' and devices, as in '{word}:NPU,CPU'")
        if word == HETERO:
            return Hetero(self._parts(start))
        if word == MULTI:
            return Multi(self._parts(start))
        if word == BATCH:
            return self._batch(start)
        return self._physical(0, self.stop)

    def _virtual(self, start: int) -> tuple[str, bool, int]:
        """The word of a device made of other devices at a position, "" where there is none; and the position behind."""
        word, colon, _ = self.text[start : self.stop].partition(":")
        if word.strip().upper() not in VIRTUAL:
            return "", False, start
        return word.strip().upper(), bool(colon), start + len(word) + len(colon)

    def _parts(self, start: int) -> tuple[Physical, ...]:
        parts = tuple(self._physical(*span) for span in self._between_commas(start))
        self._check_different(parts)
        return parts

    def _auto(self, start: int) -> Auto:
        spans = self._between_commas(start)
        wanted = tuple(self._physical(*span) for span in spans if self.text[span[0]] != "-")
        excluded = tuple(self._physical(a + 1, b) for a, b in spans if self.text[a] == "-")
        self._check_different((*wanted, *excluded))
        return Auto(wanted, excluded)

    def _batch(self, start: int) -> Batch:
        opened = self.text.find("(", start)
        size = None
        if opened >= 0:
            size = self._size(opened)
            self.stop = opened
        word, colon, inner = self._virtual(start)
        if word == HETERO and colon:
            return Batch(Hetero(self._parts(inner)), size)
        ((first, last), *more) = self._between_commas(start)
        if more:
            raise self._wrong(last, "one device, as in 'BATCH:NPU(4)' or 'BATCH:HETERO:NPU,CPU(4)'")
        return Batch(self._physical(first, last), size)

    def _size(self, opened: int) -> int:
        match = _SIZE.fullmatch(self.text, opened)
        if match is None:
            raise self._wrong(opened, "'(NUMBER)' at the end")
        number = match["number"]
        if not (number.isascii() and number.isdigit() and len(number) < 6 and 1 <= int(number) <= MOST_IN_BATCH):
            raise self._wrong(opened + 1, f"a number from 1 to {MOST_IN_BATCH}")
        return int(number)

    def _between_commas(self, start: int) -> list[tuple[int, int]]:
        """Start and stop of each entry of a list, without spaces around it."""
        spans: list[tuple[int, int]] = []
        for entry in self.text[start : self.stop].split(","):
            stop = start + len(entry)
            first = start + len(entry) - len(entry.lstrip())
            if not entry.strip():
                raise self._wrong(start, "the name of a device")
            spans.append((first, first + len(entry.strip())))
            start = stop + 1
        return spans

    def _physical(self, start: int, stop: int) -> Physical:
        match = _NAME.match(self.text, start, stop)
        if match is None:
            raise self._wrong(start, "the name of a device")
        if match[0].upper() in VIRTUAL:
            raise self._wrong(start, f"a device that is not made of other devices, which '{match[0]}' is,")
        if match.end() == stop:
            name, own_id = ALIASES.get(match[0].upper(), (match[0], ""))
            return Physical(name, own_id, at=start + 1)
        sign, rest = self.text[match.end()], match.end() + 1
        if sign not in ".:":
            raise self._wrong(match.end(), "'.ID', ',' or the end")
        kind = _ID if sign == "." else _PROFILE
        found = kind.match(self.text, rest, stop)
        if found is None or found.end() != stop:
            place = rest if found is None else found.end()
            raise self._wrong(place, "an id such as '4000' or '4000.0'" if sign == "." else "a profile")
        return Physical(match[0], found[0], at=start + 1)

    def _check_different(self, parts: Sequence[Physical]) -> None:
        known: set[tuple[str, str]] = set()
        for part in parts:
            if part.key in known:
                raise InputError(f"Device '{self.text}': '{part}' at position {part.at} is there twice.")
            known.add(part.key)

    def _wrong(self, index: int, expected: str) -> InputError:
        found = f"'{self.text[index]}'" if index < len(self.text) else "the end"
        return InputError(f"Device '{self.text}': expected {expected} at position {index + 1}, found {found}.")


def _listed(parts: Sequence[Physical]) -> str:
    return ",".join(map(str, parts))
