"""Runs as files of other runtimes, for authors of delegates whose compiler reads such files."""

from __future__ import annotations

from collections.abc import Sequence

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..delegate import Boundary, Kernel, Rejected
from ..errors import DelegateBuildError, GraphError
from ..tensors.tensor import Tensor
from .lowering import OPSET, claim


@dataclass(frozen=True, slots=True)
class RunFile(Brief):
    """A run as the bytes of a file.

    Attributes:
        content: the bytes, all constants in them.
        inputs: the names of the file's inputs, in the order of the boundary's.
        outputs: the names of the file's outputs, in the order of the boundary's.
    """

    content: bytes
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def run_as_onnx(run: Sequence[Kernel], boundary: Boundary | None = None, *, opset: int = OPSET) -> RunFile:
    """A run as an ONNX model, with unique names and all attributes written out.

    Args:
        run: kernels in execution order.
        boundary: ``model.boundary_of(run)``; None: the run reads its inputs from outside, and gives all tensors that
            none of its kernels reads.
        opset: the release of ONNX's operators, from 17 to the newest of the package ``onnx``, which writes all but 21.

    Raises:
        DelegateBuildError: a kernel cannot be said in ONNX's operators, or a node in those of the release; the message
            names it.
        InputError: (a ValueError) models cannot be written in the release.
        LiteDelegateError: the package ``onnx`` is not installed, and the release is another than 21.
    """
    from .onnx_file import FileEmitter, written

    inputs, outputs = _crossing(run, boundary)
    names = _unique([*inputs, *outputs])
    emitter = FileEmitter("run", names, "", None)
    for kernel in run:
        answer = claim(kernel, emitter)
        if isinstance(answer, Rejected):
            raise DelegateBuildError(
                f"Kernel '{kernel.name}' ({kernel.type}) cannot be written as ONNX: {answer.reason}."
            )
    file = written(run, inputs, outputs, names, emitter)
    try:
        content = b"".join(file.in_release(opset).pieces)
    except GraphError as e:
        raise DelegateBuildError(f"The run cannot be written as ONNX: {e}") from e
    return RunFile(content, tuple(names[: len(inputs)]), tuple(names[len(inputs) :]))


def run_as_tflite(run: Sequence[Kernel], boundary: Boundary | None = None) -> RunFile:
    """A run as a TensorFlow Lite model, with unique names and all attributes written out.

    Integers with scales stay integers, and images stay (N, H, W, C), where TensorFlow Lite has a builtin operator for a
    kernel; all other kernels become elementary builtin operators.

    Args:
        run: kernels in execution order.
        boundary: as of ``run_as_onnx``.

    Raises:
        DelegateBuildError: a kernel cannot be said in TensorFlow Lite's operators; the message names it.
        LiteDelegateError: the package ``tflite`` is not installed.
    """
    from .tflite_file.exporter import written

    inputs, outputs = _crossing(run, boundary)
    file = written(run, inputs, outputs)
    return RunFile(file.content(), file.inputs, file.outputs)


def _crossing(run: Sequence[Kernel], boundary: Boundary | None) -> tuple[Sequence[Tensor], Sequence[Tensor]]:
    """The tensors that cross the boundary."""
    if boundary is not None:
        return boundary.inputs, boundary.outputs
    made = dict.fromkeys(tensor for kernel in run for tensor in kernel.outputs)
    read = dict.fromkeys(tensor for kernel in run for tensor in kernel.inputs)
    inputs = [tensor for tensor in read if tensor not in made and not tensor.is_const]
    return inputs, [tensor for tensor in made if tensor not in read]


def _unique(tensors: Sequence[Tensor]) -> list[str]:
    """Names of tensors, with numbers where several have one; a tensor without a name gets one."""
    names: list[str] = []
    taken: set[str] = set()
    for tensor in tensors:
        wanted = tensor.name or "tensor"
        name, number = wanted, 1
        while name in taken:
            number += 1
            name = f"{wanted}#{number}"
        taken.add(name)
        names.append(name)
    return names
