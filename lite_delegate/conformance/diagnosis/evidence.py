"""Evidence: the outputs of a delegate for a chain, and the right outputs."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from ...basics.data_class import dataclass
from ...numerics.tolerance import Tolerance
from ..judging.case import Array
from ..judging.chain import Chain
from ..judging.mismatch import mismatch
from ..judging.oracle import Expected
from ..judging.reference import reference_outputs_of


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Outputs that are wrong.

    Attributes:
        chain: the chain, with the data that was given.
        expected: what had to come.
        got: what came.
        deadline: by ``time.monotonic``, when looking for an explanation ends.
    """

    chain: Chain
    expected: Expected
    got: tuple[Array, ...]
    deadline: float

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() >= self.deadline

    def is_explained_by(self, outputs: Sequence[Array]) -> bool:
        """Whether the outputs are those that another computation would give."""
        tolerances = [Tolerance(t.rtol, float(np.max(t.atol, initial=0.0))) for t in self.expected.tolerances]
        return not mismatch(self.got, outputs, tolerances)

    def is_result_of(self, chain: Chain) -> bool:
        """Whether the outputs are those that the reference kernels give for another chain."""
        try:
            return self.is_explained_by(reference_outputs_of(chain))
        except Exception:  # a variant may break any rule of the operator; then it explains nothing
            return False


@dataclass(frozen=True, slots=True)
class Wrong:
    """One output that is wrong, and where."""

    got: Array
    want: Array
    at: Array


def wrong_outputs(evidence: Evidence) -> list[Wrong]:
    """The outputs of the right type and shape that are wrong."""
    found = []
    for got, want, tolerance in zip(evidence.got, evidence.expected.outputs, evidence.expected.tolerances, strict=True):
        if (got.dtype, got.shape) == (want.dtype, want.shape) and got.dtype.kind in "fiub":
            at = ~tolerance.accepts(got, want)
            if at.any():
                found.append(Wrong(got, want, at))
    return found
