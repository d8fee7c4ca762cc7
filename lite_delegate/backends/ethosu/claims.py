"""Vela's answers for kernels: all kernels of a plan are compiled together, and Vela says which it leaves and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...errors import DelegateBuildError
from ...tensors.tensor import Tensor
from ..by_shapes import ByShapes
from ..litert.package import REFERENCE
from ..litert.refusals import answer_of
from ..tflite_file.tflite_run import TfliteRunFile, tflite_run
from .compiling import compiled
from .graph import left_kernels
from .output import VelaOutput
from .vela import VelaSettings

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
        self._files: dict[bytes, VelaOutput | str] = {}
        self._last: tuple[bytes, VelaOutput] | None = None

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

    def output(self, run: TfliteRunFile) -> VelaOutput | None:
        """Vela's output for a run; None where Vela did not compile its file last, or leaves kernels of it."""
        if self._last is None or self._last[0] != _key(run.content):
            return None
        output = self._last[1]
        return None if left_kernels(run, output) else output

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
        found = self._of_file(run.content)
        if isinstance(found, str):
            return found
        return left_kernels(run, found)

    def _of_file(self, content: bytes) -> VelaOutput | str:
        """Vela's output without the compiled file; a text where Vela fails. Kernels of two names may give one file."""
        key = _key(content)
        if key not in self._files:
            while len(self._files) >= MOST_KEPT:
                self._files.pop(next(iter(self._files)))
            try:
                output = compiled(content, self._settings)
                self._last, self._files[key] = (key, output), replace(output, content=b"")
            except DelegateBuildError as e:
                self._files[key] = str(e)
        return self._files[key]


def _key(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def _boundary(kernels: Sequence[Kernel]) -> tuple[list[Tensor], list[Tensor]]:
    """The tensors that kernels read and none of them makes, and those that they make and none reads."""
    made = {tensor for kernel in kernels for tensor in kernel.outputs}
    read = dict.fromkeys(tensor for kernel in kernels for tensor in kernel.inputs if not tensor.is_const)
    inputs = [tensor for tensor in read if tensor not in made]
    return inputs, [tensor for kernel in kernels for tensor in kernel.outputs if tensor not in read]
