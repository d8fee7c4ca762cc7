"""Properties of the runtime, for models of every device."""

from __future__ import annotations

from collections.abc import Mapping

from ...properties import Choice, PropertySpec, Registry, Text, YesNo
from ...runtime.settings import Settings
from .build_properties import implied_plainness
from .cache_properties import CACHE_PROPERTIES
from .model_properties import ON_ERROR

MMAP = "ENABLE_MMAP"
STATES = "STATE_BUFFERS"
PLAIN = "DISABLE_TRANSFORMATIONS"
SAMPLES = "SAMPLES"
RUNTIME_PROPERTIES = (
    *CACHE_PROPERTIES,
    PropertySpec(
        STATES,
        "SHARED: a new value of a request's state takes the place of the old one without the copies "
        "that a request lists. SEPARATE: it is copied in and out",
        Choice(("SEPARATE", "SHARED")),
        "SEPARATE",
        scope="kdc",
        when="L",
    ),
    PropertySpec(
        ON_ERROR,
        "the outcome of a run in which a graph kernel fails: RAISE is a DelegateExecuteError, FALLBACK lets the CPU "
        "run the subgraph. A model that was compiled with FALLBACK can be switched at run time; one that was compiled "
        "with RAISE has no CPU kernels for it. A device that has to take the whole model cannot have FALLBACK",
        Choice(("RAISE", "FALLBACK")),
        "RAISE",
        scope="kdc",
        when="LR",
    ),
    PropertySpec(
        MMAP,
        "YES: the files of a model are mapped, and must not be cut or written to while it lives. NO: the model's "
        "files are read into memory",
        YesNo(),
        True,
        scope="kd",
        when="L",
    ),
    PropertySpec(
        PLAIN,
        "YES: nothing is folded, fused or rewritten; what the runtime needs to run the model at all is still done",
        YesNo(),
        False,
        scope="kdc",
        when="C",
        implied=implied_plainness,
    ),
    PropertySpec(
        SAMPLES,
        "a .npz file of representative inputs for delegates that ask for them, such as those that quantize: an array "
        "for each input, of which the first axis numbers the samples; empty: no samples",
        Text("the path of a file, or nothing"),
        "",
        scope="kdc",
        when="C",
    ),
)
RUNTIME = Registry("The runtime", RUNTIME_PROPERTIES)


def copies_files(settings: Settings) -> bool:
    """Whether files are read into memory instead of mapped."""
    return settings.runtime is not None and settings.runtime.value(MMAP) is False


def of_runtime(properties: Mapping[str, object]) -> dict[str, object]:
    """The given properties of the runtime."""
    return {name: value for name, value in properties.items() if name in RUNTIME}


def not_of_runtime(properties: Mapping[str, object]) -> dict[str, object]:
    """The given properties of devices."""
    return {name: value for name, value in properties.items() if name not in RUNTIME}
