"""The process of trials: makes sessions of models, and tells what the provider left to ONNX Runtime's CPU."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ....basics.data_class import dataclass
from ....errors import LiteDelegateError
from ..sessions.properties import CPU_PROVIDER
from ..sessions.session import (
    SessionSettings,
    check_provider,
    hand_over,
    made_session,
    options_of,
    records_assignment,
)
from .trial_model import TrialModel

ReadReasons = Callable[[str], Mapping[str, str]]
"""Reads the reasons for nodes that were left to the CPU out of ONNX Runtime's verbose log, by the nodes' names."""
VERBOSE = 0


@dataclass(frozen=True, slots=True, eq=False)
class TrialResult:
    """The result of a trial.

    Attributes:
        left: by layer, the operators that ONNX Runtime would run on its CPU.
        reasons: by layer, the provider's reasons.
        error: why no session was made, "" where it was.
        absence: why the provider is not there, "" where it is.
    """

    left: Mapping[str, tuple[str, ...]]
    reasons: Mapping[str, str]
    error: str = ""
    absence: str = ""


def serve_trials(connection: Connection, settings: SessionSettings, read_reasons: ReadReasons | None) -> None:
    """Answers each ``TrialModel`` with a ``TrialResult`` until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the parent that ends this process
    with TemporaryDirectory() as folder:
        os.chdir(folder)  # compilers leave files in the working directory
        log = Path(folder) / "log"
        _redirect(log)
        connection.send(None)
        absence = _absence(settings)
        while True:
            try:
                model: TrialModel = connection.recv()
            except EOFError:
                return
            connection.send(
                TrialResult({}, {}, absence=absence) if absence else _tried(model, settings, read_reasons, log)
            )


def _redirect(log: Path) -> None:
    """What is printed goes to a file, and no core files are written."""
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(file, stream)
    os.close(file)
    try:
        import resource
    except ImportError:  # there is none outside of Unix
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _absence(settings: SessionSettings) -> str:
    try:
        check_provider(settings)
    except LiteDelegateError as e:
        return str(e)
    return ""


def _tried(model: TrialModel, settings: SessionSettings, read_reasons: ReadReasons | None, log: Path) -> TrialResult:
    os.truncate(log, 0)
    options = options_of(model.content, settings)
    if read_reasons is not None:
        options.log_severity_level = VERBOSE
    hand_over(model.outside, options)
    try:
        session = made_session(model.content, options, settings)
    except LiteDelegateError as e:
        return TrialResult({}, _by_layer(log, read_reasons), error=str(e))
    left = _left(session) if records_assignment() else {}
    return TrialResult(left, _by_layer(log, read_reasons) if left else {})


def _left(session: Any) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for part in session.get_provider_graph_assignment_info():
        if part.ep_name != CPU_PROVIDER:
            continue
        for node in part.get_nodes():
            layer = _layer(node.name)
            found[layer] = (*found.get(layer, ()), node.op_type)
    return found


def _by_layer(log: Path, read_reasons: ReadReasons | None) -> dict[str, str]:
    if read_reasons is None:
        return {}
    return {_layer(node): reason for node, reason in read_reasons(log.read_text(errors="replace")).items()}


def _layer(node: str) -> str:
    return node.partition("/")[0]
