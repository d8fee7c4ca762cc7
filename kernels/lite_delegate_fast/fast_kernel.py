"""The record of a fast kernel, and the table of which nodes run on one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from lite_delegate_kernels import ArraySpec, ReferenceKernel
from lite_delegate_kernels._kernel import RunFunction
from lite_delegate_kernels._line import line

Inputs: TypeAlias = Sequence[ArraySpec | None]
BindFunction: TypeAlias = Callable[[Inputs, Mapping[str, Any]], "RunFunction | None"]


@dataclass(frozen=True, repr=False)
class FastKernel(ReferenceKernel):
    """A kernel that does the same as a reference kernel, faster, and shares its inference.

    Attributes:
        only: the values of attributes for which it is there, by the attribute's name; empty for all.
        bind: given the inputs' specs and the attributes of one node, a function of the arrays alone that does what
            ``run`` does for them, or None where it has none for that node.
    """

    only: Mapping[str, Collection[Any]] = field(default_factory=dict)
    bind: BindFunction | None = None

    def serves(self, inputs: Inputs, attributes: Mapping[str, Any]) -> bool:
        """True for nodes that it is there for: the element type of the first input, and ``only``."""
        first = inputs[0] if inputs else None
        return (first is None or first.dtype_name in self.dtypes) and all(
            attributes.get(name) in values for name, values in self.only.items()
        )

    def function(self, inputs: Inputs, attributes: Mapping[str, Any]) -> RunFunction:
        """The function that a node calls with its arrays."""
        bound = None if self.bind is None else self.bind(inputs, attributes)
        return partial(self.run, **attributes) if bound is None else bound


def fast_form(
    reference: ReferenceKernel,
    run: RunFunction,
    *,
    only: Mapping[str, Collection[Any]] | None = None,
    bind: BindFunction | None = None,
) -> FastKernel:
    """The fast kernel with the operator, inference, dtypes and keywords of a reference kernel."""
    return FastKernel(
        reference.op_type,
        run,
        reference.output_specs,
        reference.dtypes,
        reference.needs_output_count,
        reference.needs_quantization,
        only or {},
        bind,
    )


def quantized_form(kernel: FastKernel, form: ReferenceKernel) -> FastKernel:
    """A quantized ``form`` that was made of a fast kernel, for nodes of the same attributes."""
    return fast_form(form, form.run, only=kernel.only)


FindFunction: TypeAlias = Callable[[str], FastKernel | None]


class FastKernels:
    """The table by which a node runs on a fast kernel or on its reference kernel.

    Args:
        kernels: finds those of nodes that mean their numbers as they are, by operator type.
        quantized: finds those of nodes that run on integers standing for real numbers.
    """

    def __init__(self, kernels: FindFunction, quantized: FindFunction) -> None:
        self._kernels = kernels
        self._quantized = quantized

    def __repr__(self) -> str:
        return line(self)

    def find(self, reference: ReferenceKernel, inputs: Inputs, attributes: Mapping[str, Any]) -> FastKernel | None:
        """The kernel that a node runs on instead of ``reference``; None where that is all there is."""
        find = self._quantized if reference.needs_quantization else self._kernels
        kernel = find(reference.op_type)
        return kernel if kernel is not None and kernel.serves(inputs, attributes) else None
