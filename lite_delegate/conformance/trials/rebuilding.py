"""Two models of one delegate, with other constants under the same names, and one of them released."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import numpy as np

from ..finding import Finding
from ..judging.case import Array
from ..judging.chain import Arrays, Chain, chain_graph
from ..judging.oracle import Expected, Oracle
from ..reports.defects import Defect, Stage
from .trial import Trial, build, run


def check_rebuild(trial: Trial) -> Finding | None:
    """The failure where one model holds state of another model of the same delegate. The trial's model is closed
    afterwards.
    """
    chain, data = other_constants(trial)
    first, _ = trial.data
    with closing(build(chain_graph(chain, data.outputs), trial.delegate)) as second:
        if not second.get_graph_kernels():
            trial.model.close()
            return None
        steps: tuple[Callable[[], str], ...] = (
            lambda: _wrong("a second model", data, run(second, data)),
            lambda: _wrong("the first model beside a second one", first, run(trial.model, first)),
        )
        wrong = next((found for step in steps if (found := step())), "")
        trial.model.close()
        wrong = wrong or _wrong("a model after another was released", data, run(second, data))
    if not wrong:
        with closing(build(chain_graph(trial.chain, first.outputs), trial.delegate)) as third:
            wrong = _wrong("built once more", first, run(third, first))
    return Finding(Stage.REBUILD, wrong, Defect.STATE_OF_ANOTHER_MODEL) if wrong else None


def _wrong(which: str, data: Expected, outputs: tuple[Array, ...]) -> str:
    found = data.mismatch(outputs)
    return f"{which}: {found}" if found else ""


def other_constants(trial: Trial) -> tuple[Chain, Expected]:
    """The chain with its floating-point constants backwards, where that is a model; the chain itself otherwise."""
    backwards: Arrays = {
        name: np.ascontiguousarray(x.reshape(-1)[::-1].reshape(x.shape))
        for name, x in trial.chain.constants.items()
        if x.dtype.kind == "f"
    }
    chain = trial.chain.with_arrays(backwards)
    try:
        found = Oracle(chain, trial.grant).expect(chain.inputs) if backwards else None
    except Exception:  # the constants may break any rule of the operator; then they are of no use
        found = None
    return (trial.chain, trial.first) if found is None else (chain, found)
