"""The simulated driver's cache in a folder: what outlives the process, and what a folder that is no good costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import CacheOptions, DelegateWarning
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.device.driver_cache import DriverCacheCounters
from lite_delegate.npu.driver_ir import vcl
from lite_delegate.npu.execution import program_folder
from lite_delegate.npu.execution.program_folder import VARIABLE
from tests.npu.test_driver_cache import built, counters, graph

CODE = """
from lite_delegate.npu import NPUDelegate
from tests.npu.test_driver_cache import built, counters, graph
delegate = NPUDelegate()
print(built(delegate, graph()).tolist(), counters(delegate).hits, counters(delegate).misses)
"""
ROOT = Path(__file__).parents[3]


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "driver"))
    return tmp_path / "driver"


def files(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir()) if folder.exists() else []


def test_a_program_outlives_its_process(folder: Path) -> None:
    said = [
        subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert [each.split()[-2:] for each in said] == [["0", "1"], ["1", "0"]]
    assert said[0].rsplit(maxsplit=2)[0] == said[1].rsplit(maxsplit=2)[0]
    assert len(files(folder)) == 1


def test_another_device_compiles_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = built(NPUDelegate(), graph())
    monkeypatch.setattr(vcl, "compile_run", None)
    np.testing.assert_array_equal(built(NPUDelegate(), graph()), first)


def test_without_the_variable_nothing_is_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    built(NPUDelegate(), graph())
    assert files(folder) == []


def test_what_bypasses_the_cache_bypasses_the_folder(folder: Path, tmp_path: Path) -> None:
    built(NPUDelegate(options={"NPU_BYPASS_UMD_CACHING": "YES"}), graph())
    built(NPUDelegate(), graph(), CacheOptions(tmp_path / "models"))
    assert files(folder) == []


@pytest.mark.parametrize("damage", ["cut", "altered", "another's"])
def test_a_damaged_file_is_compiled_anew_and_replaced(folder: Path, damage: str) -> None:
    first = built(NPUDelegate(), graph())
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    if damage == "another's":
        built(NPUDelegate(), graph(3.0))
        (other,) = set(folder.iterdir()) - {path}
        path.write_bytes(other.read_bytes())
    else:
        path.write_bytes(whole[:-9] if damage == "cut" else whole[:-9] + bytes(9))
    delegate = NPUDelegate()
    np.testing.assert_array_equal(built(delegate, graph()), first)
    assert counters(delegate) == DriverCacheCounters(misses=1)
    assert path.read_bytes() == whole


def test_the_limit_takes_what_was_used_least_recently(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for weight in (1.0, 2.0, 3.0):
        built(NPUDelegate(), graph(weight))
    first, second, third = sorted(folder.iterdir(), key=lambda each: each.stat().st_mtime_ns)
    size = first.stat().st_size
    monkeypatch.setattr(program_folder, "LIMIT_BYTES", 3 * size + size // 2)
    built(NPUDelegate(), graph(1.0))  # used again
    built(NPUDelegate(), graph(4.0))
    assert not second.exists()
    assert {first, third} < set(folder.iterdir())
    assert len(files(folder)) == 3
    monkeypatch.setattr(program_folder, "LIMIT_BYTES", size // 2)
    built(NPUDelegate(), graph(5.0))
    assert len(files(folder)) == 3


def test_a_folder_that_cannot_be_is_a_warning(folder: Path) -> None:
    folder.write_text("a file")
    with pytest.warns(DelegateWarning, match=f"{VARIABLE}: the simulated driver keeps nothing in"):
        found = built(NPUDelegate(), graph())
    np.testing.assert_array_equal(found, built(NPUDelegate(options={"NPU_BYPASS_UMD_CACHING": "YES"}), graph()))
