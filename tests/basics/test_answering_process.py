"""A process that answers questions costs its asker nothing but an answer when it crashes, hangs or ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from lite_delegate.basics.answering_process import AnsweringProcess, HelperEnded, NoProcess
from lite_delegate.basics.clean_process import CleanProcess
from tests.basics.served import never_ready, serve

SECONDS = 60.0


@pytest.fixture
def process() -> Iterator[AnsweringProcess]:
    made = AnsweringProcess(serve, "one", 2)
    yield made
    made.close()


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not yet waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends(pid: int) -> bool:
    """Whether a process ends within some seconds."""
    until = time.monotonic() + SECONDS
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_alive(pid)


def test_one_process_answers_all_questions_and_gets_the_arguments(process: AnsweringProcess) -> None:
    assert process.started == 0
    first, *answer = process.ask("question", SECONDS)
    assert answer == ["question", "one", 2]
    assert process.ask({"any": "object"}, SECONDS) == (first, {"any": "object"}, "one", 2)
    assert first != os.getpid()
    assert process.started == 1


def test_an_end_is_named_and_the_next_question_starts_another_process(process: AnsweringProcess) -> None:
    for number, signalled in enumerate((signal.SIGSEGV, signal.SIGABRT), 1):
        with pytest.raises(HelperEnded, match=f"ended by signal {signalled.name}"):
            process.ask(signalled, SECONDS)
        assert process.started == number
    with pytest.raises(HelperEnded, match="ended with exit status 3"):
        process.ask("exit", SECONDS)
    assert process.ask("again", SECONDS)[1] == "again"
    assert process.started == 4


def test_a_process_that_hangs_is_killed(process: AnsweringProcess) -> None:
    pid = process.ask("where", SECONDS)[0]
    with pytest.raises(HelperEnded, match=r"gave no answer within 0\.2 s"):
        process.ask("hang", 0.2)
    assert not is_alive(pid)
    assert process.ask("again", SECONDS)[0] != pid


def test_an_end_shows_though_a_child_of_the_process_lives_on(process: AnsweringProcess) -> None:
    began = time.monotonic()
    with pytest.raises(HelperEnded, match="ended with exit status 3"):
        process.ask("leave a child", SECONDS)
    assert time.monotonic() - began < 25


def test_an_answer_that_cannot_be_asked_for_ends_the_process(process: AnsweringProcess) -> None:
    """The process may have a part of the question, and its answers would be those of other questions from now on."""
    pid = process.ask("where", SECONDS)[0]
    with pytest.raises(Exception, match="pickle"):
        process.ask(lambda: None, SECONDS)
    assert not is_alive(pid)
    assert process.ask("again", SECONDS)[1] == "again"


def test_a_process_that_is_never_ready_is_no_process() -> None:
    with pytest.raises(NoProcess, match="it ended with exit status 4 while it started"):
        AnsweringProcess(never_ready).ask("question", SECONDS)


def test_an_interpreter_that_cannot_be_started_is_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(NoProcess, match="No such file or directory"):
        AnsweringProcess(serve).ask("question", SECONDS)


def test_the_process_ends_with_the_object() -> None:
    process = AnsweringProcess(serve)
    pid = process.ask("where", SECONDS)[0]
    del process
    assert not is_alive(pid)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_has_a_process_of_its_own(process: AnsweringProcess) -> None:
    pid = process.ask("where", SECONDS)[0]
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with suppress(BaseException):
            os.write(writing, f"{process.ask('where', SECONDS)[0]} ".encode())
            process.close()
            os.write(writing, b"closed")
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with open(reading) as pipe:
        other, closed = pipe.read().split()
    assert int(other) != pid
    assert closed == "closed"
    assert process.ask("where", SECONDS)[0] == pid


def test_the_script_that_asks_is_not_run_again(tmp_path: Path) -> None:
    """It needs no ``if __name__ == "__main__":``, and the process finds what the script finds."""
    (tmp_path / "beside.py").write_text(
        "def serve(connection):\n"
        "    connection.send(None)\n"
        "    connection.recv()\n"
        "    connection.send('an answer')\n"
        "    connection.close()\n"
    )
    script = tmp_path / "script.py"
    script.write_text(
        "import beside\n"
        "from lite_delegate.basics.answering_process import AnsweringProcess\n"
        "print('the script')\n"
        "print(AnsweringProcess(beside.serve).ask('question', 60))\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["the script", "an answer"]


def test_the_process_ends_with_its_parent_also_while_it_computes(tmp_path: Path) -> None:
    script = (
        "import os, threading\n"
        "from lite_delegate.basics.answering_process import AnsweringProcess\n"
        "from tests.basics.served import serve\n"
        "process = AnsweringProcess(serve)\n"
        "print(process.ask('where', 60)[0], flush=True)\n"
        "threading.Timer(0.5, os._exit, [0]).start()\n"
        "process.ask('hang', 600)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), *(path for path in sys.path if path)])}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, timeout=SECONDS)
    (pid,) = re.findall(r"\d+", done.stdout)
    assert ends(int(pid))


def test_the_process_of_a_parent_that_was_killed_ends() -> None:
    """The parent closes no connection in order, and its threads do not matter."""
    script = (
        "from lite_delegate.basics.clean_process import CleanProcess\n"
        "from tests.basics.served import serve\n"
        "helper = CleanProcess(serve)\n"
        "helper.connection.recv()\n"
        "helper.connection.send('where')\n"
        "print(helper.connection.recv()[0], flush=True)\n"
        "helper.connection.send('hang')\n"
        "input()\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), *(path for path in sys.path if path)])}
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
    assert ends(pid)


def test_a_process_that_is_let_go_ends_by_itself() -> None:
    helper = CleanProcess(serve)
    helper.connection.recv()
    helper.end()
    assert helper.ending == "with exit status 0"
