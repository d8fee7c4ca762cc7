"""Build options and limits of a model: attributes of contexts and options of commands, but no properties of Core."""

from __future__ import annotations

from ...properties import Choice, Integer, Or, PropertySpec, Values, YesNo
from ...runtime.budget import DEFAULT_STEPS

OPTIMIZE = "OPTIMIZE"
REWRITE = "REWRITE"
NO_LIMIT = "NONE"

BUILD_PROPERTIES = (
    PropertySpec(
        "STRICT",
        "YES: building a model fails if any kernel would run on the CPU",
        YesNo(),
        False,
        scope="",
        when="C",
    ),
    PropertySpec(
        "REQUIRE_DELEGATES",
        "YES: a delegate whose device is not there is an error. NO: other delegates and the CPU run its part",
        YesNo(),
        False,
        scope="",
        when="C",
    ),
    PropertySpec(
        "PLAN_ONLY",
        "YES: a model is planned and compiled for its report, and cannot predict",
        YesNo(),
        False,
        scope="",
        when="C",
    ),
    PropertySpec(
        OPTIMIZE,
        "GENERAL: an imported graph is folded and fused, and values that follow from the shapes are constants in "
        "plans. NONE: the graph stays as it was imported",
        Choice(("NONE", "GENERAL")),
        "GENERAL",
        scope="",
        when="C",
    ),
    PropertySpec(
        REWRITE,
        "YES: a node that exceeds a delegate's limits is rewritten to an equal form that does not. NO: delegates are "
        "asked about nodes as they are",
        YesNo(),
        True,
        scope="",
        when="C",
    ),
    PropertySpec(
        "MEMORY_LIMIT",
        "bytes that a prediction may take at most; NONE: the memory at hand",
        Or(NO_LIMIT, Integer(1)),
        NO_LIMIT,
        scope="",
        when="L",
    ),
    PropertySpec(
        "STEP_LIMIT",
        "steps that a prediction may take at most: calls of loops, and millions of terms of one kernel",
        Integer(1),
        DEFAULT_STEPS,
        scope="",
        when="L",
    ),
)
REFERENCE_KERNELS = PropertySpec(
    "REFERENCE_KERNELS",
    "YES: the CPU runs reference kernels also where it has fast kernels",
    YesNo(),
    False,
    scope="",
    when="L",
)


def implied_plainness(values: Values) -> tuple[object, str] | None:
    """DISABLE_TRANSFORMATIONS of a context whose options OPTIMIZE and REWRITE are both off; None otherwise."""
    if OPTIMIZE not in values.registry or values.value(OPTIMIZE) != "NONE" or values.value(REWRITE):
        return None
    return True, f"{OPTIMIZE} NONE and {REWRITE} NO"
