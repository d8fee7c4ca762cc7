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
        self.session = session_of(self.model, self.outside, self.settings)
        self.inputs = tuple(each.name for each in self.session.get_inputs())
        self.outputs = tuple(each.name for each in self.session.get_outputs())

    def unload(self) -> None:
        """Lets the session go; its memory goes with it."""
        self.session = None


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

    def prepare(self) -> None:
        """Makes the session, which packs weights as ONNX Runtime wants them."""
        self.shared.load()

    def execute(self) -> None:
        """Runs the session. Inputs are read, and outputs written, where they are.

        Raises:
            DelegateExecuteError: ONNX Runtime failed; the message is its own.
        """
        prepared = self.shared
        binding = prepared.session.io_binding()
        arrays = [np.ascontiguousarray(tensor.data) for tensor in self.inputs]
        for name, array in zip(prepared.inputs, arrays, strict=True):
            binding.bind_cpu_input(name, array)
        made: list[Array] = []
        for name, tensor in zip(prepared.outputs, self.outputs, strict=True):
            array = np.empty(tensor.shape, to_numpy(tensor.dtype))
            binding.bind_output(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
            made.append(array)
        try:
            prepared.session.run_with_iobinding(binding)
        except Exception as e:  # ONNX Runtime's exceptions have no common type
            raise DelegateExecuteError(f"ONNX Runtime failed in '{self.name}': {e}") from e
        for tensor, array in zip(self.outputs, made, strict=True):
            tensor.data = array

    def fork(self, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> OnnxRuntimeGraph:
        """One that shares the session."""
        return OnnxRuntimeGraph(self.name, [t for t in inputs if t is not None], outputs, self.shared)

    def release(self) -> None:
        """Lets the session go."""
        self.shared.unload()
