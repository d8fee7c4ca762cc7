"""The claims of Acme's devices."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lite_delegate import (
    BoundKernel,
    DataType,
    Delegate,
    DelegateModel,
    Kernel,
    RejectCode,
    Rejected,
    Supported,
)

from .graph import AcmeGraph


class AcmeDelegate(Delegate):
    """Takes layer normalization with a scale, and softmax over one axis, in float32."""

    name = "acme"

    def supports(self, kernel: BoundKernel) -> Supported | Rejected:
        """Whether the device takes a kernel; else the limit, and the value that was found."""
        if kernel.type not in CHECKS:
            return Rejected(RejectCode.OPERATOR, f"{kernel.type} is not one of {', '.join(CHECKS)}")
        x = kernel.inputs[0]
        if x.dtype != DataType.FLOAT32:
            return Rejected(RejectCode.DTYPE, f"input must be FLOAT32, is {x.dtype.name}")
        if 0 in x.shape:
            return Rejected(RejectCode.SHAPE, f"input must have elements, has the shape {x.shape}")
        reason = CHECKS[kernel.type](kernel)
        return Rejected(RejectCode.ATTRIBUTE, reason) if reason else Supported()

    def create_graph_kernel(self, run: Sequence[BoundKernel], model: DelegateModel) -> Kernel:
        """The program of a run of kernels."""
        return AcmeGraph(model.boundary_of(run), run)


def _layer_norm(kernel: BoundKernel) -> str:
    if len(kernel.inputs) != 3 or len(kernel.outputs) != 1:
        return f"needs 3 inputs and 1 output, has {len(kernel.inputs)} and {len(kernel.outputs)}"
    x, gamma, _ = kernel.inputs
    wanted = tuple(x.shape[kernel.primitive.begin_norm_axis % len(x.shape) :])
    return "" if tuple(gamma.shape) == wanted else f"the scale must have the shape {wanted}, has {tuple(gamma.shape)}"


def _softmax(kernel: BoundKernel) -> str:
    axis = kernel.primitive.axis
    return "" if axis is not None and len(axis) == 1 else f"axis must have one number, is {axis}"


CHECKS: dict[str, Callable[[BoundKernel], str]] = {"LayerNormFusion": _layer_norm, "Softmax": _softmax}
"""For each operator of the device: the reason against a kernel, or nothing."""
