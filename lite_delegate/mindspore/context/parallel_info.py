"""The settings of predictions that run at once: ``context.parallel``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from ...errors import InputError
from .setting import check_type, checked_count

ConfigInfo = Mapping[str, Mapping[str, str]]
"""Sections of keys and values."""


class ParallelInfo:
    """The settings of a ``ModelParallelRunner``: ``context.parallel``."""

    def __init__(self) -> None:
        self._workers_num = 0
        self._config_info: dict[str, dict[str, str]] = {}
        self._config_path = ""
        self._device_ids: list[int] = []

    @property
    def workers_num(self) -> int:
        """The number of predictions that run at once; 0: the number of CPUs that this process may use."""
        return self._workers_num

    @workers_num.setter
    def workers_num(self, workers_num: int) -> None:
        self._workers_num = checked_count("parallel.workers_num", workers_num)

    @property
    def config_info(self) -> str:
        """The sections as text. The attribute is set to a dict of dicts, as ``config_dict`` of ``build_from_file``."""
        lines = (
            f"{name}: {key} {text}\n" for name, entries in self._config_info.items() for key, text in entries.items()
        )
        return "".join(lines)

    @config_info.setter
    def config_info(self, config_info: ConfigInfo) -> None:
        self._config_info = checked_sections("parallel.config_info", config_info)

    @property
    def sections(self) -> ConfigInfo:
        """The sections that ``config_info`` was set to."""
        return self._config_info

    @property
    def config_path(self) -> str:
        """The path of a file of sections, "" for no file. Keys of ``config_info`` override keys of the file."""
        return self._config_path

    @config_path.setter
    def config_path(self, config_path: str) -> None:
        check_type("parallel.config_path", config_path, str)
        if config_path and not os.path.isfile(config_path):
            raise InputError(f"parallel.config_path '{config_path}' is not a file.")
        self._config_path = config_path

    @property
    def device_ids(self) -> list[int]:
        """The ids of devices. NOTE: kept for scripts; all predictions use the delegates of the context."""
        return list(self._device_ids)

    @device_ids.setter
    def device_ids(self, device_ids: Sequence[int]) -> None:
        check_type("parallel.device_ids", device_ids, list)
        self._device_ids = [checked_count("parallel.device_ids element", each) for each in device_ids]

    def __str__(self) -> str:
        return (
            f"workers_num: {self.workers_num},\nconfig_info: {self.config_info},\nconfig_path: {self.config_path},\n"
            f"device_ids: {self.device_ids}."
        )


def checked_sections(name: str, sections: ConfigInfo) -> dict[str, dict[str, str]]:
    """A copy of sections.

    Raises:
        TypeError: the sections are no dict of dicts of texts.
    """
    check_type(name, sections, dict)
    for section, entries in sections.items():
        check_type(f"{name} key", section, str)
        check_type(f"{name} value", entries, dict)
        for key, text in entries.items():
            check_type(f"{name}['{section}'] key", key, str)
            check_type(f"{name}['{section}']['{key}']", text, str)
    return {section: dict(entries) for section, entries in sections.items()}
