"""OnnxExporter: a delegate that takes whole models to write them to files; nothing runs on it."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Delegate, DelegateModel, Kernel, SupportResult
from ...errors import DelegateExecuteError
from ...tensors.tensor import Tensor
from ..lowering import claim, lower_kernels
from .emitter import FileEmitter, OnnxFile


class ExportedRun(Kernel):
    """The graph kernel in place of a run that was written to a file."""

    def execute(self) -> None:
        """Raises DelegateExecuteError."""
        raise DelegateExecuteError(f"'{self.name}' was written to a file, and does not run.")


class OnnxExporter(Delegate):
    """Claims the kernels that ONNX's operators can express, and writes the model once it is planned.

    Args:
        location: the file for large constants, relative to the model's.
        threshold: constants of at least as many bytes are there; None: all are in the model.
    """

    name = "ONNX file"
    takes_control_flow = True
    takes_endless_loops = True  # nothing runs

    def __init__(self, location: str, threshold: int | None = None) -> None:
        self._location, self._threshold = location, threshold
        self._claims = FileEmitter("claims", (), location, None)
        self._kernels: Sequence[Kernel] = ()
        self._inputs: Sequence[Tensor] = ()
        self._outputs: Sequence[Tensor] = ()

    def supports(self, kernel: Kernel) -> SupportResult:
        """The lowering's answer."""
        return claim(kernel, self._claims)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """Takes the run for the whole model, which it is where every kernel is claimed."""
        self._kernels, self._inputs, self._outputs = tuple(run), tuple(model.inputs), tuple(model.outputs)
        boundary = model.boundary_of(run)
        return ExportedRun("file", "ONNX", boundary.inputs, boundary.outputs)

    def file(self) -> OnnxFile:
        """The model as a file. An output may be an input or a constant.

        Raises:
            DelegateBuildError: a kernel cannot be lowered.
            GraphError: the file would be larger than the format allows.
        """
        names = [tensor.name for tensor in (*self._inputs, *self._outputs)]
        emitter = FileEmitter("model", names, self._location, self._threshold)
        return written(self._kernels, self._inputs, self._outputs, names, emitter)


def written(
    kernels: Sequence[Kernel],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    names: Sequence[str],
    emitter: FileEmitter,
) -> OnnxFile:
    """Kernels as a file.

    Args:
        kernels: in execution order.
        inputs: the file's inputs.
        outputs: the file's outputs; one may be an input or a constant.
        names: of the file's inputs and outputs.
        emitter: writes the file.

    Raises:
        DelegateBuildError: a kernel cannot be lowered; the message names it.
        GraphError: the file would be larger than the format allows.
    """
    lowering = lower_kernels(kernels, inputs, emitter, names[: len(inputs)])
    terms = [lowering.in_order(lowering.value(tensor)) for tensor in outputs]
    return emitter.finish(list(zip(names[len(inputs) :], terms, strict=True)))
