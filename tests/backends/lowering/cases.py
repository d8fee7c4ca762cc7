"""Cases of the conformance suite and their kernels, as lowerings take them."""

from __future__ import annotations

from functools import cache

from lite_delegate import Delegate, Kernel, Rejected, Tensor
from lite_delegate.backends.lowering import Emitter, Term
from lite_delegate.backends.lowering.families import elementwise
from lite_delegate.backends.lowering.run import lower_kernels
from lite_delegate.backends.lowering.table import FAMILIES
from lite_delegate.conformance.judging.case import ConformanceCase
from lite_delegate.conformance.judging.case_graph import case_graph
from lite_delegate.conformance.suite import all_cases
from lite_delegate.conformance.trials.trial import build
from lite_delegate.delegate import RejectCode
from lite_delegate.errors import UnsupportedOperatorError


class Asked(Delegate):
    """Rejects every kernel, and keeps the last one that it was asked about."""

    name = "asked"
    kernel: Kernel

    def supports(self, kernel: Kernel) -> Rejected:
        self.kernel = kernel
        return Rejected(RejectCode.OPERATOR, "is only asked")


def lowered_operators() -> dict[str, str]:
    """All operators that are lowered, with the families that do."""
    named = {op_type: family for family, names in FAMILIES.items() for op_type in names}
    return named | dict.fromkeys(elementwise.LOWERINGS, "elementwise")


@cache
def cases_by_operator() -> dict[str, list[ConformanceCase]]:
    """The suite's cases."""
    found: dict[str, list[ConformanceCase]] = {}
    for case in all_cases():
        found.setdefault(case.op_type, []).append(case)
    return found


def kernel_of(case: ConformanceCase) -> Kernel | None:
    """The case's kernel with its tensors; None where there is no kernel to run it on the CPU."""
    asked = Asked()
    try:
        build(case_graph(case), asked)
    except UnsupportedOperatorError:
        return None
    return asked.kernel


def written(kernel: Kernel, emitter: Emitter) -> list[tuple[Tensor, Term]]:
    """The kernel's outputs as terms of an emitter."""
    inputs = list(dict.fromkeys(tensor for tensor in kernel.inputs if not tensor.is_const))
    lowering = lower_kernels([kernel], inputs, emitter)
    return [(tensor, lowering.in_order(lowering.value(tensor))) for tensor in kernel.outputs]
