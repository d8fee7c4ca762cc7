"""The command line as tests run it: in a process of its own, as a user does, or in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from click.testing import CliRunner, Result

from lite_delegate.cli.main import main

COMMAND = [sys.executable, "-m", "lite_delegate"]


def call(
    *arguments: object, cwd: Path | None = None, status: int = 0, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The end of a process that must end with a status, and without a traceback; ``env`` is more environment."""
    given = None if env is None else {**os.environ, **env}
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, env=given)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def invoke(*arguments: object) -> Result:
    """The end of the command in this process, whatever its status."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])
