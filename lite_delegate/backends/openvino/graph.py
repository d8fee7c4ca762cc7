"""The graph kernel around a compiled model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...delegate import BoundKernel, tell_layers
from ...errors import DelegateExecuteError
from ...tensor import Array, Tensor
from .compiled import BoundRequest, Prepared, said


class OpenVINOGraph(BoundKernel):
    """One run as a compiled model of OpenVINO.

    Args:
        name: of the graph kernel.
        inputs: what the run reads.
        outputs: what it gives.
        prepared: shared by all forks.
    """

    has_own_threads = True

    def __init__(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], prepared: Prepared) -> None:
        super().__init__(name, "OpenVINO", inputs, outputs)
        self.shared = prepared
        self._bound: BoundRequest | None = None

    def prepare(self) -> None:
        """Compiles the model for its device."""
        self.shared.load()

    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
        """What runs its request. Inputs are read, and outputs written, where they are.

        Raises:
            DelegateExecuteError: OpenVINO failed, now or in the run; the message is its own.
        """
        try:
            if self._bound is None:
                self._bound = self.shared.request()
            request = self._bound
            run = request.bind(inputs, outputs)
        except Exception as e:  # plugins raise what they like
            raise self._failed(e) from e

        def guarded() -> None:
            try:
                run()
            except Exception as e:
                raise self._failed(e) from e

        def counted() -> None:
            guarded()
            tell_layers(self.name, request.layers())

        return counted if self.shared.settings.counts_layers else guarded

    def _failed(self, error: Exception) -> DelegateExecuteError:
        """What a failure of OpenVINO is raised as; the next run has another request."""
        self._bound = None
        return DelegateExecuteError(f"OpenVINO failed in '{self.name}': {said(error)}")

    def fork(self, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> OpenVINOGraph:
        """One that shares the compiled model."""
        return OpenVINOGraph(self.name, [t for t in inputs if t is not None], outputs, self.shared)

    def release(self) -> None:
        """Lets the compiled model go."""
        self._bound = None
        self.shared.unload()
