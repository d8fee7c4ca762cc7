"""The properties of the NPU: all of them in order, for a profile."""

from __future__ import annotations

from ...basics.processors import usable_processors
from ...properties import Choice, Integer, NameList, PropertySpec, Registry
from ..profiles import Profile
from .compiler_specs import compiler_specs
from .fact_specs import FACTS
from .running_specs import EXCLUSIVE, HINTS, LOG_AND_CACHE, ORDER, REQUESTS, SEQUENTIAL

MAX_THREADS = 1024
_LEVELS = "use the optimization-level of NPU_COMPILATION_MODE_PARAMS"
_BATCH = "it is of models, read it of one that is compiled for BATCH"
_CHECK = "use check_compatibility()"
POINTERS = {
    "NPU_QDQ_OPTIMIZATION": _LEVELS,
    "NPU_QDQ_OPTIMIZATION_AGGRESSIVE": _LEVELS,
    "NPU_COMPILER_DYNAMIC_QUANTIZATION": _LEVELS,
    "NPU_PLATFORM": "set DEVICE_ID",
    "MAX_BATCH_SIZE": _BATCH,
    "OPTIMAL_BATCH_SIZE": _BATCH,
    "NPU_COMPILER_TYPE": "there is one compiler, NPU_COMPILER_VERSION says which",
    "NPU_DISABLE_IDLE_MEMORY_PRUNING": "memory is given back when release_memory() is called, and not otherwise",
    "RUNTIME_REQUIREMENTS": _CHECK,
    "COMPATIBILITY_CHECK": _CHECK,
    "DEVICE_BIND_BUFFER": "requests take a device when they run",
}
"""Messages for names that people try."""


LISTS = (
    PropertySpec(
        "SUPPORTED_PROPERTIES",
        "the names of all properties",
        scope="kdc",
        aliases=("SUPPORTED_METRICS", "SUPPORTED_CONFIG_KEYS"),
    ),
    PropertySpec(
        "INTERNAL_SUPPORTED_PROPERTIES",
        "the names of properties that are for other components; empty, as the simulated NPU has none",
        scope="d",
    ),
)
"""Properties that list other properties."""


def registry_of(profile: Profile) -> Registry:
    """The properties that a device has."""
    specs = _specs(profile)
    names = tuple(spec.name for spec in specs)
    compiled = tuple(spec.name for spec in specs if spec.compiled and not spec.read_only)
    caching = PropertySpec(
        "CACHING_PROPERTIES",
        "what identifies a compiled program: written into blobs and compared by whoever keeps programs. "
        "Properties may be added; those that change programs cannot be left out",
        NameList(("CACHING_PROPERTIES", *names), frozenset(compiled)),
        compiled,
        values="names of properties",
        usual="those that change programs",
    )
    return Registry("The NPU", [specs[0], caching, *specs[1:]], POINTERS)


def _specs(profile: Profile) -> tuple[PropertySpec, ...]:
    running = (*REQUESTS, *HINTS, *ORDER, *LOG_AND_CACHE, _device_id(profile), EXCLUSIVE, SEQUENTIAL)
    return (*LISTS, _threads(), *running, *FACTS, *compiler_specs(profile))


def _threads() -> PropertySpec:
    threads = min(usable_processors(), MAX_THREADS)
    return PropertySpec(
        "COMPILATION_NUM_THREADS",
        "threads that pack constants (weights) while a model is built",
        Integer(1, MAX_THREADS),
        threads,
        scope="dc",
        when="L",
        usual="CPUs of this process",
    )


def _device_id(profile: Profile) -> PropertySpec:
    return PropertySpec(
        "DEVICE_ID",
        "which of several devices, platforms or profiles: `NPU` with 4000 is `NPU.4000`, with 1 it is `NPU.1`, the "
        "second that LITE_DELEGATE_NPU_DEVICES lists. Of a delegate that was made for a profile it is a check: another "
        "platform is rejected",
        Choice(("", profile.platform)),
        scope="dc",
        when="C",
        values="empty, an id, a number, a platform or a profile; of a delegate empty or its platform",
    )
