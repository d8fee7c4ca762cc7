"""The settings of a context, with which models are planned and executed."""

from __future__ import annotations

from collections.abc import Mapping

from ...delegate import Delegate
from ...inference.properties.from_values import budget_of, with_values
from ...ir.types.data_type import DataType
from ...runtime.settings import Settings
from .context import Context, delegates_of

_HERE = ("cpu", "npu")
_PRECISIONS = {"enforce_fp32": DataType.FLOAT32, "preferred_fp16": DataType.FLOAT16}


def settings_of(context: Context) -> Settings:
    """The settings of a context as they are now, for planning and executing a model."""
    return with_values(_settings_of(context), context.values, context.cpu.values, _backends)


def _backends(choice: str) -> tuple[Delegate, ...]:
    from .context_backends import context_backends

    return context_backends(choice)


def _precisions(context: Context) -> Mapping[str, DataType]:
    """The element type of real numbers by kind of device, for the kinds that have a precision mode."""
    modes = {
        "cpu": context.cpu.precision_mode,
        "gpu": context.gpu.precision_mode,
        "npu": context.npu.precision_mode,
    }
    return {kind: _PRECISIONS[mode] for kind, mode in modes.items() if mode}


def _settings_of(context: Context) -> Settings:
    """The settings of a context's options, without its properties."""
    return Settings(
        delegates=delegates_of(context),
        unavailable=tuple(name for name in context.target if name not in _HERE),
        strict=context.strict,
        needs_all=context.require_delegates,
        plan_only=context.plan_only,
        partition=context.partition,
        kernel_times=context.kernel_times,
        customs=context.custom_operators,
        pins_threads=bool(context.cpu.thread_affinity_mode or context.cpu.thread_affinity_core_list),
        precisions=_precisions(context),
        reference_kernels=context.cpu.reference_kernels,
        rewrites=context.rewrite,
        folds=context.optimize != "none",
        budget=budget_of(context.values),
        trier=context.trier,
    )
