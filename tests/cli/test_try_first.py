"""``--try-first``: delegates that crash, exit or hang cost ``report`` and ``compare`` a node each, not the command."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from lite_delegate.formats.ms import write_ms
from tests.commands import COMMAND, call
from tests.runtime.graphs import chain
from tests.trying import faulty

SPEC = "faulty.py:FaultyDelegate"
ENDS = {
    "segfault": "ended by signal SIGSEGV",
    "abort": "ended by signal SIGABRT",
    "exit": "ended with exit status 3",
    "hang": "gave no answer within 1 s",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(faulty.__file__, tmp_path / "faulty.py")
    write_ms(chain(2), tmp_path / "chain.ms")
    return tmp_path


def options(how: str, where: str) -> list[str]:
    given = ["--delegate", SPEC, "--try-timeout", "1"]
    for each in (f"how={how}", f"where={where}"):
        given += ["--delegate-option", each]
    return given


def processes_in(folder: Path) -> list[str]:
    """The processes that have the folder as their working directory, where the system tells; zombies have none."""
    return [str(link.parent) for link in Path("/proc").glob("[0-9]*/cwd") if os.path.realpath(link) == str(folder)]


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize(("command", "where"), [("report", "prepare"), ("compare", "execute")])
def test_the_guilty_node_falls_back_with_the_reason(folder: Path, command: str, how: str, where: str) -> None:
    before = {path.name for path in folder.iterdir()} | {"__pycache__"}
    done = call(command, "chain.ms", *options(how, where), "--format", "json", cwd=folder)
    reason = f"the process in which it was tried {ENDS[how]}"
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("lite-delegate: warning: Delegate 'faulty': 1 kernel goes back to the CPU")
    assert warning.endswith(f"'n1': {reason}")
    found = json.loads(done.stdout)
    if command == "report":
        codes = {node["name"]: (node["code"], node["reason"]) for node in found["nodes"]}
        assert codes == {"n0": (None, ""), "n1": ("COMPILE_FAILED", reason)}
    assert {path.name for path in folder.iterdir()} <= before
    assert not processes_in(folder)


def test_without_it_the_command_itself_crashes(folder: Path) -> None:
    given = [*COMMAND, "report", "chain.ms", *options("segfault", "create"), "--no-try-first"]
    assert subprocess.run(given, cwd=folder, capture_output=True, check=False).returncode == -signal.SIGSEGV
