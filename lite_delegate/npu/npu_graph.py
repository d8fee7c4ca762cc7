"""NPUGraph: the kernel that stands for a run on the device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..delegate import Kernel
from ..errors import DelegateExecuteError
from ..ir.data_type import to_numpy
from ..tensor import Tensor
from .device_model import DeviceModel


class NPUGraph(Kernel):
    """Packs its inputs, runs a program on the device, unpacks the outputs.

    Packing is one copy: model order to device order, and float32 to float16 (beyond 65504: infinite). Nothing
    that changes during a prediction is kept between calls, so forks may run at the same time.

    Args:
        name: unique within the model.
        inputs: what it reads, in the order of the run's boundary.
        outputs: what it writes, in the order of the run's boundary.
        model: the run on its device; forks share it.
    """

    def __init__(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], model: DeviceModel) -> None:
        super().__init__(name, "NPUGraph", inputs, outputs)
        self._model = model

    @property
    def model(self) -> DeviceModel:
        """The run on its device."""
        return self._model

    def prepare(self) -> None:
        """Packs the constants and loads the program.

        Raises:
            DelegateExecuteError: the device is not open.
        """
        self._model.prepare()

    def execute(self) -> None:
        """Reads the inputs, sets the outputs to new arrays.

        Raises:
            DelegateExecuteError: not prepared, an input of another shape than compiled for, or the device failed.
        """
        try:
            results = self._model.run([tensor.data for tensor in self.inputs])
        except Exception as e:  # whatever the device does, the message has to name the graph kernel
            raise DelegateExecuteError(f"Graph kernel '{self.name}': {e}") from e
        for tensor, result in zip(self.outputs, results, strict=True):
            tensor.data = np.array(result, dtype=to_numpy(tensor.dtype), order="C")

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> NPUGraph:
        """The same program, loaded once, bound to other tensors."""
        return NPUGraph(self.name, inputs, outputs, self._model)
