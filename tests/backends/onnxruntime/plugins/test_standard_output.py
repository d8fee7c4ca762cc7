"""Lines that native libraries print while a plugin works are not on standard output."""

from __future__ import annotations

import os
import subprocess
import sys

MODULE = "from lite_delegate.backends.onnxruntime.plugins.standard_output import away_from_standard_output as away\n"
NATIVE = "import ctypes, os, sys\nlibc = ctypes.CDLL(None)\n"


def printed(script: str, *, closed: str = "") -> tuple[str, str]:
    """What a script leaves on standard output and standard error, one of which may be closed: ">&-" or "2>&-"."""
    command = [sys.executable, "-c", NATIVE + MODULE + script]
    if closed:
        command = ["sh", "-c", f'exec "$@" {closed}', "sh", *command]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}  # the C library's, too
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_what_is_written_to_the_descriptor_goes_to_standard_error() -> None:
    out, err = printed("print('before')\nwith away():\n    os.write(1, b'native ')\nprint('after')\n")
    assert (out, err) == ("before\nafter\n", "native ")


def test_what_a_library_has_not_flushed_goes_there_too() -> None:
    """The C library keeps what is printed to a pipe until its buffer is full, or the process ends."""
    out, err = printed("libc.printf(b'before ')\nwith away():\n    libc.printf(b'native ')\nlibc.printf(b'after')\n")
    assert (out, err) == ("before after", "native ")


def test_inside_of_each_other() -> None:
    script = "with away():\n    with away():\n        os.write(1, b'a')\n    os.write(1, b'b')\nos.write(1, b'c')\n"
    assert printed(script) == ("c", "ab")


def test_an_error_inside_brings_standard_output_back() -> None:
    script = "try:\n    with away():\n        raise KeyError\nexcept KeyError:\n    os.write(1, b'out')\n"
    assert printed(script) == ("out", "")


def test_threads_inside_at_once() -> None:
    """The first to leave brings nothing back while another one is inside."""
    script = (
        "import threading\n"
        "inside, go = threading.Barrier(2), threading.Event()\n"
        "def late():\n"
        "    with away():\n"
        "        inside.wait()\n"
        "        go.wait()\n"
        "        os.write(1, b'late')\n"
        "thread = threading.Thread(target=late)\n"
        "with away():\n"
        "    thread.start()\n"
        "    inside.wait()\n"
        "go.set()\n"
        "thread.join()\n"
        "os.write(1, b'out')\n"
    )
    assert printed(script) == ("out", "late")


def test_a_closed_standard_output_stays_closed() -> None:
    script = (
        "with away():\n"
        "    sys.stderr.write('inside ')\n"
        "try:\n"
        "    os.fstat(1)\n"
        "except OSError:\n"
        "    sys.stderr.write('closed')\n"
    )
    assert printed(script, closed=">&-")[1] == "inside closed"


def test_without_standard_error_nothing_is_redirected() -> None:
    assert printed("with away():\n    os.write(1, b'native')\n", closed="2>&-") == ("native", "")


def test_a_standard_output_that_python_has_not_is_no_error() -> None:
    assert printed("sys.stdout = None\nwith away():\n    os.write(1, b'native')\n") == ("", "native")
