"""Forks of the same graph kernels for two independent predictions, first in turns, then in threads."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from ...delegate import Kernel
from ...tensors.tensor import Tensor, empty_like
from ..finding import Finding
from ..judging.case import Array
from ..judging.oracle import Expected
from ..reports.defects import Defect, Stage
from .lockstep import Lockstep
from .trial import Trial, run

STEPPED = 2
"""Predictions of each thread that take turns line by line."""
ROUNDS = 8
"""Predictions of each thread that run freely."""
SWITCH_SECONDS = 1e-6
"""Time after which a thread that runs Python lets another one, so that few rounds meet in the middle of each other."""


def check_forks(trial: Trial) -> Finding | None:
    """Forks that are no forks, or share what they write."""
    for kernel in trial.model.get_graph_kernels():
        finding = _check_fork(kernel, trial)
        if finding is not None:
            return finding
    first, other = trial.data
    requests = [trial.model.compiled.create_infer_request() for _ in range(2)]
    held: list[tuple[tuple[Array, ...], Expected]] = []
    for request, data in ((requests[0], first), (requests[1], other), (requests[0], other), (requests[1], first)):
        held.append((run(request, data), data))
        wrong = next((found for outputs, of in held if (found := of.mismatch(outputs))), "")
        if wrong:
            return Finding(Stage.FORKS, wrong, Defect.FORK_SHARES_STATE)
    return None


def _check_fork(kernel: Kernel, trial: Trial) -> Finding | None:
    forks = [_forked(kernel) for _ in range(2)]
    for fork, inputs, outputs in forks:
        if fork is None:
            return None
        if fork is kernel:
            return Finding(Stage.FORKS, f"'{kernel.name}'.fork gave the graph kernel itself", Defect.FORK_IS_ITSELF)
        if not _is_bound(fork, inputs, outputs):
            detail = f"the fork of '{kernel.name}' has other tensors than those it was given"
            return Finding(Stage.FORKS, detail, Defect.FORK_NOT_BOUND)
    return _check_interleaved([fork for fork, *_ in forks if fork is not None], trial)


def _forked(kernel: Kernel) -> tuple[Kernel | None, list[Tensor], list[Tensor]]:
    twins = {t: empty_like(t) for t in dict.fromkeys((*kernel.inputs, *kernel.outputs)) if not t.is_const}
    inputs, outputs = [twins.get(t, t) for t in kernel.inputs], [twins[t] for t in kernel.outputs]
    return kernel.fork(inputs, outputs), inputs, outputs


def _is_bound(fork: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> bool:
    given, bound = [*inputs, *outputs], [*fork.inputs, *fork.outputs]
    return len(given) == len(bound) and all(a is b for a, b in zip(given, bound, strict=True))


def _check_interleaved(forks: Sequence[Kernel], trial: Trial) -> Finding | None:
    """Both get their inputs, both run, and only then the results are looked at. For a kernel that is all of a model."""
    kernel = forks[0]
    names = {t.name for t in kernel.inputs if not t.is_const}
    if names != set(trial.chain.inputs) or [t.name for t in kernel.outputs] != list(trial.chain.outputs):
        return None
    pairs = list(zip(forks, trial.data, strict=True))
    for fork, data in pairs:
        for tensor in fork.inputs:
            if not tensor.is_const:
                tensor.data = data.inputs[tensor.name].copy()
    for fork, _ in pairs:
        fork.execute()
    for fork, data in pairs:
        wrong = data.mismatch([t.data for t in fork.outputs])
        if wrong:
            return Finding(Stage.FORKS, wrong, Defect.FORK_SHARES_STATE)
    return None


def check_threads(trial: Trial) -> Finding | None:
    """The interference between two threads, each with data and a request of its own.

    First their Python code takes turns line by line, then they run freely, which is for code that is not Python.
    """
    requests = [trial.model.compiled.create_infer_request() for _ in trial.data]

    def once(number: int) -> str:
        return trial.data[number].mismatch(run(requests[number], trial.data[number]))

    def many(number: int) -> str:
        return next((wrong for _ in range(ROUNDS) if (wrong := once(number))), "")

    numbers = range(len(requests))
    with _switching_often(), ThreadPoolExecutor(len(requests)) as pool:
        wrongs: list[str] = []
        for _ in range(STEPPED):
            wrongs += pool.map(Lockstep(once).run, numbers)
        wrongs += pool.map(many, numbers)
    wrong = next((w for w in wrongs if w), "")
    return Finding(Stage.THREADS, wrong, Defect.THREADS_SHARE_STATE) if wrong else None


@contextmanager
def _switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
