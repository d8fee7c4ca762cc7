"""TfliteRunFile: a run as a ``.tflite`` file, and the kernels that its tensors belong to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...basics.data_class import dataclass
from ...delegate import Kernel
from ...tensors.tensor import Tensor
from .exporter import written
from .scope import Kernels, Purpose

_NUMBERED = re.compile(r"#\d+$")
_INSIDE = re.compile(r"^(.+)/value$")


@dataclass(frozen=True, slots=True, eq=False)
class TfliteRunFile:
    """A run as a file.

    Attributes:
        content: the bytes of the ``.tflite`` file; inputs and outputs are in the order of the run's.
        makers: the names of the kernels that give tensors, by the names of the tensors.
    """

    content: bytes
    makers: Mapping[str, str]

    def maker_of(self, tensor: str) -> str:
        """The name of the kernel that gives a tensor of the file, or of a compiler's form of the file; "" for none."""
        name = _NUMBERED.sub("", tensor)
        inside = _INSIDE.match(name)
        return self.makers.get(name, "") if inside is None else inside[1]


def tflite_run(
    run: Sequence[Kernel], inputs: Sequence[Tensor], outputs: Sequence[Tensor], target: Kernels = Kernels.ANY
) -> TfliteRunFile:
    """A run as a file.

    Args:
        run: kernels in execution order.
        inputs: the tensors that the run reads and does not make.
        outputs: the tensors of the run that are read elsewhere.
        target: the kernels of LiteRT that are to run it.

    Raises:
        DelegateBuildError: a kernel cannot be written; the message names it.
    """
    makers = {tensor.name: kernel.name for kernel in run for tensor in kernel.outputs}
    return TfliteRunFile(written(run, inputs, outputs, Purpose(kernels=target)).content(), makers)
