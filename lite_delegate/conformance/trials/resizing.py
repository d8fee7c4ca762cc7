"""Resizing: the model runs for other shapes, and for the first shapes again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...errors import LiteDelegateError
from ..finding import Finding
from ..judging.case import Array
from ..judging.chain import Arrays, Chain
from ..judging.oracle import Expected, Oracle
from ..reports.defects import Defect, Stage
from .trial import Trial, run, same

MAX_SHAPES = 6
"""Shapes that are tried before an operator counts as one that cannot be resized."""


def other_shapes(trial: Trial) -> Expected | None:
    """Inputs of other shapes that the operator admits, with what they must give; None when none are found."""
    for _, inputs in zip(range(MAX_SHAPES), _candidates(trial.chain), strict=False):
        try:
            found = Oracle(trial.chain.with_arrays(inputs), trial.grant).expect(inputs)
        except Exception:  # shapes may break any rule of the operator; then they are of no use
            continue
        if found is not None:
            return found
    return None


def check_resize(trial: Trial) -> Finding | None:
    """The failure where the delegate keeps state of the old shapes, or of the new ones after resizing back.

    A delegate that does not claim the new shapes is right not to.
    """
    larger = other_shapes(trial)
    if larger is None:
        return None
    _resize(trial, larger.inputs)
    if trial.model.get_graph_kernels():
        finding = _checked(trial, larger, "")
        if finding is not None:
            return finding
    _resize(trial, trial.first.inputs)
    if trial.model.get_graph_kernels():
        return _checked(trial, trial.first, "the first shapes once more: ") or _checked(trial, trial.data[1], "")
    return None


def _checked(trial: Trial, data: Expected, head: str) -> Finding | None:
    try:
        outputs = run(trial.model, data)
    except LiteDelegateError as e:  # a result of another shape than the plan's, among others
        return Finding(Stage.RESIZE, f"{head}{e}", Defect.STALE_AFTER_RESIZE)
    wrong = data.mismatch(outputs)
    if not wrong:
        return None
    defect = Defect.EARLIER_RESULT if same(outputs, trial.outputs) else Defect.STALE_AFTER_RESIZE
    return Finding(Stage.RESIZE, f"{head}{wrong}", defect)


def _resize(trial: Trial, inputs: Arrays) -> None:
    tensors = trial.model.get_inputs()
    trial.model.resize(tensors, [list(inputs[t.name].shape) for t in tensors])


def _candidates(chain: Chain) -> Iterator[Arrays]:
    """Inputs with a size doubled: the first dimension of all, wherever a size occurs, each dimension of each input."""
    inputs = {name: x for name, x in chain.inputs.items() if x.ndim and x.size}
    first = {x.shape[0] for x in inputs.values()}
    if len(first) == 1:
        yield _doubled(chain, {name: [0] for name in inputs})
    sizes = sorted({d for x in inputs.values() for d in x.shape}, reverse=True)
    for size in sizes:
        yield _doubled(chain, {name: [i for i, d in enumerate(x.shape) if d == size] for name, x in inputs.items()})
    for name, x in inputs.items():
        yield from (_doubled(chain, {name: [axis]}) for axis in range(x.ndim))


def _doubled(chain: Chain, axes: dict[str, list[int]]) -> Arrays:
    made = dict(chain.inputs)
    for name, of in axes.items():
        for axis in of:
            made[name] = _twice(made[name], axis)
    return made


def _twice(x: Array, axis: int) -> Array:
    """The array, and the same backwards behind it."""
    return np.concatenate([x, np.flip(x, axis)], axis=axis)
