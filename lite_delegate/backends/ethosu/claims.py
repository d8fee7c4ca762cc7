"""Vela's answers for kernels: all kernels of a plan are compiled together, and Vela says which it leaves and why."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...errors import DelegateBuildError
from ...tensors.tensor import Tensor
from ..by_shapes import ByShapes
from ..litert.package import REFERENCE
from ..litert.refusals import answer_of
from ..tflite_file.tflite_run import tflite_run
from .graph import left_kernels
from .output import VelaOutput
from .vela import VelaSettings, compiled

RULE = "Vela must place the operator on the NPU"
OF_TYPES = "DataType"
"""Stands in Vela's reasons about element types."""
MOST_KEPT = 256
"""Files whose answers are kept."""


class VelaClaims:
    """The answers of Vela with one set of options.

    Args:
        settings: Vela's options.
    """

    def __init__(self, settings: VelaSettings) -> None:
        self._settings = settings
        self._answers = ByShapes[SupportResult]()
        self._files: dict[bytes, dict[str, str] | str] = {}
        self._whole: dict[bytes, VelaOutput] = {}

    def survey(self, kernels: Sequence[Kernel]) -> None:
        """Finds the answers for kernels, which are in execution order."""
        written: list[Kernel] = []
        for kernel in kernels:
            answer = answer_of(kernel, REFERENCE)
            self._answers.put(kernel, answer)
            if isinstance(answer, Supported):
                written.append(kernel)
        self._ask(written)

    def answer(self, kernel: Kernel) -> SupportResult:
        """The answer for a kernel."""
        found = self._answers.get(kernel)
        if found is None:
            self.survey([kernel])
            found = self._answers.get(kernel)
            assert found is not None
        return found

    def output(self, content: bytes) -> VelaOutput | None:
        """Vela's output for a file, where it is the last one of which Vela left nothing; None for all others."""
        return self._whole.get(_key(content))

    def _ask(self, kernels: Sequence[Kernel]) -> None:
        """Compiles kernels together, and by halves where Vela fails on the file."""
        if not kernels:
            return
        found = self._left(kernels)
        if isinstance(found, str) and len(kernels) > 1:
            middle = len(kernels) // 2
            self._ask(kernels[:middle])
            self._ask(kernels[middle:])
            return
        for kernel in kernels:
            reason = found if isinstance(found, str) else found.get(kernel.name)
            if reason:
                code = RejectCode.DTYPE if OF_TYPES in reason else RejectCode.OPERATOR
                self._answers.put(kernel, Rejected(code, reason, RULE))

    def _left(self, kernels: Sequence[Kernel]) -> dict[str, str] | str:
        """The reasons by kernel; a text where Vela fails on the file."""
        try:
            run = tflite_run(kernels, *_boundary(kernels))
        except DelegateBuildError as e:
            return str(e)
        key = _key(run.content)
        if key not in self._files:
            try:
                output = compiled(run.content, self._settings)
                found: dict[str, str] | str = left_kernels(run, output)
                if not found:
                    self._whole = {key: output}
            except DelegateBuildError as e:
                found = str(e)
            while len(self._files) >= MOST_KEPT:
                self._files.pop(next(iter(self._files)))
            self._files[key] = found
        return self._files[key]


def _key(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def _boundary(kernels: Sequence[Kernel]) -> tuple[list[Tensor], list[Tensor]]:
    """The tensors that kernels read and none of them makes, and those that they make and none reads."""
    made = {tensor for kernel in kernels for tensor in kernel.outputs}
    read = dict.fromkeys(tensor for kernel in kernels for tensor in kernel.inputs if not tensor.is_const)
    inputs = [tensor for tensor in read if tensor not in made]
    return inputs, [tensor for kernel in kernels for tensor in kernel.outputs if tensor not in read]
