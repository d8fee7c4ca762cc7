"""From the values of properties to the settings of a model: the only way, for Core, contexts and commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...delegate import Delegate
from ...properties import Values
from ...runtime.budget import Budget
from ...runtime.records import CPU
from ...runtime.settings import Settings
from .cpu_properties import BACKENDS, COUNT, STREAM_THREADS, THREADS, check_threads
from .model_properties import ON_ERROR
from .runtime_properties import PLAIN, STATES

Backends = Callable[[str], tuple[Delegate, ...]]
"""Gives the runtimes of the CPU for a value of ``CPU_BACKENDS``."""


def budget_of(values: Values) -> Budget:
    """The most memory and steps that a prediction may take, as the values of properties say."""
    memory = values.value("MEMORY_LIMIT")
    return Budget(memory if isinstance(memory, int) else None, values.number("STEP_LIMIT"))


def with_values(settings: Settings, runtime: Values, cpu: Values | None, backends: Backends) -> Settings:
    """Settings as the values of properties want them.

    Args:
        settings: the wishes beside the properties, such as the delegates.
        runtime: of the properties that the runtime sees to.
        cpu: of the properties of the CPU; None where the CPU takes no part.
        backends: gives the runtimes of the CPU.

    Raises:
        PropertyError: values of the CPU contradict each other.
        DelegateUnavailable: a runtime of the CPU cannot be made.
    """
    plain = runtime.effective(PLAIN) is True
    found = replace(
        settings,
        runtime=runtime,
        shared_state_buffers=runtime.value(STATES) == "SHARED",
        falls_back=runtime.value(ON_ERROR) == "FALLBACK",
        rewrites=settings.rewrites and not plain,
        folds=settings.folds and not plain,
    )
    if cpu is None:
        return found
    check_threads(cpu)
    return replace(
        found,
        properties={**settings.properties, CPU: cpu},
        threads=cpu.number(THREADS),
        stream_threads=cpu.number(STREAM_THREADS),
        counts_kernels=cpu.value(COUNT) is True,
        cpu_backends=() if settings.reference_kernels else backends(str(cpu.value(BACKENDS))),
    )
