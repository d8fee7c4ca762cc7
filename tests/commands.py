"""The command line as tests run it: in a process of its own, as a user does, or in this one."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Mapping
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from click.testing import CliRunner, Result

from lite_delegate.cli.main import main

COMMAND = [sys.executable, "-m", "lite_delegate"]
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload([*(f"lite_delegate.cli.{name}" for name in ("report", "conformance")), "tests.commands"])


def run(
    *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The end of a process, whatever its status; ``env`` is more environment.

    The process is forked from one that has imported the command: the import takes longer than most commands do. What is
    read from the environment on import has to be given as ``env``, with which a new interpreter is started.
    """
    given = [*map(str, arguments)]
    if env is None:
        return _forked(given, os.getcwd() if cwd is None else str(cwd))
    return subprocess.run([*COMMAND, *given], capture_output=True, text=True, cwd=cwd, env={**os.environ, **env})


def call(
    *arguments: object, cwd: Path | None = None, status: int = 0, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The end of a process that must end with a status, and without a traceback; see ``run``."""
    done = run(*arguments, cwd=cwd, env=env)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def _forked(arguments: list[str], folder: str) -> subprocess.CompletedProcess[str]:
    with TemporaryDirectory() as written:
        process = FORKS.Process(target=_be_the_command, args=(arguments, folder, dict(os.environ), written))
        process.start()
        process.join()
        stdout, stderr = (Path(written, name).read_text() for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess([*COMMAND, *arguments], process.exitcode or 0, stdout, stderr)


def _be_the_command(arguments: list[str], folder: str, environment: dict[str, str], written: str) -> None:
    sys.stdout, sys.stderr = (_stream(place, Path(written, name)) for place, name in ((1, "stdout"), (2, "stderr")))
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["lite-delegate", *arguments]
    try:
        main()
    except Exception:
        traceback.print_exc()
        raise SystemExit(1) from None
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _stream(place: int, file: Path) -> TextIO:
    """The process's stream of a number, written to a file."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(descriptor, place)
    os.close(descriptor)
    return open(place, "w", closefd=False)


def invoke(*arguments: object) -> Result:
    """The end of the command in this process, whatever its status."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])
