"""The times of groups on a runtime and on numpy's kernels, measured in turns with random inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lite_delegate_kernels import Array

from ....basics.data_class import dataclass
from ....basics.unforeseen import FAILURES
from ....delegate import Kernel, cancel_point
from ....tensors.tensor import Tensor
from ...execution.random_inputs import not_random
from ...execution.stand_in import StandIn
from ..calibration.measuring import call_ns, computed
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
    runtime_us = numpy_us = float("inf")
    try:
        for number in range(ROUNDS):
            took = call_ns(kernel, contents, clock), _numpy_ns(numpy, contents, clock)
            if number == 0:
                continue
            runtime_us, numpy_us = (
                min(us, ns / NS_PER_US) for us, ns in zip((runtime_us, numpy_us), took, strict=True)
            )
            if max(runtime_us, numpy_us) > SURE * min(runtime_us, numpy_us):
                break
    except FAILURES:  # random inputs may not be what the nodes need; a prediction tells
        return None
    return GroupTimes(runtime_us, numpy_us)


def _numpy_ns(numpy: StandIn, contents: Mapping[Tensor, Array], clock: ClockFunction) -> int:
    start = clock()
    computed(numpy.kernels, contents)
    return clock() - start
