"""Delegates that are run in a process of their own: one that computes, and one that fails in a chosen way and place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from lite_delegate import (
    BoundKernel,
    Delegate,
    DelegateModel,
    Kernel,
    RejectCode,
    Rejected,
    Supported,
    SupportResult,
    Tensor,
)

MEGABYTE = 1 << 20


class AddingKernel(BoundKernel):
    """y = x + 1 for each of its kernels: the number is its program."""

    def __init__(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], count: int) -> None:
        super().__init__("adding", "Adding", inputs, outputs)
        self.count = count

    def bind(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> Callable[[], object]:
        return partial(np.add, inputs[0], np.float32(self.count), outputs[0])

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return AddingKernel(inputs, outputs, self.count)


class AddingDelegate(Delegate):
    """Takes chains of additions of one."""

    name = "adding"

    def supports(self, kernel: Kernel) -> SupportResult:
        if kernel.type == "AddFusion":
            return Supported()
        return Rejected(RejectCode.OPERATOR, f"{kernel.type} is not AddFusion")

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        return AddingKernel([t for t in boundary.inputs if not t.is_const], boundary.outputs, len(run))
