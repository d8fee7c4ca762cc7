"""Kernel times as JSON: what was written comes back, and what is not that is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lite_delegate import InputError
from lite_delegate.partition.placement import ESTIMATE, MEASURED, KernelTimes, TimesKey

KEY = TimesKey("abc", {"x": "1x2"}, "npu", "kirin", "Linux", 0)
TIMES = KernelTimes(KEY, {"a": 1.5, "b": 2.0}, {"a": 0.25}, {"input:0": 0.5, "a:0": 0.0}, 50.0)


def test_what_is_written_comes_back() -> None:
    times = replace(TIMES, device_source=MEASURED, transfer_source=MEASURED)
    assert KernelTimes.from_json(times.to_json(), "times.json") == times


def test_a_file_comes_back(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(TIMES.to_json(), encoding="utf-8")
    assert KernelTimes.read(tmp_path / "t.json") == TIMES


@pytest.mark.parametrize(
    ("host", "device", "transfer", "text"),
    [
        (MEASURED, MEASURED, MEASURED, "all measured"),
        (ESTIMATE, ESTIMATE, ESTIMATE, "estimates"),
        (MEASURED, ESTIMATE, ESTIMATE, "CPU measured, device estimated"),
        (MEASURED, MEASURED, ESTIMATE, "CPU measured, device measured, transfers estimated"),
    ],
)
def test_estimates_are_never_called_measured(host: str, device: str, transfer: str, text: str) -> None:
    assert replace(TIMES, host_source=host, device_source=device, transfer_source=transfer).source == text


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("format",), "x", "it was not written by 'lite-delegate calibrate'"),
        (("version",), 2, "version 1 is expected, found 2"),
        (("key",), None, "'key' must be an object, found None"),
        (("key", "threads"), True, "'threads' must be a whole number, found True"),
        (("key", "shapes", "x"), 3, "'x' must be a string, found 3"),
        (("host_us", "a"), -1, "'a' must be a number of microseconds, at most 1e.12, found -1"),
        (("host_us", "a"), 1e13, r"'a' must be a number of microseconds, at most 1e.12, found 10000000000000.0"),
        (("host_us", "a"), 10**400, "'a' must be a number of microseconds, at most"),
        (("device_us", "a"), float("nan"), "'a' must be a number of microseconds, at most .* found nan"),
        (("device_us", "a"), "1", "'a' must be a number of microseconds, at most 1e.12, found '1'"),
        (("launch_us",), None, "'launch_us' must be a number of microseconds, at most 1e.12, found None"),
        (("device_source",), "guess", "'device_source' must be one of measured, estimate, found 'guess'"),
    ],
)
def test_what_is_wrong_is_named(path: tuple[str, ...], value: object, message: str) -> None:
    data: dict[str, Any] = json.loads(TIMES.to_json())
    inner = data
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    with pytest.raises(InputError, match=message):
        KernelTimes.from_json(json.dumps(data), "times.json")


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"format": "lite-delegate kernel times", "version": 1}'])
def test_what_is_no_times_file_is_rejected(text: str) -> None:
    with pytest.raises(InputError, match=r"Kernel times 'times\.json'"):
        KernelTimes.from_json(text, "times.json")


def test_a_missing_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the file: No such file"):
        KernelTimes.read(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"model": "x"}, "model is 'abc', expected 'x'"),
        ({"shapes": {"x": "3x2"}}, "shapes is x 1x2, expected x 3x2"),
        ({"delegate": "gpu"}, "delegate is 'npu', expected 'gpu'"),
        ({"delegate_version": "v2"}, "delegate_version is 'kirin', expected 'v2'"),
        ({"machine": "Mac"}, "machine is 'Linux', expected 'Mac'"),
        ({"threads": 2}, "threads is 0, expected 2"),
    ],
)
def test_each_field_of_the_key_that_differs_is_named(change: dict[str, Any], difference: str) -> None:
    assert KEY.differences(replace(KEY, **change)) == [difference]
    assert KEY.differences(KEY) == []
