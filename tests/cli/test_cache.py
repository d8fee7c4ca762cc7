"""``lite-delegate cache``, and ``--cache-dir``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lite_delegate.demo import model_path
from tests.commands import call, invoke


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def run(folder: Path, *options: object) -> str:
    done = invoke("run", model_path(), "--cache-dir", folder, *options)
    assert done.exit_code == 0, done.output
    return done.output


def explain(folder: Path, *options: object) -> dict[str, object]:
    done = invoke("cache", "explain", model_path(), "--cache-dir", folder, "--format", "json", *options)
    assert done.exit_code == 0, done.output
    found: dict[str, object] = json.loads(done.output)
    return found


def test_run_says_what_the_cache_did_and_explain_says_it_before(folder: Path) -> None:
    for options in ((), ("--delegate", "npu"), ("--delegate", "npu", "--delegate-option", "NPU_TURBO=YES")):
        for expected in ("miss", "hit"):
            found = explain(folder, *options)
            assert found["status"] == expected
            assert f"lite-delegate: cache {expected}" in run(folder, *options)


@pytest.mark.parametrize("command", ["run", "benchmark"])
def test_a_folder_that_cannot_be_used_is_told_once(command: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "cache"
    done = call(command, model_path(), "--cache-dir", folder)
    expected = f"CacheWarning: The cache in '{folder}' cannot be used: Not a directory."
    assert [line for line in done.stderr.splitlines() if "cache" in line] == [f"lite-delegate: {expected}"]


def test_list_verify_prune_clear(folder: Path) -> None:
    run(folder)
    run(folder, "--delegate", "npu")
    entries = json.loads(call("cache", "list", "--cache-dir", folder, "--format", "json").stdout)["entries"]
    assert len(entries) == 2
    assert "2 entries" in call("cache", "list", "--cache-dir", folder).stdout
    assert "0 of 2 entries damaged" in call("cache", "verify", "--cache-dir", folder).stdout
    path = Path(entries[1]["path"])
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    done = call("cache", "verify", "--cache-dir", folder, "--format", "json", status=1)
    assert json.loads(done.stdout)["damaged"] == [path.name]
    assert "1 entry removed" in call("cache", "prune", "--cache-dir", folder, "--size", entries[0]["bytes"]).stdout
    assert json.loads(call("cache", "clear", "--cache-dir", folder, "--format", "json").stdout)["removed"]
    assert list(folder.iterdir()) == []


def test_mistakes_are_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "there is no such folder" in call("cache", "list", "--cache-dir", folder, status=2).stderr
    assert "is a file" in call("cache", "list", "--cache-dir", tmp_path / "file", status=2).stderr
    assert "--cache-dir" in call("cache", "explain", model_path(), status=2).stderr
