"""``compare`` and ``conformance`` run delegates of others in processes of their own, unless ``--no-isolation``."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite_delegate.formats.ms import write_ms
from tests.commands import call, run
from tests.isolated.chains import chain

CRASHING = """
import ctypes

from lite_delegate import Delegate


class Crashing(Delegate):
    def __init__(self) -> None:
        ctypes.string_at(0)
"""
COMMANDS = {"compare": ("model.ms",), "conformance": ("--op", "Abs", "--jobs", "1")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_ms(chain(), tmp_path / "model.ms")
    (tmp_path / "crashing.py").write_text(CRASHING)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_constructor_that_crashes_is_one_line(command: str, folder: Path) -> None:
    done = call(command, *COMMANDS[command], "--delegate", "crashing.py:Crashing", cwd=folder, status=2)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "the delegate's own process ended by signal SIGSEGV" in line


@pytest.mark.parametrize("command", COMMANDS)
def test_without_isolation_it_ends_the_command(command: str, folder: Path) -> None:
    options = ("--delegate", "crashing.py:Crashing", "--no-isolation")
    assert run(command, *COMMANDS[command], *options, cwd=folder).returncode < 0
