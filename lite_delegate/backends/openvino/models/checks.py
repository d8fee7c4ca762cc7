"""Checks of positions and lengths that a model is given or computes: OpenVINO reads and writes memory there
unchecked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from ....basics.data_class import dataclass
from ....errors import DelegateExecuteError
from ....tensors.tensor import Array
from ...lowering import outside


@dataclass(frozen=True, slots=True, eq=False)
class GivenPlaces:
    """An input of a model that holds places or lengths.

    Attributes:
        number: the number of the input.
        low, high: the bounds of the places: one number, or one number for each column.
        layer: the kernel that reads them.
    """

    number: int
    low: Array
    high: Array
    layer: str


@dataclass(frozen=True, slots=True, eq=False)
class Checks:
    """The checks before and after a run.

    Attributes:
        given: the checks before the run, so that OpenVINO never sees places outside.
        computed: the kernels that read places which the model computes. The model moves these places inside; its last
            output tells for each kernel whether a place was outside.
    """

    given: Sequence[GivenPlaces] = ()
    computed: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.given or self.computed)

    def before(self, inputs: Sequence[Array]) -> None:
        """Checks the inputs.

        Raises:
            DelegateExecuteError: a place or a length is outside.
        """
        for each in self.given:
            if each.number >= len(inputs):  # a constant of this plan, which its claim has checked
                continue
            said = outside(inputs[each.number], each.low, each.high)
            if said:
                raise DelegateExecuteError(f"Kernel '{each.layer}': {said}.")

    def behind(self, were_moved: Array) -> None:
        """Checks the flags that the model gives for the positions that it computed.

        Raises:
            DelegateExecuteError: one is outside.
        """
        if were_moved.any():
            layer = self.computed[int(np.argmax(were_moved))]
            raise DelegateExecuteError(f"Kernel '{layer}': a computed place or length is out of range.")

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        given = [[each.number, each.low.tolist(), each.high.tolist(), each.layer] for each in self.given]
        return {"given": given, "computed": list(self.computed)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The checks that ``to_dict`` wrote."""
        given = [GivenPlaces(number, np.array(low), np.array(high), name) for number, low, high, name in data["given"]]
        return cls(given, data["computed"])
