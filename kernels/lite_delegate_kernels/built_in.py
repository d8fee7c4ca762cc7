"""The reference kernels by operator type, each imported when it is first asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from . import all_kernels
from ._kernel import KernelRegistry, ReferenceKernel
from .custom import all_kernels as custom

ONNX = "ai.onnx."
"""Of Custom nodes' types; their files are named without it."""


class BuiltInKernels(KernelRegistry):
    """All reference kernels. Safe for several threads. Most models need few of the files of operators."""

    def __init__(self) -> None:
        super().__init__()
        self._modules = {_key(name): f"{__package__}.op_{name}" for name in all_kernels.OPERATORS}
        self._customs = {_key(name): f"{__package__}.custom.op_{name}" for name in custom.OPERATORS}

    def find(self, op_type: str, quantized: bool = False) -> ReferenceKernel | None:
        """As ``KernelRegistry.find``."""
        self._load(op_type)
        if quantized and op_type not in self._quantized:
            self._make_quantized(op_type)
        return super().find(op_type, quantized)

    def find_quantized_form(self, op_type: str) -> ReferenceKernel | None:
        """The quantized form of the float kernel of an operator type, None where there is none."""
        self.find(op_type, quantized=True)
        return self._quantized.get(op_type)

    def op_types(self) -> tuple[str, ...]:
        """All operator types, sorted; that imports all files."""
        kernels = (*all_kernels.ALL_KERNELS, *custom.ALL_CUSTOM_KERNELS)
        return tuple(sorted(kernel.op_type for kernel in kernels))

    def _load(self, op_type: str) -> None:
        if op_type in self._kernels:
            return
        modules = self._customs if "." in op_type else self._modules
        module = modules.get(_key(op_type.removeprefix(ONNX)))
        kernel = None if module is None else import_module(module).KERNEL
        if kernel is not None and kernel.op_type == op_type:
            self._kernels[op_type] = kernel

    def _make_quantized(self, op_type: str) -> None:
        kernel = self._kernels.get(op_type)
        if kernel is None or "." in op_type:
            return
        from .quantized import quantized_kernel

        form = quantized_kernel(kernel)
        if form is not None:
            self._quantized.setdefault(op_type, form)


@cache
def built_in_kernels() -> BuiltInKernels:
    """All reference kernels."""
    return BuiltInKernels()


def _key(name: str) -> str:
    """Equal for the type of an operator and the name of its file."""
    return name.replace("_", "").replace(".", "").lower()
