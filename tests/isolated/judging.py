"""The judge of visits, and the process that makes them."""

from __future__ import annotations

import os
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from time import perf_counter

from tests.isolated.faulty import PRINTED
from tests.isolated.visits import ANSWER, HOOKS, NOTHING, Visit


def judged(visit: Visit) -> str:
    """What a visit cost in a word; it begins with "!" where that is more than the hook's failure may cost."""
    cost = HOOKS[visit.where].cost
    if not visit.told.exists() and visit.where != "import" and (visit.how, visit.where) != ("answer", "constructor"):
        return f"! the hook was not called: {visit.errors}"
    if any(visit.results) or len(visit.results) < 2:
        return f"! wrong results {visit.results}"
    if cost == NOTHING and (visit.errors or not visit.on_device):
        return f"! {visit.errors or 'nothing on the device'}"
    if visit.how == "print":
        return "ok" if visit.on_device and not visit.errors else f"! {visit.said}"
    if cost == ANSWER and not visit.on_device:
        return "! nothing on the device"
    started = 0 if visit.delegate is None else visit.delegate.started - 1
    left = "error" if visit.errors else "device" if visit.on_device else "CPU"
    return f"{left} +{started}" if started else left


def serve(connection: Connection) -> None:
    """Answers each case, a hook and a way, with a word."""
    with TemporaryFile("ab+") as printed:
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
        connection.send("ready")
        while True:
            try:
                hook, how = connection.recv()
            except EOFError:
                return
            os.ftruncate(printed.fileno(), 0)
            connection.send(_answer(hook, how))


def _answer(hook: str, how: str) -> str:
    started = perf_counter()
    try:
        with TemporaryDirectory() as folder:
            word = judged(Visit(how, hook, Path(folder)).go(HOOKS[hook].steps))
    except BaseException as e:
        word = f"! {type(e).__name__}: {e}"
    text = Path("/proc/self/fd/1").read_text(errors="replace")
    if PRINTED in text or "Traceback" in text:
        word = f"! printed: {text}"
    return f"{word} {perf_counter() - started:.1f}s"
