"""The graph kernel around a compiled model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...delegate import LayerTime
from ...ir import DataType
from ...tensors.tensor import Array
from ..graph import RunFunction, RuntimeGraph
from .models.compiled import BoundRequest, SharedCompiledModel, said


class OpenVINOGraph(RuntimeGraph[SharedCompiledModel]):
    """One run as a compiled model of OpenVINO."""

    runtime = "OpenVINO"
    kind = "OpenVINO"
    _request: BoundRequest | None = None

    @property
    def storage_dtype(self) -> DataType | None:
        """The type that the results are as exact as, see ``CompileSettings``."""
        return self.shared.settings.storage_dtype

    @property
    def optimal_requests(self) -> int | None:
        """The number of requests that OpenVINO recommends for the compiled model."""
        return self.shared.optimal_requests()

    def places(self) -> Mapping[str, str]:
        """The devices that run the kernels, as OpenVINO says."""
        return self.shared.places()

    def bound(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> RunFunction:
        """The call that runs the graph kernel's request."""
        if self._request is None:
            self._request = self.shared.request()
        return self._request.bind(inputs, outputs)

    def layers(self, inputs: Sequence[Array]) -> Sequence[LayerTime]:
        """The times of the layers that the request counted."""
        return [] if self._request is None else self._request.layers()

    def unbind(self) -> None:
        """Lets the request go."""
        self._request = None

    def said(self, error: Exception) -> str:
        """Without where in OpenVINO it was said."""
        return said(error)
