"""Runs as files of other runtimes, for authors of delegates whose compiler reads such files."""

from __future__ import annotations

from collections.abc import Sequence

from ..basics.data_class import dataclass
from ..delegate import Boundary, Kernel
from ..errors import DelegateBuildError
from ..ir import to_numpy
from ..semantics.fitting import DoesNotFit
from ..tensors.tensor import Tensor
from .lowering import NotLowered, Term
from .lowering.lowering import Lowering
from .lowering.run import lower
from .lowering.term import Lowered, identity


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run as the bytes of a file.

    Attributes:
        content: the bytes, all constants in them.
        inputs: the names of the file's inputs, in the order of the boundary's.
        outputs: the names of the file's outputs, in the order of the boundary's.
    """

    content: bytes
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def run_as_onnx(run: Sequence[Kernel], boundary: Boundary | None = None) -> RunFile:
    """A run as an ONNX model of the operators of release 21, with unique names and all attributes written out.

    Args:
        run: kernels in execution order.
        boundary: ``model.boundary_of(run)``; None: the run reads its inputs from outside, and gives all tensors that
            none of its kernels reads.

    Raises:
        DelegateBuildError: a kernel cannot be said in ONNX's operators; the message names it.
    """
    from .onnx_file import FileEmitter

    inputs, outputs = _crossing(run, boundary)
    names = _unique([*inputs, *outputs])
    emitter = FileEmitter("run", names, "", None)
    lowering = Lowering(emitter)
    for tensor, name in zip(inputs, names, strict=False):
        shape, dtype = tuple(tensor.shape), to_numpy(tensor.dtype)
        term = Term(emitter.input(name, dtype, shape), dtype, shape)
        lowering.define(tensor, Lowered(shape, dtype, identity(len(shape)), term))
    for kernel in run:
        emitter.layer = kernel.name
        try:
            lower(kernel, lowering)
        except (NotLowered, DoesNotFit) as e:
            raise DelegateBuildError(f"Kernel '{kernel.name}' ({kernel.type}) cannot be written as ONNX: {e}.") from e
    emitter.layer = ""
    given = names[len(inputs) :]
    terms = [lowering.in_order(lowering.value(tensor)) for tensor in outputs]
    content = b"".join(emitter.finish(list(zip(given, terms, strict=True))).pieces)
    return RunFile(content, tuple(names[: len(inputs)]), tuple(given))


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
    """SignatureNames of tensors, with numbers where several have one; a tensor without a name gets one."""
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
