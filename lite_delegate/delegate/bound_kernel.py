"""BoundKernel: a graph kernel of which ``bind`` is all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

import numpy as np

from ..ir import to_numpy
from ..tensor import Array
from .kernel import Kernel


class BoundKernel(Kernel):
    """A graph kernel that reads arrays and writes to arrays that it is offered: ``bind`` is what a subclass implements.

    ``execute`` binds it to the contents of its tensors, and to new arrays.
    """

    gives_new_arrays = True

    @abstractmethod
    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
        """As ``Kernel.bind``; it takes every set of buffers."""

    def execute(self) -> None:
        """Runs once, over new outputs.

        Raises:
            DelegateExecuteError: it failed.
        """
        inputs = [np.asarray(t.data, order="C") for t in self._inputs if not t.is_const]
        outputs = [np.empty(t.shape, to_numpy(t.dtype)) for t in self._outputs]
        self.bind(inputs, outputs)()
        for tensor, array in zip(self._outputs, outputs, strict=True):
            tensor.data = array
