"""WrittenRun: a run lowered and rewritten for one set of shapes, before a backend gets it."""

from __future__ import annotations

from collections.abc import Sequence

from ...basics.data_class import dataclass
from ...delegate import Boundary, Kernel
from ..lowering import Emitter, Term, lower_run
from ..rewriting import Recorder, Rewrite, WrittenOperator


@dataclass(frozen=True, slots=True, eq=False)
class WrittenRun:
    """A record, and the terms of it that are the outputs.

    Attributes:
        record: the record of the run.
        nodes: the nodes of the record that the outputs need, in order.
        outputs: the terms of the outputs, in the order of the boundary.
    """

    record: Recorder
    nodes: tuple[WrittenOperator, ...]
    outputs: tuple[Term, ...]

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """The key that runs must share, at the least, so that one model can serve all their shapes."""
        return tuple((node.op, node.layer) for node in self.nodes)


def written_run(run: Sequence[Kernel], boundary: Boundary, emitter: Emitter, rewrites: Sequence[Rewrite]) -> WrittenRun:
    """Lowers a run, and rewrites it one way after another; nothing is written to the emitter.

    Raises:
        DelegateBuildError: a kernel cannot be lowered; the message names it.
    """
    record = Recorder(emitter)
    outputs = lower_run(run, boundary, record)
    for rewrite in rewrites:
        rewrite(record)
    return WrittenRun(record, tuple(record.needed(outputs)), tuple(outputs))
