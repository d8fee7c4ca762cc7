"""Rewritten runs: runs lowered and rewritten for a backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ...delegate import Boundary, Kernel
from ..lowering import Emitter, Term, lower_run
from .recorder import Recorder

Rewrite: TypeAlias = Callable[[Recorder], int]
"""Changes a record, and says in how many places."""


def write_run(run: Sequence[Kernel], boundary: Boundary, emitter: Emitter, rewrites: Sequence[Rewrite]) -> list[Term]:
    """Writes a run to an emitter, rewritten one way after another; returns the terms of the boundary's outputs.

    Raises:
        DelegateBuildError: a kernel cannot be lowered; the message names it.
    """
    if not rewrites:
        return lower_run(run, boundary, emitter)
    record = Recorder(emitter)
    outputs = lower_run(run, boundary, record)
    for rewrite in rewrites:
        rewrite(record)
    return record.replay(outputs)
