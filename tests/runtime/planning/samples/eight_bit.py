"""A delegate that computes fully connected layers with inputs of 8 bits, whose ranges it takes from samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite_delegate import BoundKernel, Delegate, DelegateModel, Kernel, RejectCode, Rejected, Supported, SupportResult
from lite_delegate.delegate import current_wishes

Range = tuple[float, float]


def eight_bits(x: np.ndarray, bounds: Range) -> np.ndarray:
    """x on the 256 levels between two bounds, written as a loop over its elements."""
    least, most = min(bounds[0], 0.0), max(bounds[1], 0.0)
    step = (most - least) / 255 or 1.0
    flat = [round((min(max(float(each), least), most) - least) / step) * step + least for each in x.reshape(-1)]
    return np.array(flat, np.float32).reshape(x.shape)


class EightBitKernel(BoundKernel):
    """One fully connected layer."""

    def __init__(self, kernel: Kernel, bounds: Range) -> None:
        x, weight, *bias = kernel.inputs
        super().__init__(f"eight bits {kernel.name}", "EightBit", [x], kernel.outputs)
        self.weight = weight.data
        self.bias = bias[0].data if bias else np.float32(0)
        self.bounds = bounds

    def bind(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> Callable[[], object]:
        def run() -> None:
            outputs[0][...] = eight_bits(inputs[0], self.bounds) @ self.weight.T + self.bias

        return run


class EightBitDelegate(Delegate):
    """Takes fully connected layers without activation, where there are samples."""

    name = "eight_bit"
    wanted_samples = 100

    def __init__(self) -> None:
        self.seen: dict[str, tuple[np.ndarray, ...]] = {}
        self.surveyed: dict[str, Range] = {}

    def survey(self, kernels: Sequence[Kernel]) -> None:
        samples = DelegateModel(kernels, [], []).samples
        if samples is not None:
            tensors = [t for kernel in kernels for t in (*kernel.inputs, *kernel.outputs)]
            self.surveyed = {t.name: pair for t, pair in samples.ranges(tensors).items()}

    def supports(self, kernel: Kernel) -> SupportResult:
        if kernel.type != "FullConnection":
            return Rejected(RejectCode.OPERATOR, f"{kernel.type} is not FullConnection")
        if not current_wishes().has_samples:
            return Rejected(RejectCode.POLICY, "its ranges need samples")
        return Supported()

    def build(self, model: DelegateModel) -> None:
        for run in model.runs:
            for kernel in run:
                if model.samples is None:
                    model.mark_failed([kernel], ValueError("no samples"))
                    continue
                x, y = kernel.inputs[0], kernel.outputs[0]
                ranges = model.samples.ranges([x, y])
                self.seen[x.name] = tuple(array for (array,) in model.samples.arrays([x]))
                assert model.samples.has(x)
                model.replace(*model.span([kernel]), EightBitKernel(kernel, ranges[x]))
