"""The command line as tests run it: in a process of its own, as a user does, or in this one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from lite_delegate.cli.main import main

COMMAND = [sys.executable, "-m", "lite_delegate"]


def call(*arguments: object, cwd: Path | None = None, status: int = 0) -> subprocess.CompletedProcess[str]:
    """The end of a process that must end with a status, and without a traceback."""
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def invoke(*arguments: object) -> Result:
    """The end of the command in this process, whatever its status."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])
