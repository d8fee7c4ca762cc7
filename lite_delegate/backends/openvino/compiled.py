"""Compiled models of OpenVINO, and the requests that run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from ...data_class import dataclass
from ...errors import DelegateBuildError
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
    """What graph kernels of one run share: the model, and what was compiled of it.

    Args:
        written: OpenVINO's model.
        settings: device and properties.
    """

    def __init__(self, written: Written, settings: CompileSettings) -> None:
        self.written, self.settings = written, settings
        self.compiled: Any = None

    def load(self) -> None:
        """Compiles the model.

        Raises:
            DelegateBuildError: OpenVINO cannot compile it for the device; the message is its own.
        """
        try:
            if self.written.outputs:
                self.compiled = self.compiled_model()
        except Exception as e:  # plugins raise what they like
            raise DelegateBuildError(f"OpenVINO cannot compile for {self.settings.device}: {said(e)}") from e

    def compiled_model(self) -> Any:
        """The compiled model."""
        settings = self.settings
        return core().compile_model(self.written.model, settings.device, dict(settings.config))

    def unload(self) -> None:
        """Lets the compiled model go; its memory goes with it and its requests."""
        self.compiled = None

    def request(self) -> BoundRequest:
        """A request, for one run at a time."""
        return BoundRequest(self.compiled, self.written)


NOTHING: Array = np.empty(0)
"""In place of an array that the next run cannot have."""


class BoundRequest:
    """A request of OpenVINO with the buffers of one graph kernel: inputs that stay the same are given once.

    Args:
        compiled: the compiled model; None where nothing is computed.
        written: what it gives, and what is given beside it.
    """

    def __init__(self, compiled: Any, written: Written) -> None:
        self._direct, self._outputs, self._fixed = written.direct, written.outputs, written.fixed
        self._last: dict[int, Array] = {}
        self._read: dict[int, Array] = {}  # OpenVINO's tensors do not keep the memory that they share
        if compiled is not None:
            self._request = compiled.create_infer_request()
            # The package's own method starts the request and waits, which takes 60 to 90 us more than this one, which
            # runs it in this thread.
            derived_from: Any = super(type(self._request), self._request)
            self._infer = derived_from.infer

    def run(self, arrays: Sequence[Array]) -> list[Array]:
        """New arrays of what the model gives. Inputs are read, and outputs written, where they are."""
        made = self._computed(arrays) if self._outputs else []
        for position, source in self._direct:
            made.insert(position, np.array(source if isinstance(source, np.ndarray) else arrays[source]))
        return made

    def _computed(self, arrays: Sequence[Array]) -> list[Array]:
        from openvino import Tensor

        request, last = self._request, self._last
        for number, array in enumerate(arrays):
            if last.get(number) is not array:
                self._read[number] = shared = sharable(array)
                request.set_input_tensor(number, Tensor(shared, shared_memory=True))
                last[number] = array if array.flags.c_contiguous else NOTHING  # a copy in order is made anew
        made = []
        for number, (dtype, shape) in enumerate(self._outputs):
            output = np.empty(shape, dtype)
            made.append(output)
            if number not in self._fixed:
                request.set_output_tensor(number, Tensor(output, shared_memory=True))
        self._infer({}, True, False)
        for number in self._fixed:
            made[number][...] = request.get_output_tensor(number).data
        return made


def said(error: Exception) -> str:
    """What OpenVINO says, without the places in its source."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith(("Exception from", "Check '"))]
    return " ".join(told) or type(error).__name__
