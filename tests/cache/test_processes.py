"""Several processes with one cache: who compiles, and what becomes of those that are killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from lite_delegate.demo import model_path

CODE = """
import sys
from lite_delegate import CacheOptions, Context, Model
from lite_delegate.npu import NPUDelegate
class Counting(NPUDelegate):
    def create_graph_kernel(self, run, model):
        print("compiled")
        return super().create_graph_kernel(run, model)
context, model = Context(), Model()
context.set_delegate(Counting())
context.cache = CacheOptions(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
model.build_from_file(sys.argv[2], context=context)
print(model.cache_outcome.status)
"""
HALF = """
import os, sys
from lite_delegate.cache import CacheOptions
from lite_delegate.cache.folder import CacheFolder
from lite_delegate.cache.key import CacheKey
def pieces(*_):
    yield b"half of it"
    print("writing", flush=True)
    sys.stdin.readline()
import lite_delegate.cache.folder as folder
folder.sectioned_pieces = pieces
CacheFolder(CacheOptions(sys.argv[1])).write(CacheKey({"content": "x"}), {}, {})
"""


def start(cache: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CODE, str(cache), str(model_path())]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def build(cache: Path) -> list[str]:
    return start(cache).communicate("go\n", timeout=120)[0].split()


@pytest.mark.parametrize("count", [8])
def test_cold_processes_compile_once(tmp_path: Path, count: int) -> None:
    processes = [start(tmp_path / "cache") for _ in range(count)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = Counter(word for process in processes for word in process.communicate(timeout=120)[0].split())
    assert said == {"compiled": 1, "miss": 1, "hit": count - 1}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_killed_while_writing_costs_a_miss_and_nothing_else(tmp_path: Path) -> None:
    cache, moments = tmp_path / "cache", random.Random(4)
    cache.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", HALF, str(cache)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    assert [each.suffix for each in cache.iterdir()] == [".tmp"]
    process.kill()
    process.wait()
    assert build(cache) == ["ready", "compiled", "miss"]
    assert {each.suffix for each in cache.iterdir()} == {".ldc", ".lock"}
    for _ in range(3):
        for each in cache.iterdir():
            each.unlink()
        victim = start(cache)
        assert victim.stdin is not None
        victim.stdin.write("go\n")
        victim.stdin.flush()
        time.sleep(moments.uniform(0, 0.6))
        os.kill(victim.pid, signal.SIGKILL)
        victim.wait()
        after = build(cache)
        assert after in (["ready", "compiled", "miss"], ["ready", "hit"])
        assert not [each for each in cache.iterdir() if each.suffix == ".tmp" and after[-1] == "miss"]
