"""Compiled models of OpenVINO, and the requests that run them."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from ...data_class import dataclass
from ...errors import DelegateBuildError, DelegateExecuteError
from ...tensor import Array
from .package import core
from .properties import THREADS
from .shared import sharable
from .written import Written


@dataclass(frozen=True, slots=True)
class CompileSettings:
    """How models are compiled.

    Attributes:
        device: by OpenVINO's name.
        config: properties of the device, by OpenVINO's names.
    """

    device: str = "CPU"
    config: Mapping[str, str] = field(default_factory=dict)

    def with_threads(self, threads: int) -> CompileSettings:
        """These settings with as many threads of the host, where nothing else is said of them; 0 for no word."""
        if not threads or self.device != "CPU" or THREADS in self.config:
            return self
        return replace(self, config={**self.config, THREADS: str(threads)})


class Prepared:
    """What graph kernels of one run share: the model, what was compiled of it, and idle requests.

    Args:
        written: OpenVINO's model.
        settings: device and properties.
    """

    def __init__(self, written: Written, settings: CompileSettings) -> None:
        self.written, self.settings = written, settings
        self.compiled: Any = None
        self._idle: deque[Any] = deque()

    def load(self) -> None:
        """Compiles the model.

        Raises:
            DelegateBuildError: OpenVINO cannot compile it for the device; the message is its own.
        """
        try:
            if self.written.outputs:
                self.compiled = self.compiled_model()
                self._idle.append(self._request())
        except Exception as e:  # plugins raise what they like
            raise DelegateBuildError(f"OpenVINO cannot compile for {self.settings.device}: {said(e)}") from e

    def compiled_model(self) -> Any:
        """The compiled model."""
        settings = self.settings
        return core().compile_model(self.written.model, settings.device, dict(settings.config))

    def unload(self) -> None:
        """Lets the compiled model and its requests go; their memory goes with them."""
        self._idle.clear()
        self.compiled = None

    def run(self, name: str, inputs: Sequence[Array]) -> list[Array]:
        """New arrays of what the model gives. Inputs are read, and outputs written, where they are.

        Args:
            name: of the graph kernel, for messages.
            inputs: in order.

        Raises:
            DelegateExecuteError: OpenVINO failed; the message is its own.
        """
        written = self.written
        made = self._computed(name, inputs) if written.outputs else []
        for position, source in written.direct:
            made.insert(position, np.array(source if isinstance(source, np.ndarray) else inputs[source]))
        return made

    def _computed(self, name: str, inputs: Sequence[Array]) -> list[Array]:
        from openvino import Tensor

        made = [np.empty(shape, dtype) for dtype, shape in self.written.outputs]
        try:
            request, infer = self._idle.pop() if self._idle else self._request()
            for number, array in enumerate(inputs):
                request.set_input_tensor(number, Tensor(sharable(array), shared_memory=True))
            for number, array in enumerate(made):
                request.set_output_tensor(number, Tensor(array, shared_memory=True))
            infer({}, True, False)
        except Exception as e:  # plugins raise what they like; the request is not used again
            raise DelegateExecuteError(f"OpenVINO failed in '{name}': {said(e)}") from e
        self._idle.append((request, infer))
        return made

    def _request(self) -> tuple[Any, Any]:
        """A request, and the call that runs it in this thread.

        The method of the package's own class starts the request and waits for it, which takes 60 to 90 us more than
        the one that it is derived from.
        """
        request = self.compiled.create_infer_request()
        derived_from: Any = super(type(request), request)
        return request, derived_from.infer


def said(error: Exception) -> str:
    """What OpenVINO says, without the places in its source."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith(("Exception from", "Check '"))]
    return " ".join(told) or type(error).__name__
