"""Graph kernels bound to arrays: their results over buffers that stay, hold other data, and are exchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...delegate import Kernel
from ...delegate.bound_kernel import is_bindable, offered
from ...tensors.tensor import empty_like
from ..finding import Finding
from ..judging.case import Array
from ..judging.oracle import Expected
from ..reports.defects import Defect, Stage
from .trial import POISON, Trial, same


def check_buffers(trial: Trial) -> Finding | None:
    """The difference between the results of ``Kernel.bind`` and those of ``execute``, for a kernel that is the whole
    model.
    """
    kernels = trial.model.get_graph_kernels()
    if len(kernels) != 1 or not is_bindable(kernels[0]) or not _is_all_of(trial, kernels[0]):
        return None
    kernel, executes = _fork(kernels[0]), _fork(kernels[0])
    if kernel is None or executes is None:
        return None
    first, other = trial.data
    inputs, outputs = _inputs(kernel, first), offered(kernel.outputs)
    run = kernel.bind(inputs, outputs)
    if run is None:
        return None
    wrong = _wrong(run, outputs, first)
    executed = [_executed(executes, first) for _ in range(2)]
    if wrong or (same(*executed) and not same(outputs, executed[0])):
        return Finding(Stage.BUFFERS, wrong or "other bits than those of execute", Defect.BOUND_DIFFERS)
    _fill(inputs, _inputs(kernel, other))
    wrong = _wrong(run, outputs, other)
    if wrong:
        return Finding(Stage.BUFFERS, f"other data in the same input: {wrong}", Defect.BOUND_TO_CONTENTS)
    wrong = _exchanged_input(kernel, inputs, outputs, first) or _exchanged_output(kernel, inputs, outputs, other)
    return Finding(Stage.BUFFERS, wrong, Defect.BUFFER_NOT_EXCHANGED) if wrong else None


def _exchanged_input(kernel: Kernel, inputs: Sequence[Array], outputs: Sequence[Array], data: Expected) -> str:
    """The failure after inputs are exchanged and the former ones are filled with zeros; "" for none."""
    others = _inputs(kernel, data)
    run = kernel.bind(others, outputs)
    _fill(inputs, [np.zeros_like(x) for x in inputs])
    wrong = "" if run is None else _wrong(run, outputs, data)
    return f"another input: {wrong}" if wrong else ""


def _exchanged_output(kernel: Kernel, inputs: Sequence[Array], outputs: Sequence[Array], data: Expected) -> str:
    """The failure after outputs are exchanged and the former ones have to keep their contents; "" for none."""
    others, before = offered(kernel.outputs), [y.copy() for y in outputs]
    _fill(inputs, _inputs(kernel, data))
    run = kernel.bind(inputs, others)
    wrong = "" if run is None else _wrong(run, others, data)
    if wrong:
        return f"another output: {wrong}"
    return "" if same(before, outputs) else "an output that was exchanged was written to"


def _is_all_of(trial: Trial, kernel: Kernel) -> bool:
    names = {t.name for t in kernel.inputs if not t.is_const}
    return names == set(trial.chain.inputs) and [t.name for t in kernel.outputs] == list(trial.chain.outputs)


def _fork(kernel: Kernel) -> Kernel | None:
    twins = {t: empty_like(t) for t in dict.fromkeys((*kernel.inputs, *kernel.outputs)) if not t.is_const}
    return kernel.fork([twins.get(t, t) for t in kernel.inputs], [twins[t] for t in kernel.outputs])


def _inputs(kernel: Kernel, data: Expected) -> list[Array]:
    return [np.array(data.inputs[t.name], order="C") for t in kernel.inputs if not t.is_const]


def _fill(arrays: Sequence[Array], values: Sequence[Array]) -> None:
    for array, value in zip(arrays, values, strict=True):
        array[...] = value


def _wrong(run: Callable[[], object], outputs: Sequence[Array], data: Expected) -> str:
    """The failure of a run over outputs that held other contents before; "" for none."""
    for y in outputs:
        y.reshape(-1).view(np.uint8)[...] = POISON
    run()
    return data.mismatch(outputs)


def _executed(kernel: Kernel, data: Expected) -> list[Array]:
    for tensor in kernel.inputs:
        if not tensor.is_const:
            tensor.data = np.array(data.inputs[tensor.name], order="C")
    kernel.execute()
    return [t.data for t in kernel.outputs]
