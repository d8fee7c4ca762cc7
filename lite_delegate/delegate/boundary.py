"""Boundary: the tensors that cross between a stretch of kernels and the rest of the model."""

from __future__ import annotations

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..tensors.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Boundary(Brief):
    """The tensors that cross between a stretch of kernels and the rest of the model.

    Attributes:
        inputs: variable tensors that the stretch reads and does not make, in first-use order, each once.
        outputs: tensors that the stretch makes and that are read outside it or are outputs of the model,
            in the order in which they are made, each once.
        constants: constants of the model that the stretch reads, in first-use order, each once.
    """

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    constants: tuple[Tensor, ...]

    @property
    def nbytes(self) -> int:
        """Bytes that cross per prediction; tensors of unknown shape count as 0."""
        return sum(t.data_size for t in (*self.inputs, *self.outputs))
