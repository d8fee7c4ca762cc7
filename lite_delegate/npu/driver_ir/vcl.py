"""VCL: the part of the driver that takes in-memory models and hands them to its compiler."""

from __future__ import annotations

from collections.abc import Sequence

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...delegate import Boundary, Rejected
from ...errors import DelegateBuildError
from ...tensors.tensor import Tensor
from ..compiler.compile import compile_run
from ..compiler.compiled import Compiled
from ..ir.ports import BufferPort, buffer_ports
from ..operators.claims import claim
from ..profiles import Profile
from .layout import VERSIONS, DriverIR, Version, text_of
from .opening import Opened, opened


@dataclass(frozen=True, slots=True)
class LayerReport:
    """The compiler's answer for a kernel.

    Attributes:
        name: the kernel's.
        type: its operator.
        rejection: why the device does not take it; None where it does.
    """

    name: str
    type: str
    rejection: Rejected | None


class DriverCompiler:
    """The compiler in the driver of a device.

    Args:
        profile: the device.
        versions: of in-memory models that it takes.
        compile_threads: that it may use.
    """

    def __init__(self, profile: Profile, versions: Sequence[Version] = VERSIONS, compile_threads: int = 1) -> None:
        self.versions = versions
        self._profile = profile
        self._threads = compile_threads

    def query(self, ir: DriverIR) -> Sequence[LayerReport]:
        """The compiler's answer for each kernel of an in-memory model, in its order; nothing is compiled.

        Raises:
            ModelFormatError: as ``compile``.
        """
        return _layers(opened(ir, self.versions, self._profile, self._threads))

    def compile(self, ir: DriverIR) -> CompiledIR:
        """The program of an in-memory model.

        Raises:
            ModelFormatError: it is none, was cut or altered, is of a version that is not known, or for another device.
            DelegateBuildError: it cannot be compiled, or has a kernel that the device does not take.
        """
        model = opened(ir, self.versions, self._profile, self._threads)
        for layer in _layers(model):
            if layer.rejection is not None:
                raise DelegateBuildError(f"Kernel '{layer.name}' ({layer.type}): {layer.rejection.reason}.")
        boundary = Boundary(model.inputs, model.outputs, ())
        compiled = compile_run(model.kernels, boundary, model.target)
        size = sum(each.nbytes for each in ir.weights)
        said = (
            f"in-memory model {text_of([model.version])}: {counted(len(model.kernels), 'kernel')}, "
            f"{counted(len(ir.content), 'byte')}, "
            f"{counted(size, 'byte')} of constants by reference; program of "
            f"{counted(len(compiled.program.steps), 'step')}"
        )
        return CompiledIR(compiled, model.inputs, model.outputs, said)


class CompiledIR:
    """The driver's result for an in-memory model.

    Args:
        compiled: the compiled program.
        inputs: the inputs of the model.
        outputs: the outputs of the model.
        log: the driver's message, one line.
    """

    def __init__(self, compiled: Compiled, inputs: Sequence[Tensor], outputs: Sequence[Tensor], log: str) -> None:
        self.log = log
        self.program, self.module = compiled.program, compiled.module
        self.inputs: tuple[BufferPort, ...] = buffer_ports(compiled.module.inputs, inputs)
        self.outputs: tuple[BufferPort, ...] = buffer_ports(compiled.module.outputs, outputs)


def _layers(model: Opened) -> Sequence[LayerReport]:
    device = model.target.claiming
    answers = [claim(each, device) for each in model.kernels]
    rejections = [answer if isinstance(answer, Rejected) else None for answer in answers]
    return [LayerReport(each.name, each.type, why) for each, why in zip(model.kernels, rejections, strict=True)]
