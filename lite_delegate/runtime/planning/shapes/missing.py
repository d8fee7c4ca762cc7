"""The error for nodes that can run nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....basics.counted import counted
from ....delegate import Kernel
from ....ir import custom_type, has_numpy
from ....ir.custom import import_reason, imported_as_custom
from ...binding.node_kernel import NodeKernel
from ...settings import Settings

TRAINING = frozenset(
    {
        "AbsGrad",
        "ActivationGrad",
        "Adam",
        "AdamWeightDecay",
        "AddGrad",
        "ApplyMomentum",
        "AvgPoolGrad",
        "BatchNormGrad",
        "BiasAddGrad",
        "BinaryCrossEntropy",
        "BinaryCrossEntropyGrad",
        "Conv2DBackpropFilterFusion",
        "Conv2DBackpropInputFusion",
        "DeConv2DGradFilter",
        "DivGrad",
        "DropoutGrad",
        "FlattenGrad",
        "LSTMGrad",
        "LSTMGradData",
        "LSTMGradWeight",
        "LayerNormGrad",
        "LogGrad",
        "MaxPoolGrad",
        "MaximumGrad",
        "MinimumGrad",
        "MulGrad",
        "NLLLoss",
        "NLLLossGrad",
        "NegGrad",
        "PowerGrad",
        "ResizeGrad",
        "RsqrtGrad",
        "SGD",
        "SigmoidCrossEntropyWithLogits",
        "SigmoidCrossEntropyWithLogitsGrad",
        "SmoothL1Loss",
        "SmoothL1LossGrad",
        "SoftmaxCrossEntropyWithLogits",
        "SparseSoftmaxCrossEntropyWithLogits",
        "SqrtGrad",
        "StridedSliceGrad",
        "SubGrad",
    }
)
"""Operators that files of models in training have: losses, gradients, optimizers."""
_SHOWN = 3


def missing_text(
    missing: Sequence[NodeKernel], settings: Settings, op_types: Sequence[str], errors: Mapping[Kernel, Exception]
) -> str:
    """The message for nodes that can run nowhere: a line for each node, with advice.

    Args:
        missing: the nodes that neither the delegate takes nor the CPU has a kernel for.
        settings: says whether a delegate was asked.
        op_types: the operators that the CPU has.
        errors: the errors for nodes that a delegate claims and could not compile.
    """
    names = " or ".join(f"'{name}'" for name in settings.delegate_names)
    asked = f"delegate {names} takes none of them" if names else "no delegate was set"
    lines = [
        f"{counted(len(missing), 'node')} can run nowhere: {asked}, and the CPU has no kernel for the "
        "operator and element type:",
        *(f"  '{k.name}' ({k.type}, {_dtypes(k)}){_hint(k, errors.get(k))}" for k in missing),
    ]
    training = sum(k.type in TRAINING for k in missing)
    if training:
        lines.append(f"{training} of them are training operators: export the model for inference, without them.")
    if any(k.type != "Custom" for k in missing):
        lines.append(f"The CPU has: {', '.join(op_types)}.")
    return "\n".join(lines)


def misfit_text(missing: Sequence[NodeKernel]) -> str:
    """The error for nodes that could run with other shapes of the inputs, in one line."""
    shown = "; ".join(f"'{k.name}' ({custom_type(k.node.primitive)}) {_stop(k)}" for k in missing[:_SHOWN])
    more = f"; and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
    count = counted(len(missing), "node")
    return f"{count} cannot run with these shapes: {shown}{more}."


def _stop(kernel: NodeKernel) -> str:
    return import_reason(kernel.node.primitive).rstrip(".")


def missing_notes(missing: Sequence[NodeKernel]) -> list[str]:
    """The notes of a report about nodes that can run nowhere, one for each operator and reason."""
    groups: dict[str, list[str]] = {}
    for kernel in missing:
        operator = custom_type(kernel.node.primitive) or kernel.type
        groups.setdefault(f"({operator}, {_dtypes(kernel)}){_hint(kernel, None)}", []).append(f"'{kernel.name}'")
    return [
        f"{counted(len(names), 'node')} can run nowhere: {', '.join(names[:_SHOWN])}"
        f"{', ...' * (len(names) > _SHOWN)} {why}"
        for why, names in groups.items()
    ]


def _hint(kernel: NodeKernel, error: Exception | None) -> str:
    if error is not None:
        return f": {str(error) or type(error).__name__}"
    if kernel.type in TRAINING:
        return ": a training operator"
    if kernel.type != "Custom":
        return ""
    primitive = kernel.node.primitive
    told = imported_as_custom(primitive)
    return f": {told}{'; ' * bool(told)}Context.register_custom was not called for its type '{custom_type(primitive)}'"


def _dtypes(kernel: Kernel) -> str:
    return (
        ", ".join(t.dtype.name if has_numpy(t.dtype) else f"{t.dtype.name}?" for t in kernel.inputs[:1]) or "no input"
    )
