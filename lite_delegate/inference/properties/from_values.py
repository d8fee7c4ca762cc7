"""The settings of a model from the values of properties, for Core, contexts and commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...delegate import Delegate
from ...properties import Values
from ...runtime.budget import Budget
from ...runtime.records import CPU
from ...runtime.settings import Settings
from .cpu_properties import AUTO, BACKENDS, COUNT, STREAM_THREADS, THREADS, check_threads
from .model_properties import ON_ERROR
from .runtime_properties import PLAIN, SAMPLES, STATES

Backends = Callable[[str], tuple[Delegate, ...]]
"""Gives the CPU runtimes for a value of ``CPU_BACKENDS``."""


def budget_of(values: Values) -> Budget:
    """The limits of memory and steps for a prediction, from the values of properties."""
    memory = values.value("MEMORY_LIMIT")
    return Budget(memory if isinstance(memory, int) else None, values.number("STEP_LIMIT"))


def with_values(settings: Settings, runtime: Values, cpu: Values | None, backends: Backends) -> Settings:
    """The settings with the values of properties.

    Args:
        settings: the settings beside the properties, such as the delegates.
        runtime: the values of the runtime's properties.
        cpu: the values of the CPU's properties; None where the CPU takes no part.
        backends: gives the CPU runtimes.

    Raises:
        PropertyError: values of the CPU contradict each other.
        DelegateUnavailable: a CPU runtime cannot be made.
    """
    plain = runtime.effective(PLAIN) is True
    found = replace(
        settings,
        runtime=runtime,
        shared_state_buffers=runtime.value(STATES) == "SHARED",
        falls_back=runtime.value(ON_ERROR) == "FALLBACK",
        rewrites=settings.rewrites and not plain,
        folds=settings.folds and not plain,
        samples=str(runtime.value(SAMPLES)),
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
        measures_cpu_groups=cpu.value(BACKENDS) == AUTO,
    )
