"""Checking whether measured results are usable, by one prediction on the CPU alone.

A figure for a model that rounding has ruined is worth nothing. Delegates that store real numbers as they are need no
check of that kind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from lite_delegate_kernels import Array

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..errors import LiteDelegateError
from ..inference import CompiledModel
from ..inference.compiling.compilation import compile_for_shapes
from ..inference.tensors.port import planned_shapes
from ..ir import DataType
from ..mindspore.model import Model
from ..numerics.precision import precision_of
from ..numerics.rounding import is_coarse
from ..numerics.usability import OutputUse, UsableLimits, kinds_of, uses_of
from ..partition import PartitionOptions

MOST_US = 10e6
"""Microseconds that the CPU may be estimated to take for the check."""
LIMITS = UsableLimits()


@dataclass(frozen=True, slots=True)
class UsableCheck(Brief):
    """Whether the outputs of a benchmarked model are near enough to the CPU's, for the inputs of the benchmark.

    Attributes:
        usable: None where it was not checked.
        outputs: each of them; none where it was not checked.
        reason: why it was not checked, "" otherwise.
    """

    usable: bool | None
    outputs: tuple[OutputUse, ...] = ()
    reason: str = ""

    @property
    def text(self) -> str:
        """The check in a sentence."""
        if self.usable is None:
            return f"not checked: {self.reason}; 'lite-delegate compare' does"
        if self.usable:
            return f"yes: every output has at least {LIMITS.snr_db:g} dB against the CPU alone, for these inputs"
        missed = "; ".join(f"'{use.name}': {', '.join(use.reasons)}" for use in self.outputs if not use.usable)
        return f"no: against the CPU alone, for these inputs, {missed}; 'lite-delegate compare' shows where it is lost"


def usable_check(model: Model, given: Mapping[str, Array]) -> UsableCheck | None:
    """Predicts once on the model and once on the CPU alone, and compares.

    Returns:
        The check; None where no delegate that runs something stores real numbers in a coarser type than float32.
    """
    compiled = model.compiled_for(given)
    storage = _coarsest(compiled)
    if storage is None:
        return None
    times = [node.host_us or 0.0 for node in compiled.partition.nodes]
    host_us = sum(us for us in times if math.isfinite(us))
    if host_us > MOST_US:
        return UsableCheck(None, reason=f"the CPU is estimated to take {host_us / 1e6:,.0f} s for it")
    arrays = [given[tensor.name] for tensor in compiled.plan.inputs]
    try:
        got = [np.array(output) for output in compiled.create_infer_request().infer(arrays)]
        want = _on_cpu(compiled, arrays)
    except LiteDelegateError as e:
        return UsableCheck(None, reason=f"the CPU cannot run it: {e}")
    uses = uses_of(kinds_of(compiled.graph, storage), got, want, LIMITS)
    return UsableCheck(all(use.usable for use in uses), uses)


def _on_cpu(compiled: CompiledModel, arrays: Sequence[Array]) -> list[Array]:
    settings = replace(compiled.settings, delegates=(), cpu_backends=(), strict=False, partition=PartitionOptions())
    alone = compile_for_shapes(compiled.graph, planned_shapes(compiled.inputs, arrays), settings, [])
    try:
        return [np.array(output) for output in alone.create_infer_request().infer(list(arrays))]
    finally:
        alone.close()


def _coarsest(compiled: CompiledModel) -> DataType | None:
    """The type with the fewest digits in which something is stored that runs; None where none is coarse."""
    used = {subgraph.delegate for subgraph in compiled.partition.subgraphs}
    stated = [delegate.storage_dtype for name, delegate in compiled.delegates.items() if name in used]
    stated += [kernel.storage_dtype for kernel in compiled.plan.graph_kernels]
    coarse = [each for each in stated if each is not None and is_coarse(each)]
    return min(coarse, key=lambda each: precision_of(each).digits, default=None)
