"""Judging the results of a kernel: own, inherited and total error of each output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from lite_delegate_kernels import STRING_DTYPE, Array

from ...basics.data_class import dataclass
from ...ir import DataType
from ...numerics.metrics import Metrics, metrics_of
from ...numerics.rounding import rounding
from ...numerics.tolerance import Tolerance, beyond
from ...tensors.tensor import Tensor
from ..results import Outcome, TensorComparison
from .stretch import Wrap
from .tolerance import AskedTolerance, default_tolerance

Arrays = Sequence[Array]


@dataclass(frozen=True, slots=True)
class ReferenceOutputs:
    """Outputs of the reference kernels.

    Attributes:
        outputs: their outputs.
        rounded: the same with every tensor rounded as on the device; None when that was not run.
    """

    outputs: Arrays
    rounded: Arrays | None = None

    def rounded_at(self, index: int) -> Array | None:
        """The rounded output at a position."""
        return None if self.rounded is None else self.rounded[index]


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides whether errors are within tolerance.

    Attributes:
        asked: the tolerance that the user grants.
        storage: the type in which the device stores floating-point tensors; None for their own.
    """

    asked: AskedTolerance
    storage: DataType | None

    @property
    def wrap(self) -> Wrap | None:
        """Makes reference kernels round as the device does; None where the tolerance does not depend on that."""
        if self.asked.tolerance is not None:
            return None
        return lambda kernel, function: rounding(function, self.storage)

    def kernel(
        self, tensors: Sequence[Tensor], got: Arrays, same: ReferenceOutputs, pure: ReferenceOutputs | None
    ) -> tuple[TensorComparison, ...]:
        """The outputs of a kernel or a subgraph.

        Args:
            tensors: the output tensors.
            got: the delegate's results.
            same: the results of the reference kernels for the same inputs.
            pure: the results of the reference run; None when the reference run did not get there.
        """
        return tuple(self._tensor(i, tensor, got[i], same, pure) for i, tensor in enumerate(tensors))

    def outputs(self, tensors: Sequence[Tensor], got: Arrays, pure: ReferenceOutputs) -> tuple[TensorComparison, ...]:
        """The outputs of the whole model, by their total error."""
        return tuple(self._output(i, tensor, got[i], pure) for i, tensor in enumerate(tensors))

    def _tensor(
        self, index: int, tensor: Tensor, got: Array, same: ReferenceOutputs, pure: ReferenceOutputs | None
    ) -> TensorComparison:
        want = same.outputs[index]
        if _differ(got, want):
            return _unlike(tensor, got, want)
        tolerance = self._tolerance(tensor, want, same.rounded_at(index))
        count = beyond(tolerance, got, want)
        outcome, detail = (Outcome.WRONG if count else Outcome.OK), ""
        inherited = total = None
        if pure is not None and not _differ(want, pure.outputs[index]):
            inherited, total = metrics_of(want, pure.outputs[index]), metrics_of(got, pure.outputs[index])
            outcome = self._inherited(index, tensor, got, pure) if outcome is Outcome.OK else outcome
        else:
            detail = _no_total(pure)
        found = (metrics_of(got, want), inherited, total)
        compared = _compared(tensor, want, tolerance, count, found, outcome, detail)
        return replace(compared, out_of_range=_out_of_range(tolerance, got, same, index) if count else 0)

    def _inherited(self, index: int, tensor: Tensor, got: Array, pure: ReferenceOutputs) -> Outcome:
        want = pure.outputs[index]
        tolerance = self._tolerance(tensor, want, pure.rounded_at(index))
        return Outcome.INHERITED if beyond(tolerance, got, want) else Outcome.OK

    def _output(self, index: int, tensor: Tensor, got: Array, pure: ReferenceOutputs) -> TensorComparison:
        want = pure.outputs[index]
        if _differ(got, want):
            return _unlike(tensor, got, want)
        tolerance = self._tolerance(tensor, want, pure.rounded_at(index))
        count = beyond(tolerance, got, want)
        total = metrics_of(got, want)
        outcome = Outcome.WRONG if count else Outcome.OK
        compared = _compared(tensor, want, tolerance, count, (None, None, total), outcome, "")
        return replace(compared, out_of_range=_out_of_range(tolerance, got, pure, index) if count else 0)

    def _tolerance(self, tensor: Tensor, want: Array, rounded: Array | None) -> Tolerance:
        return self.asked.tolerance or default_tolerance(tensor, want, rounded, self.storage)


def _differ(got: Array, want: Array) -> bool:
    """True when type or shape differ, so that elements cannot be compared. Strings have no shape."""
    return bool(got.dtype != want.dtype) or (got.shape != want.shape and want.dtype != STRING_DTYPE)


def _out_of_range(tolerance: Tolerance, got: Array, reference: ReferenceOutputs, index: int) -> int:
    """The number of wrong elements that are NaN or infinite in the rounded run and finite in the exact run.

    The device's own may be finite: one that keeps more range than the rounded run has, or clamps, is not wrong.
    """
    want, rounded = reference.outputs[index], reference.rounded_at(index)
    if rounded is None or rounded.shape != want.shape or want.dtype.kind != "f":
        return 0
    lost = np.isfinite(want) & ~np.isfinite(rounded)
    return int((lost & ~tolerance.accepts(got, want)).sum())


def _no_total(pure: ReferenceOutputs | None) -> str:
    if pure is None:
        return "the reference run did not get here, so there is no total error"
    return "the reference run has another shape here, so there is no total error"


def _unlike(tensor: Tensor, got: Array, want: Array) -> TensorComparison:
    detail = f"expected {want.dtype} {list(want.shape)}, got {got.dtype} {list(got.shape)}"
    return TensorComparison(
        tensor.name, tensor.dtype.name, want.shape, 0.0, 0.0, want.size, None, None, None, Outcome.FAILED, detail
    )


def _compared(
    tensor: Tensor,
    want: Array,
    tolerance: Tolerance,
    count: int,
    found: tuple[Metrics | None, Metrics | None, Metrics | None],
    outcome: Outcome,
    detail: str,
) -> TensorComparison:
    atol = float(np.max(tolerance.atol, initial=0.0))
    return TensorComparison(
        tensor.name, tensor.dtype.name, want.shape, tolerance.rtol, atol, count, *found, outcome, detail
    )
