"""Writers that are killed at every moment: the entry is the old one or the new one, and nothing is left over."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import os, signal, sys
from collections import Counter
from lite_delegate.cache import CacheOptions
import lite_delegate.cache.folder as module
from lite_delegate.cache.key import CacheKey

folder, key = module.CacheFolder(CacheOptions(sys.argv[1])), CacheKey({"content": "x"})
old, new = b"o" * 100_000, b"n" * 100_000
moment, passed = 0, 0
pieces = module.sectioned_pieces

def step():
    global passed
    if passed == moment:
        os.kill(os.getpid(), signal.SIGKILL)
    passed += 1

def in_parts(*arguments):
    data = b"".join(map(bytes, pieces(*arguments)))
    for start in range(0, len(data), 2048):
        step()
        yield data[start : start + 2048]
    step()

def between(function):
    def called(*arguments):
        step()
        result = function(*arguments)
        step()
        return result
    return called

def child():
    module.sectioned_pieces = in_parts
    os.fsync, os.replace = between(os.fsync), between(os.replace)
    module.CacheFolder._flush_folder = between(module.CacheFolder._flush_folder)
    folder.write(key, {}, {"data": new})
    os._exit(0)

os.fsync = lambda _: None  # it is for machines that lose power
found = Counter()
while True:
    folder.write(key, {}, {"data": old})
    pid = os.fork()
    if pid == 0:
        child()
    killed = os.WIFSIGNALED(os.waitpid(pid, 0)[1])
    file = folder.read(key)
    file.check()
    data = bytes(file.section("data"))
    assert data in (old, new), moment
    folder.prune(0)
    assert [each.suffix for each in folder.folder.iterdir()] == [".ldc"], moment
    found["old" if data == old else "new", killed] += 1
    if not killed:
        break
    moment += 1
print(found["old", True] >= 50, found["new", True] >= 2, found["old", False], found["new", False])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_writer_killed_at_any_moment_leaves_the_old_entry_or_the_new_one(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    assert done.stdout.split() == ["True", "True", "0", "1"]
