"""The graph kernel around a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...delegate import Kernel
from ...errors import DelegateExecuteError
from ...ir import to_numpy
from ...tensor import Array, Tensor
from .session import SessionSettings, session_of


class Prepared:
    """What graph kernels of one run share: the model, and its session once it is made.

    Args:
        model: the ONNX model's bytes.
        outside: constants that are not in them, by name.
        settings: of the session.
    """

    def __init__(self, model: bytes, outside: Mapping[str, Array], settings: SessionSettings) -> None:
        self.model, self.outside, self.settings = model, outside, settings
        self.session: Any = None
        self.inputs: tuple[str, ...] = ()
        self.outputs: tuple[str, ...] = ()

    def load(self) -> None:
        """Makes the session.

        Raises:
            DelegateBuildError: ONNX Runtime cannot run the model.
        """
        self.session = self.made_session()
        self.inputs = tuple(each.name for each in self.session.get_inputs())
        self.outputs = tuple(each.name for each in self.session.get_outputs())

    def made_session(self) -> Any:
        """A session."""
        return session_of(self.model, self.outside, self.settings)

    def unload(self) -> None:
        """Lets the session go; its memory goes with it."""
        self.session = None


class BoundSession:
    """A session with the buffers of one graph kernel: what lasts from run to run is bound once.

    Args:
        prepared: with the session.
        outputs: what it gives.
    """

    def __init__(self, prepared: Prepared, outputs: Sequence[Tensor]) -> None:
        self._session = prepared.session
        self._binding = prepared.session.io_binding()
        self._inputs = prepared.inputs
        self._last: list[Array | None] = [None] * len(prepared.inputs)
        self._read = list(self._last)  # what the session reads: the same, or copies in order
        shapes = [(tuple(tensor.shape), np.dtype(to_numpy(tensor.dtype))) for tensor in outputs]
        self._outputs = [(name, *spec) for name, spec in zip(prepared.outputs, shapes, strict=True)]

    def run(self, arrays: Sequence[Array]) -> list[Array]:
        """New arrays of what the session gives."""
        binding, last = self._binding, self._last
        for number, array in enumerate(arrays):
            if array is not last[number]:
                self._read[number] = contiguous = np.asarray(array, order="C")
                binding.bind_cpu_input(self._inputs[number], contiguous)
                last[number] = array if contiguous is array else None
        made = []
        for name, shape, dtype in self._outputs:
            output = np.empty(shape, dtype)
            binding.bind_output(name, "cpu", 0, dtype, shape, output.ctypes.data)
            made.append(output)
        self._session.run_with_iobinding(binding)
        return made


class OnnxRuntimeGraph(Kernel):
    """One run as a session of ONNX Runtime.

    Args:
        name: of the graph kernel.
        inputs: what the run reads.
        outputs: what it gives.
        prepared: shared by all forks.
    """

    gives_new_arrays = True

    def __init__(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], prepared: Prepared) -> None:
        super().__init__(name, "OnnxRuntime", inputs, outputs)
        self.shared = prepared
        self._bound: BoundSession | None = None

    def prepare(self) -> None:
        """Makes the session, which packs weights as ONNX Runtime wants them."""
        self.shared.load()

    def execute(self) -> None:
        """Runs the session. Inputs are read, and outputs written, where they are.

        An input that is the same array as in the run before is not bound again.

        Raises:
            DelegateExecuteError: ONNX Runtime failed; the message is its own.
        """
        bound = self._bound
        if bound is None:
            bound = self._bound = BoundSession(self.shared, self._outputs)
        try:
            made = bound.run([tensor.data for tensor in self._inputs])
        except Exception as e:  # ONNX Runtime's exceptions have no common type
            self._bound = None
            raise DelegateExecuteError(f"ONNX Runtime failed in '{self.name}': {e}") from e
        for tensor, array in zip(self._outputs, made, strict=True):
            tensor.data = array

    def fork(self, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> OnnxRuntimeGraph:
        """One that shares the session."""
        return OnnxRuntimeGraph(self.name, [t for t in inputs if t is not None], outputs, self.shared)

    def release(self) -> None:
        """Lets the session go."""
        self.shared.unload()
