"""The times of groups on a runtime and on numpy's kernels, measured in turns with random inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from lite_delegate_kernels import Array, as_tuple

from ....basics.data_class import dataclass
from ....basics.unforeseen import FAILURES
from ....delegate import Kernel, cancel_point
from ....tensors.tensor import Tensor
from ...binding.node_kernel import NodeKernel
from ...execution.random_inputs import not_random
from ...execution.stand_in import StandIn
from ..timing.host import CLOCK, ClockFunction, random_inputs
from .worth import saved_us

ROUNDS = 5
"""Calls of each, of which the first is a warm-up; the shortest of the others counts."""
SURE = 2.0
"""The factor between both times that settles it after the first counted call."""
SECONDS = 0.05
"""The time for all groups of a model."""
DECIDED_US = 500.0
"""The estimated saving from which on a group is not measured."""
NOISE = 1.05
NS_PER_US = 1e3


@dataclass(frozen=True, slots=True)
class GroupTimes:
    """Microseconds of a group on its runtime, and on numpy's kernels."""

    runtime_us: float
    numpy_us: float

    @property
    def is_slower(self) -> bool:
        """Whether the runtime takes longer, by more than the noise."""
        return self.runtime_us > NOISE * self.numpy_us


def measured_groups(
    stand_ins: Mapping[Kernel, StandIn], clock: ClockFunction = CLOCK
) -> Iterator[tuple[Kernel, GroupTimes]]:
    """The times of groups, those with the least estimated saving first, for as long as there is time.

    Groups whose kernels do not take random inputs are left out.

    Args:
        stand_ins: the numpy kernels of each group's graph kernel, which is prepared.
        clock: gives nanoseconds.

    Raises:
        RequestCancelled: nobody wants the plan any more.
    """
    savings = {kernel: sum(map(saved_us, each.kernels)) for kernel, each in stand_ins.items() if not each.obstacle}
    began = clock()
    for kernel, saving in sorted(savings.items(), key=lambda item: item[1]):
        if saving >= DECIDED_US or clock() - began > SECONDS * 1e9:
            return
        cancel_point()
        times = _measured(kernel, stand_ins[kernel], clock)
        if times is not None:
            yield kernel, times


def _measured(kernel: Kernel, numpy: StandIn, clock: ClockFunction) -> GroupTimes | None:
    if any(not_random(tensor) for tensor in numpy.inputs):
        return None
    contents = dict(zip(numpy.inputs, random_inputs(numpy.inputs), strict=True))
    shortest = [float("inf")] * 2
    try:
        for number in range(ROUNDS):
            for place, call in enumerate((_run_graph_kernel, _run_nodes)):
                began = clock()
                call(kernel, numpy.kernels, contents)
                if number:
                    shortest[place] = min(shortest[place], (clock() - began) / NS_PER_US)
            if number and max(shortest) > SURE * min(shortest):
                break
    except FAILURES:  # random inputs may not be what the nodes need; a prediction tells
        return None
    return GroupTimes(*shortest)


def _run_graph_kernel(kernel: Kernel, nodes: Sequence[NodeKernel], contents: Mapping[Tensor, Array]) -> None:
    inputs = [t for t in kernel.inputs if not t.is_const]
    try:
        for tensor in inputs:
            tensor.bind(contents[tensor])
        for tensor in kernel.outputs:
            tensor.bind(None)
        kernel.execute()
    finally:
        for tensor in (*inputs, *kernel.outputs):
            tensor.bind(None)


def _run_nodes(kernel: Kernel, nodes: Sequence[NodeKernel], contents: Mapping[Tensor, Array]) -> None:
    known = dict(contents)
    with np.errstate(all="ignore"):
        for node in nodes:
            assert node.function is not None
            arrays = [None if t is None else t.data if t.is_const else known[t] for t in node.operands]
            known.update(zip(node.outputs, as_tuple(node.function(*arrays)), strict=False))
