"""Notes about options of delegates that name nodes the model does not have."""

from __future__ import annotations

from collections.abc import Sequence

from ....basics.unforeseen import FAILURES
from ....ir import Graph
from ...binding.bind import BoundGraph
from ...lifetimes.session import Session
from ...records.notices import Notices
from ...settings import Settings


def say_unmatched(
    graph: Graph, graphs: Sequence[BoundGraph], settings: Settings, session: Session, notices: Notices
) -> None:
    """Warns of each, and notes it; nothing of delegates whose device is not there."""
    kernels = [kernel for each in graphs for kernel in each.kernels]
    for delegate in settings.delegates:
        if delegate.name in session.absent:
            continue
        try:
            texts = list(delegate.unmatched(kernels, graph.removed))
        except FAILURES as e:  # a delegate's own code may raise anything
            notices.warn(f"Delegate '{delegate.name}': the question which of its options match no node failed: {e}", e)
            continue
        for text in texts:
            notices.note(f"Delegate '{delegate.name}': {text}")
            notices.warn(f"Delegate '{delegate.name}': {text}")
