"""The process that runs cases: makes the delegate from its SPEC, and reports each case as soon as it is through.

Whatever the delegate does to this process - end it, hang it, print - the parent knows which case it was at.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from io import TextIOWrapper
from multiprocessing.connection import Connection

import numpy as np

from ...basics.data_class import dataclass
from ...delegate import Delegate
from ...devices.registry.delegate_spec import resolve_delegate
from ...errors import LiteDelegateError
from ..judging.case import ConformanceCase
from ..pattern_runner import run_pattern
from ..patterns.pattern import Pattern
from ..reports.results import CaseOutcome, CaseResult, FailureKind
from ..runner import claimed_result, forced_result

Subject = ConformanceCase | Pattern
"""What a delegate is judged on."""


@dataclass(frozen=True, slots=True)
class ConformanceTask:
    """A case or a pattern to run.

    Attributes:
        position: in the whole run.
        case: the case or the pattern.
        unforced: why it must not be forced; "": it may.
        closely: see ``run_case``.
    """

    position: int
    case: Subject
    unforced: str = ""
    closely: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """The delegate has been made, and has this name."""

    delegate: str


@dataclass(frozen=True, slots=True)
class Unusable:
    """The SPEC names no delegate."""

    message: str


@dataclass(frozen=True, slots=True)
class Forcing:
    """A case was rejected, and is about to be run by force."""

    position: int
    result: CaseResult


@dataclass(frozen=True, slots=True)
class Done:
    """A case is through."""

    position: int
    result: CaseResult


Message = Ready | Unusable | Forcing | Done


def serve(connection: Connection, spec: str, options: Mapping[str, str]) -> None:
    """Runs lists of tasks from the connection, in order, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    os.dup2(2, 1)  # what a delegate prints must not end up in the report
    if isinstance(sys.stdout, TextIOWrapper):
        # nor wait for the end of the process, which may be killed; nor be cut by what others print
        sys.stdout.reconfigure(line_buffering=True, write_through=False)
    try:
        delegate = resolve_delegate(spec, options)
    except LiteDelegateError as e:
        connection.send(Unusable(str(e)))
        return
    _load()
    connection.send(Ready("none" if delegate is None else delegate.name))
    while tasks := _received(connection):
        for task in tasks:
            _run(task, delegate, connection)


def _load() -> None:
    """Runs a case on the CPU, which imports what all need: that is no part of the time that a delegate has."""
    x = np.ones(1, np.float32)
    claimed_result(ConformanceCase("first", "Abs", (x,), (x,)), None)


def _received(connection: Connection) -> list[ConformanceTask]:
    try:
        tasks: list[ConformanceTask] = connection.recv()
    except EOFError:
        return []
    return tasks


def _run(task: ConformanceTask, delegate: Delegate | None, connection: Connection) -> None:
    case = task.case
    try:
        result = _claimed(case, delegate, closely=task.closely)
    except SystemExit as e:
        result = CaseResult.failed(case.op_type, case.name, FailureKind.RAISED, f"SystemExit: {e}")
    if delegate is not None and result.outcome is CaseOutcome.REJECTED and isinstance(case, ConformanceCase):
        result = _force(task, case, delegate, result, connection)
    connection.send(Done(task.position, result))


def _claimed(case: Subject, delegate: Delegate | None, *, closely: bool) -> CaseResult:
    if isinstance(case, Pattern):
        return run_pattern(case, delegate, closely=closely)
    return claimed_result(case, delegate, closely=closely)


def _force(
    task: ConformanceTask, case: ConformanceCase, delegate: Delegate, result: CaseResult, connection: Connection
) -> CaseResult:
    if task.unforced:
        return result.with_forced(None, task.unforced)
    connection.send(Forcing(task.position, result))
    try:
        return forced_result(case, delegate, result)
    except SystemExit as e:
        return result.with_forced(CaseOutcome.FAILED, f"SystemExit: {e}")
