"""Emulation: a model on a device that rounds each tensor to its storage type, run by the reference kernels.

One run takes about as long as a prediction on the CPU and needs no device. It works for any delegate that states its
``storage_dtype``. A device may do better (it keeps more digits between fused operators) or worse; so what the emulation
finds is tried on the device afterwards.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from lite_delegate_kernels import Array

from ...delegate import Kernel
from ...errors import LiteDelegateError
from ...numerics.rounding import is_coarse, rounding
from ...runtime.binding.node_kernel import NodeKernel
from ...runtime.execution.plan import StepFunction
from ..loss import Loss
from ..subgraphs.recording import CallRecorder, Recording
from ..subgraphs.stretch import Wrap
from ..subgraphs.subgraph import Subgraph
from .losses import losses_of

NOTHING: frozenset[str] = frozenset()


class Emulation:
    """Rounded runs of one model on one set of inputs.

    Args:
        recorder: runs the model.
        subgraphs: by their graph kernels; those whose storage type is as fine as the reference's are left exact.
        arrays: the model's inputs.
        pure: the reference run.
    """

    def __init__(
        self,
        recorder: CallRecorder,
        subgraphs: Mapping[Kernel, Subgraph],
        arrays: Sequence[Array],
        pure: Recording,
    ) -> None:
        self._recorder, self._arrays, self.pure = recorder, arrays, pure
        self._rounded = {kernel: each for kernel, each in subgraphs.items() if rounds(each)}

    @property
    def subgraphs(self) -> Mapping[Kernel, Subgraph]:
        """The subgraphs that are rounded."""
        return self._rounded

    @property
    def nodes(self) -> tuple[NodeKernel, ...]:
        """The nodes that are rounded, in execution order; a repair may keep them in float32."""
        return tuple(node for subgraph in self._rounded.values() for node in subgraph.nodes)

    def run(self, kept: Collection[str] = NOTHING) -> Recording | None:
        """A prediction in which all nodes round except the kept ones.

        Args:
            kept: names of nodes that stay in their own types.

        Returns:
            The recording; None where rounded numbers are beyond what an operator takes.
        """
        try:
            return self._recorder.reference(self._arrays, lambda kernel: self._wrap(kernel, kept))
        except LiteDelegateError:
            return None

    def losses(self, kept: Collection[str] = NOTHING) -> list[Loss]:
        """The loss of each node in that prediction, in execution order; of a node that runs often, the loss of its
        worst run.
        """
        recording = self.run(kept)
        worst: dict[str, Loss] = {}
        for loss in () if recording is None else self._losses(recording, kept):
            if loss.kernel not in worst or worst[loss.kernel].lost_db < loss.lost_db:
                worst[loss.kernel] = loss
        return list(worst.values())

    def _losses(self, recording: Recording, kept: Collection[str]) -> Iterator[Loss]:
        for (kernel, number), call in recording.calls.items():
            subgraph, pure = self._rounded.get(kernel), self.pure.calls.get((kernel, number))
            if subgraph is None or pure is None:
                continue
            exact = subgraph.values(pure.inputs)
            try:
                rounded = subgraph.values(call.inputs, self._wrap(kernel, kept))
            except LiteDelegateError:  # as in ``run``
                continue
            yield from losses_of(subgraph, number, rounded, exact)

    def _wrap(self, kernel: Kernel, kept: Collection[str]) -> Wrap | None:
        subgraph = self._rounded.get(kernel)
        if subgraph is None:
            return None

        def wrap(node: Kernel, function: StepFunction) -> StepFunction:
            return function if node.name in kept else rounding(function, subgraph.judge.storage)

        return wrap


def rounds(subgraph: Subgraph) -> bool:
    """Whether a subgraph's device stores real numbers in a type that is coarser than the reference's."""
    storage = subgraph.judge.storage
    return storage is not None and not subgraph.obstacle and is_coarse(storage)
