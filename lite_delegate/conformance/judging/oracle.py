"""Oracle: the right outputs of a chain for data without expected values, by the reference kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...basics.data_class import dataclass
from ...ir import DataType
from ...numerics.tolerance import Tolerance, chain_tolerance
from .case import Array
from .chain import Arrays, Chain
from .mismatch import mismatch
from .reference import ReferenceChain, Rounding
from .tolerance import overflows, steps_of


@dataclass(frozen=True, slots=True)
class Grant:
    """The error that a chain's floats are granted.

    Attributes:
        rtol: relative tolerance; with ``atol`` 0: bit for bit, but for what the storage type costs.
        atol: absolute tolerance; of integers the steps.
        storage: the type in which the device stores floats; None for their own.
        steps: that the device's 8-bit outputs may be off.
        saturates: whether the largest numbers may stand for infinities, see ``Delegate.infinite_results``.
    """

    rtol: float
    atol: float
    storage: DataType | None
    steps: int = 0
    saturates: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """Data, the outputs expected for it, and whether the largest numbers may stand for infinities."""

    inputs: Arrays
    outputs: tuple[Array, ...]
    tolerances: tuple[Tolerance, ...]
    saturates: bool = False

    def mismatch(self, outputs: Sequence[Array]) -> str:
        """The first output that is wrong, and how; "" when none is."""
        if not self.saturates:
            return mismatch(outputs, self.outputs, self.tolerances)
        return mismatch(list(map(saturated, outputs)), list(map(saturated, self.outputs)), self.tolerances)


class Oracle:
    """The right outputs of a chain for other data of the same shapes.

    Args:
        chain: the chain.
        grant: the error that is granted.

    Raises:
        LiteDelegateError: the chain is no model.
    """

    def __init__(self, chain: Chain, grant: Grant) -> None:
        self._grant = grant
        self._exact = ReferenceChain(chain)
        self._is_bitwise = not (grant.rtol or grant.atol or grant.steps) and grant.storage is None
        self._constants = chain.constants
        self._rounded = None if self._is_bitwise else ReferenceChain(chain, Rounding(grant.storage))

    def expect(self, inputs: Arrays) -> Expected | None:
        """The outputs expected for inputs; None where the inputs tell nothing about the device, because it cannot store
        the numbers or may decide differently on the rounded ones.

        Raises:
            LiteDelegateError: the kernels cannot take these inputs.
        """
        values = self._exact.values(inputs)
        outputs = self._exact.of(values)
        saturates = self._grant.saturates
        if self._rounded is None:
            return Expected(inputs, outputs, (Tolerance(0.0, 0.0),) * len(outputs), saturates)
        numbers = [*inputs.values(), *self._constants.values(), *values.values()]
        if self._grant.storage is not None and any(overflows(x, self._grant.storage) for x in numbers):
            return None
        rounded = self._rounded.outputs(inputs)
        pairs = list(zip(outputs, rounded, strict=True))
        if any(want.shape != other.shape or _decided_otherwise(want, other) for want, other in pairs):
            return None
        tolerances = tuple(self._tolerance(want, other) for want, other in pairs)
        return Expected(inputs, outputs, tolerances, saturates)

    def _tolerance(self, want: Array, rounded: Array) -> Tolerance:
        grant = self._grant
        if want.dtype.kind != "f":
            return Tolerance(grant.rtol, max(grant.atol, steps_of(want, grant.steps)))
        granted = chain_tolerance(want, rounded, grant.storage)
        return Tolerance(max(grant.rtol, granted.rtol), np.maximum(grant.atol, granted.atol))


def saturated(x: Array) -> Array:
    """Real numbers with the largest ones of their type in place of infinities."""
    if x.dtype.kind != "f":
        return x
    limits = np.finfo(x.dtype)
    return np.asarray(np.clip(x, limits.min, limits.max))


def _decided_otherwise(want: Array, rounded: Array) -> bool:
    """Whether rounding changes what no tolerance covers: integers and bools, infinities and NaN."""
    if want.dtype.kind != "f":
        return want.tobytes() != rounded.tobytes()
    odd = ~(np.isfinite(want) & np.isfinite(rounded))
    return not np.array_equal(want[odd], rounded[odd], equal_nan=True)
