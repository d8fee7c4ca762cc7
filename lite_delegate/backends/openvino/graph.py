"""The graph kernel around a compiled model."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Kernel
from ...tensor import Tensor
from .compiled import Prepared


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

    def prepare(self) -> None:
        """Compiles the model for its device."""
        self.shared.load()

    def execute(self) -> None:
        """Runs a request.

        Raises:
            DelegateExecuteError: OpenVINO failed; the message is its own.
        """
        made = self.shared.run(self.name, [tensor.data for tensor in self._inputs])
        for tensor, array in zip(self._outputs, made, strict=True):
            tensor.data = array

    def fork(self, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> OpenVINOGraph:
        """One that shares the compiled model."""
        return OpenVINOGraph(self.name, [t for t in inputs if t is not None], outputs, self.shared)

    def release(self) -> None:
        """Lets the compiled model go."""
        self.shared.unload()
