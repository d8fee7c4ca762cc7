"""Delegates that are run in a process of their own, and compute."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from lite_delegate import (
    BoundKernel,
    Delegate,
    DelegateModel,
    DeviceFile,
    Kernel,
    RejectCode,
    Rejected,
    Supported,
    SupportResult,
    Tensor,
    cancel_point,
)


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


class SlowKernel(AddingKernel):
    """Waits until it is cancelled."""

    def bind(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> Callable[[], object]:
        def run() -> None:
            while True:
                cancel_point()
                time.sleep(0.001)

        return run

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return SlowKernel(inputs, outputs, self.count)


class SlowDelegate(AddingDelegate):
    """Makes slow kernels, and warns."""

    def init(self) -> None:
        warnings.warn("the chip is hot", stacklevel=1)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        return SlowKernel([t for t in boundary.inputs if not t.is_const], boundary.outputs, len(run))


class SurveyingDelegate(AddingDelegate):
    """Claims the kernels that it surveyed, and writes files for its device."""

    def __init__(self) -> None:
        self._surveyed: list[str] = []

    def survey(self, kernels: Sequence[Kernel]) -> None:
        self._surveyed = [kernel.name for kernel in kernels]

    def supports(self, kernel: Kernel) -> SupportResult:
        seen = f"surveyed {', '.join(self._surveyed)}"
        return super().supports(kernel) if kernel.name in self._surveyed[1:] else Rejected(RejectCode.POLICY, seen)

    def device_file(self, kernel: Kernel) -> DeviceFile | None:
        return DeviceFile(kernel.name.encode(), ".bin", "a board")
