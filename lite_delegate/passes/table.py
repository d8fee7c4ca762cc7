"""Every pass over graphs by its name, as the command line takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..basics.similar import did_you_mean
from ..errors import InputError
from .constants.dequantize_weights import DequantizeWeightsPass
from .constants.unpack_constants import UnpackConstantsPass
from .framework.graph_pass import GraphPass
from .optimize import GENERAL

PASSES: Mapping[str, GraphPass] = {
    each.name: each for each in (*GENERAL, UnpackConstantsPass(), DequantizeWeightsPass())
}
"""All passes in the order of listings: the passes of the level "general", then the passes of every build."""


def passes_named(names: Sequence[str]) -> tuple[GraphPass, ...]:
    """Passes in the order in which they are named; a pass may be named again.

    Raises:
        InputError: a pass is unknown; the message has similar names.
    """
    for name in names:
        if name not in PASSES:
            hint = did_you_mean(name, PASSES) or f"; there are: {', '.join(PASSES)}."
            raise InputError(f"There is no pass '{name}'{hint}")
    return tuple(PASSES[name] for name in names)


def summary(each: GraphPass) -> str:
    """A sentence on a pass: the first line of its docstring."""
    return (type(each).__doc__ or "").partition("\n")[0]
