"""The graph kernel around a compiled model."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Kernel
from ...errors import DelegateExecuteError
from ...tensor import Tensor
from .compiled import BoundRequest, Prepared, said


class OpenVINOGraph(Kernel):
    """One run as a compiled model of OpenVINO.

    Args:
        name: of the graph kernel.
        inputs: what the run reads.
        outputs: what it gives.
        prepared: shared by all forks.
    """

    gives_new_arrays = True

    def __init__(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], prepared: Prepared) -> None:
        super().__init__(name, "OpenVINO", inputs, outputs)
        self.shared = prepared
        self._bound: BoundRequest | None = None

    def prepare(self) -> None:
        """Compiles the model for its device."""
        self.shared.load()

    def execute(self) -> None:
        """Runs its request.

        Raises:
            DelegateExecuteError: OpenVINO failed; the message is its own. The next run has another request.
        """
        try:
            if self._bound is None:
                self._bound = self.shared.request()
            made = self._bound.run([tensor.data for tensor in self._inputs])
        except Exception as e:  # plugins raise what they like
            self._bound = None
            raise DelegateExecuteError(f"OpenVINO failed in '{self.name}': {said(e)}") from e
        for tensor, array in zip(self._outputs, made, strict=True):
            tensor.data = array

    def fork(self, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> OpenVINOGraph:
        """One that shares the compiled model."""
        return OpenVINOGraph(self.name, [t for t in inputs if t is not None], outputs, self.shared)

    def release(self) -> None:
        """Lets the compiled model go."""
        self._bound = None
        self.shared.unload()
