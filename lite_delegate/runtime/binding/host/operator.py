"""HostOperator: an operator over more than arrays, which only the runtime itself can run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lite_delegate_kernels import ArraySpec, KernelInputError

from ....basics.data_class import dataclass
from ..specs import Spec, describe


@dataclass(frozen=True, slots=True)
class HostOperator:
    """A control flow, list or variable operator.

    Attributes:
        op_type: the schema's name of the operator.
        run: takes the contents of the node's inputs (arrays, lists, subgraphs to call), attributes as keywords; gives
            the contents of its outputs, a tuple for several.
        infer: takes the specs of the inputs in the same way; gives the specs of the outputs.
        reason: why no delegate is asked for it, for reports.
    """

    op_type: str
    run: Callable[..., Any]
    infer: Callable[..., Spec | tuple[Spec, ...]]
    reason: str


def expect_array(name: str, spec: Spec | None) -> ArraySpec:
    """The spec of an input that must be an array.

    Raises:
        KernelInputError: it is something else, or absent.
    """
    if isinstance(spec, ArraySpec):
        return spec
    raise KernelInputError(f"{name} must be a tensor of numbers, got {describe(spec)}")
