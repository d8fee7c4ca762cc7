"""Kernel times: the times of a model's kernels on the CPU and on a device, with the origin of each figure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass
from pathlib import Path
from typing import Any

from ...basics.data_class import dataclass
from ...basics.opening import read_regular
from ...basics.words.one_line import Brief
from ...errors import InputError

MEASURED = "measured"
ESTIMATE = "estimate"
SOURCES = (MEASURED, ESTIMATE)
FORMAT = "lite-delegate kernel times"
VERSION = 1
LONGEST_US = 1e12
"""The longest that any time may be: 11 days, so that sums of them, in picoseconds too, stay numbers."""


def source_text(host: str, device: str, transfer: str) -> str:
    """Where times come from, for people: each source is "measured" or "estimate"."""
    if len({host, device, transfer}) == 1:
        return "all measured" if host == MEASURED else "estimates"
    words = {MEASURED: "measured", ESTIMATE: "estimated"}
    if device == transfer:
        return f"CPU {words[host]}, device {words[device]}"
    return f"CPU {words[host]}, device {words[device]}, transfers {words[transfer]}"


@dataclass(frozen=True, slots=True)
class TimesKey(Brief):
    """The key of kernel times: the model, delegate and machine that they are valid for.

    Attributes:
        model: a hash of the model's nodes, their attributes and the constants, as the runtime sees them.
        shapes: of the model's inputs, by name: "1x28x28x1".
        delegate: its name.
        delegate_version: ``Delegate.version()``.
        machine: the host's system and processor.
        threads: that a kernel on the CPU may use.
    """

    model: str
    shapes: Mapping[str, str]
    delegate: str
    delegate_version: str
    machine: str
    threads: int

    def differences(self, wanted: TimesKey) -> list[str]:
        """The differences from the wanted key, for people: one text for each field."""
        return [
            f"{f.name} is {_shown(getattr(self, f.name))}, expected {_shown(getattr(wanted, f.name))}"
            for f in fields(self)
            if getattr(self, f.name) != getattr(wanted, f.name)
        ]


@dataclass(frozen=True, slots=True)
class KernelTimes(Brief):
    """Microseconds of the kernels of a model, by the nodes' names, and of its tensors.

    Attributes:
        key: the model and the device of the times.
        host_us: the time of each kernel on the CPU.
        device_us: the time of each claimed kernel on the device, transfers and start left out.
        transfer_us: the time of each tensor, to the device or back, by the maker's name, a colon and the number of the
            output; "input:N" and "variable:N" for tensors without a maker.
        launch_us: the time to start one subgraph.
        host_source: "measured" or "estimate".
        device_source: the source of ``device_us`` and ``launch_us``.
        transfer_source: the source of ``transfer_us``.
    """

    key: TimesKey
    host_us: Mapping[str, float]
    device_us: Mapping[str, float]
    transfer_us: Mapping[str, float] = field(default_factory=dict)
    launch_us: float = 0.0
    host_source: str = MEASURED
    device_source: str = ESTIMATE
    transfer_source: str = ESTIMATE

    @property
    def source(self) -> str:
        """Where the figures come from, for people."""
        return source_text(self.host_source, self.device_source, self.transfer_source)

    def to_json(self) -> str:
        """The times as JSON text."""
        return json.dumps({"format": FORMAT, "version": VERSION, **_plain(self)}, indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes, where: str) -> KernelTimes:
        """The times that ``to_json`` wrote.

        Args:
            text: the JSON.
            where: the source of the text, for messages.

        Raises:
            InputError: the text was not written by ``to_json``.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as e:
            raise InputError(f"Kernel times '{where}': it is no JSON: {e}.") from e
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise InputError(f"Kernel times '{where}': it was not written by 'lite-delegate calibrate'.")
        if data.get("version") != VERSION:
            raise InputError(
                f"Kernel times '{where}': version {VERSION} is expected, found {data.get('version')!r}; calibrate anew."
            )
        return _Reader(where).times(data)

    @classmethod
    def read(cls, path: str | Path) -> KernelTimes:
        """The times in a file.

        Raises:
            InputError: the file is missing, or holds something else.
        """
        try:
            text = read_regular(path)
        except OSError as e:
            raise InputError(f"Kernel times '{path}': cannot read the file: {e.strerror or e}.") from e
        return cls.from_json(text, str(path))


class _Reader:
    """Checks the contents of JSON, field by field."""

    def __init__(self, where: str) -> None:
        self._where = where

    def times(self, data: Mapping[str, Any]) -> KernelTimes:
        """The times, all of whose fields must be there."""
        key = self._get(data, "key", dict)
        shapes = self._get(key, "shapes", dict)
        texts = {name: self._get(key, name, str) for name in ("model", "delegate", "delegate_version", "machine")}
        for name in shapes:
            self._get(shapes, name, str)
        sources = {name: self._get(data, name, str) for name in ("host_source", "device_source", "transfer_source")}
        for name, source in sources.items():
            if source not in SOURCES:
                raise self._wrong(name, f"one of {', '.join(SOURCES)}", source)
        return KernelTimes(
            key=TimesKey(shapes=shapes, threads=self._get(key, "threads", int), **texts),
            host_us=self._numbers(data, "host_us"),
            device_us=self._numbers(data, "device_us"),
            transfer_us=self._numbers(data, "transfer_us"),
            launch_us=self._number(data, "launch_us"),
            **sources,
        )

    def _numbers(self, data: Mapping[str, Any], name: str) -> dict[str, float]:
        found = self._get(data, name, dict)
        return {each: self._number(found, each) for each in found}

    def _number(self, data: Mapping[str, Any], name: str) -> float:
        found = data.get(name)
        if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= LONGEST_US:
            raise self._wrong(name, f"a number of microseconds, at most {LONGEST_US:g}", found)
        return float(found)

    def _get(self, data: Mapping[str, Any], name: str, kind: type) -> Any:
        found = data.get(name)
        if not isinstance(found, kind) or isinstance(found, bool):
            words = {dict: "an object", str: "a string", int: "a whole number"}
            raise self._wrong(name, words[kind], found)
        return found

    def _wrong(self, name: str, expected: str, found: object) -> InputError:
        text = repr(found)
        short = text if len(text) <= 60 else text[:57] + "..."
        return InputError(f"Kernel times '{self._where}': '{name}' must be {expected}, found {short}.")


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    return dict(value) if isinstance(value, Mapping) else value


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {shape}" for name, shape in value.items()) or "nothing"
    return f"'{value}'" if isinstance(value, str) else str(value)
