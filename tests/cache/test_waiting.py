"""Who waits for an entry that somebody else makes: cancelled, left alone, or in the way of somebody who prunes."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lite_delegate import Core, RequestCancelled
from lite_delegate.cache import CacheOptions, CacheStatus
from lite_delegate.cache.folder import LOCK_SUFFIX, SUFFIX, CacheFolder
from lite_delegate.cache.key import CacheKey
from lite_delegate.cache.lock import is_locked, locked
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference.compiling.compile_job import CompileJob
from tests.inference.model_file.models import weighted

SECONDS = 60
HOLDER = """
import sys
from lite_delegate import Core
import lite_delegate.inference.compiling.compilation as compiling
def never(*_):
    print("compiling", flush=True)
    sys.stdin.readline()
compiling.graph_parts = never
Core().compile_model(sys.argv[1], "CPU", {"CACHE_DIR": sys.argv[2]})
"""
PRUNER = """
import sys
from lite_delegate.cache import CacheOptions
from lite_delegate.cache.folder import CacheFolder
folder = CacheFolder(CacheOptions(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for _ in range(100):
    folder.prune(int(sys.argv[2]))
print("done")
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_ms(weighted(), tmp_path / "m.ms")
    return tmp_path / "m.ms"


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Returns once so many threads wait for a lock."""
    threads, changed, sleep = set[int](), threading.Condition(), time.sleep

    def noted(seconds: float) -> None:
        with changed:
            threads.add(threading.get_ident())
            changed.notify_all()
        sleep(seconds)

    def until(count: int) -> None:
        with changed:
            assert changed.wait_for(lambda: len(threads) >= count, SECONDS)

    monkeypatch.setattr("lite_delegate.cache.lock.time.sleep", noted)
    return until


def compiling(path: Path, folder: Path) -> CompileJob[Any]:
    return Core().compile_model_async(path, "CPU", {"CACHE_DIR": str(folder)})


def lock_of(path: Path, folder: Path) -> Path:
    """The lock of the only entry of a model, which is removed."""
    entry = Path(Core().compile_model(path, "CPU", {"CACHE_DIR": str(folder)}).cache_outcome.path)
    entry.unlink()
    return entry.with_suffix(LOCK_SUFFIX)


def test_a_waiter_that_is_cancelled_leaves_the_others(
    path: Path, tmp_path: Path, waiting: Callable[[int], None]
) -> None:
    folder = tmp_path / "cache"
    with locked(lock_of(path, folder), 0) as mine:
        assert mine
        given_up, patient = compiling(path, folder), compiling(path, folder)
        waiting(2)
        assert given_up.cancel()
        with pytest.raises(RequestCancelled):
            given_up.result(SECONDS)
        assert not patient.is_done
    assert patient.result(SECONDS).cache_outcome.status is CacheStatus.MISS
    assert [each.suffix for each in sorted(folder.iterdir())] == [SUFFIX, LOCK_SUFFIX]


def test_who_waits_takes_over_from_a_process_that_is_killed_while_it_compiles(
    path: Path, tmp_path: Path, waiting: Callable[[int], None]
) -> None:
    folder = tmp_path / "cache"
    command = [sys.executable, "-c", HOLDER, str(path), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "compiling\n"
        job = compiling(path, folder)
        waiting(1)
        assert not job.is_done
        holder.kill()
        assert job.result(SECONDS).cache_outcome.status is CacheStatus.MISS
    assert compiling(path, folder).result(SECONDS).cache_outcome.status is CacheStatus.HIT


@pytest.fixture
def removed_before_it_is_locked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Lets somebody remove the file that is to be locked next, after it was opened."""
    flock = fcntl.flock

    def arranged(folder: Path) -> None:
        left = [True]

        def taken(handle: int, how: int) -> None:
            if left:
                left.clear()
                for each in folder.iterdir():
                    if os.path.samestat(os.fstat(handle), each.stat()):
                        each.unlink()
            flock(handle, how)

        monkeypatch.setattr(fcntl, "flock", taken)

    return arranged


def test_a_lock_whose_file_goes_meanwhile_is_taken_anew(
    tmp_path: Path, removed_before_it_is_locked: Callable[[Path], None]
) -> None:
    path = tmp_path / "x.lock"
    removed_before_it_is_locked(tmp_path)
    with locked(path, 0) as mine:
        assert mine
        assert path.exists()
        assert is_locked(path)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_network_folder_without_locks_is_used_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refused(_: int, __: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refused)
    with locked(tmp_path / "x.lock", 0) as first, locked(tmp_path / "x.lock", 0) as second:
        assert (first, second) == (True, True)


def test_the_folder_of_a_lock_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), locked(tmp_path / "gone" / "x.lock", 0):
        pass
    assert not (tmp_path / "gone").exists()


def test_a_file_that_is_taken_for_left_over_before_it_is_locked_is_written(
    tmp_path: Path, removed_before_it_is_locked: Callable[[Path], None]
) -> None:
    folder, key = CacheFolder(CacheOptions(tmp_path)), CacheKey({"content": "x"})
    removed_before_it_is_locked(tmp_path)
    folder.write(key, {}, {"data": b"some"})
    assert [each.path for each in folder.entries()] == [folder.path(key)]


def test_an_entry_that_was_used_meanwhile_is_not_pruned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, key = CacheFolder(CacheOptions(tmp_path)), CacheKey({"content": "x"})
    folder.write(key, {}, {"data": b"some"})
    os.utime(folder.path(key), (1, 1))
    listed = folder.entries()
    monkeypatch.setattr(CacheFolder, "entries", lambda _: listed)
    folder.used(key)
    assert folder.prune(1) == []
    os.utime(folder.path(key), (1, 1))
    assert folder.prune(1) == [folder.path(key)]


def test_what_another_prune_is_removing_counts_as_removed(tmp_path: Path, waiting: Callable[[int], None]) -> None:
    folder = CacheFolder(CacheOptions(tmp_path))
    keys = [CacheKey({"content": str(number)}) for number in range(4)]
    for number, key in enumerate(keys):
        folder.write(key, {}, {"data": bytes(5000)})
        os.utime(folder.path(key), (number, number))
    oldest = folder.path(keys[0])
    limit = sum(entry.nbytes for entry in folder.entries() if entry.path != oldest)
    with ThreadPoolExecutor(1) as threads:
        with locked(oldest.with_suffix(LOCK_SUFFIX), 0):
            pruned = threads.submit(folder.prune, limit)
            waiting(1)
            oldest.unlink()
        pruned.result(SECONDS)
    assert {entry.path for entry in folder.entries()} == {folder.path(key) for key in keys[1:]}


def test_processes_prune_and_write_at_once(tmp_path: Path) -> None:
    folder = CacheFolder(CacheOptions(tmp_path))
    folder.write(CacheKey({"content": "first"}), {}, {"data": bytes(5000)})
    limit = folder.entries()[0].nbytes * 3
    command = [sys.executable, "-c", PRUNER, str(tmp_path), str(limit)]
    pipe = subprocess.PIPE
    pruners = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(2)]
    for each in pruners:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in pruners:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    for number in range(60):
        folder.write(CacheKey({"content": str(number)}), {}, {"data": bytes(5000)})
    assert [each.communicate(timeout=SECONDS) for each in pruners] == [("done\n", ""), ("done\n", "")]
    folder.prune(limit)
    entries = folder.entries()
    assert len(entries) == 3
    assert all(not each.problem for each in entries)
