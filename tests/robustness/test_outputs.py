"""Full disks, folders that are gone, closed pipes, Ctrl-C: one line or none, and nothing half-written."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lite_delegate.demo import model_path
from tests.commands import COMMAND, invoke

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full and limits of Linux")
REPORT = [*COMMAND, "report", str(model_path()), "--format", "json"]


def test_a_full_device_as_standard_output() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(REPORT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_closes_its_pipe() -> None:
    process = subprocess.Popen(REPORT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() in (0, 1)
    process.stderr.close()


@pytest.mark.parametrize("command", [["report", "--format", "json"], ["run"], ["convert"]])
def test_a_disk_that_gets_full_leaves_what_was_there(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / {"report": "r.json", "run": "y.npz", "convert": "m.ms"}[command[0]]
    path.write_bytes(b"old")

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    name, *options = command
    arguments = [*COMMAND, name, str(model_path()), *options, "-o", str(path)]
    plain = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}  # compiled modules would be cut off by the limit, too
    done = subprocess.run(arguments, capture_output=True, text=True, preexec_fn=limited, env=plain)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert f"'{path.with_suffix('')}" in done.stderr
    assert "File too large" in done.stderr
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder of a file system of its own, with room for 64 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"file systems cannot be mounted here: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_disk_without_room(small_disk: Path) -> None:
    path = small_disk / "r.json"
    path.write_bytes(b"old")
    (small_disk / "other").write_bytes(bytes(60 << 10))
    result = invoke("report", model_path(), "--format", "html", "-o", path)
    assert (result.exit_code, result.stderr) == (2, f"lite-delegate: '{path}': No space left on device\n")
    assert path.read_bytes() == b"old"
    assert {each.name for each in small_disk.iterdir()} == {"r.json", "other"}


def test_a_disk_that_is_read_only(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    result = invoke("report", model_path(), "-o", small_disk / "r.json")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert f"'{small_disk}' cannot be written to" in result.stderr


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    before = Path.cwd()
    os.chdir(gone)
    try:
        gone.rmdir()
        done = subprocess.run([*REPORT, "-o", "x.json"], capture_output=True, text=True)
    finally:
        os.chdir(before)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    result = invoke("report", model_path(), "-o", tmp_path / "x.json")
    assert (result.exit_code, "cannot be written" in result.stderr) == (2, True)


def test_an_interrupt_ends_a_command_as_a_shell_expects(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lite_delegate.inference.compiling.compilation.graph_parts", interrupted)
    result = invoke("run", model_path())
    assert (result.exit_code, result.stderr) == (130, "")


def test_an_interrupt_while_a_command_is_imported_has_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # not so in the background
    command = [sys.executable, "-c", f"{heard}\nfrom lite_delegate_command import main; main()", "--version"]
    ended = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")
