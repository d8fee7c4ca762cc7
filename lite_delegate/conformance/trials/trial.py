"""Trial: a model of a chain on a delegate, and the data whose results are known."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...basics.data_class import dataclass
from ...delegate import Delegate
from ...errors import DelegateWarning
from ...inference import InferRequest
from ...ir import Graph
from ...mindspore.context.context import Context
from ...mindspore.model import Model
from ..finding import Finding
from ..judging.case import Array
from ..judging.chain import Arrays, Chain
from ..judging.oracle import Expected, Grant
from ..reports.defects import Defect, Stage

POISON = 0x6B
"""The byte that memory is filled with before a run, so that what is not computed is seen: large as a float."""
POISONED = 4
"""Blocks of memory of an output's size that are filled."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A model whose first run was right.

    Attributes:
        chain: what it was built of.
        grant: the error that is granted.
        delegate: who it was built for; None: the CPU.
        model: the model.
        first: the chain's own data.
        outputs: what the first run gave, as it gave it.
        other: other data of the same shapes; None where there is none.
    """

    chain: Chain
    grant: Grant
    delegate: Delegate | None
    model: Model
    first: Expected
    outputs: tuple[Array, ...]
    other: Expected | None

    @property
    def data(self) -> tuple[Expected, Expected]:
        """Two sets of data; the same twice where there is no other."""
        return self.first, self.first if self.other is None else self.other


def build(graph: Graph, delegate: Delegate | None) -> Model:
    """A model of a graph; what a delegate warns of is in its record."""
    context = Context()
    context.set_delegate(delegate)
    model = Model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)
        model.build_from_graph(graph, context)
    return model


def raised_in(model: Model) -> str:
    """The traceback of what a delegate raised while a model was planned, "" for nothing."""
    return next((failure.traceback for failure in model.get_partition().failures), "")


def run(runs: Model | InferRequest, data: Expected) -> tuple[Array, ...]:
    """The outputs for some data, made in memory that was filled with ``POISON``.

    Raises:
        InputWritten: an input was written to.
    """
    given = {name: x.copy() for name, x in data.inputs.items()}
    poison(data.outputs)
    outputs = tuple(_predicted(runs, given))
    written = changed(data.inputs, given)
    if written:
        raise InputWritten(written)
    return outputs


def _predicted(runs: Model | InferRequest, given: Arrays) -> Sequence[Array]:
    return [t.data for t in runs.predict(given)] if isinstance(runs, Model) else runs.infer(given)


class InputWritten(Exception):
    """A delegate has written to an input; the argument is its name."""

    def finding(self, stage: Stage) -> Finding:
        """The finding about the written input."""
        return Finding(stage, f"{self} was written to", Defect.INPUT_CHANGED)


def changed(before: Arrays, after: Mapping[str, Array]) -> str:
    """The name of the first array that is not what it was; "" when all are."""
    return next((name for name, x in before.items() if x.tobytes() != after[name].tobytes()), "")


def poison(outputs: Iterable[Array]) -> None:
    """Fills memory that is then free, of the outputs' sizes: an array that is made uninitialized next may get it."""
    blocks = [np.full(y.nbytes, POISON, np.uint8) for y in outputs for _ in range(POISONED)]
    del blocks


def same(a: Sequence[Array], b: Sequence[Array]) -> bool:
    """Bit for bit."""
    return all(x.shape == y.shape and x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True))
