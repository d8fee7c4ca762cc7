"""All patterns."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...basics.similar import did_you_mean
from ...errors import LiteDelegateError
from .convolutional import blocks, branches, residuals
from .neighbors import reduced_views, views_of_reductions
from .pairs import pairs
from .pattern import Pattern
from .quantized import quantized
from .sharing import shared_constants, shared_inputs, shared_outputs
from .sums import long_sums
from .transformers import attention, layouts, mlps, normalizations
from .walks import walks

MAKERS = (
    *(pairs, blocks, residuals, branches, mlps, attention, normalizations, layouts, quantized, long_sums, walks),
    *(shared_inputs, shared_outputs, shared_constants, reduced_views, views_of_reductions),
)


def all_patterns(op_types: Collection[str] = (), names: Collection[str] = ()) -> Iterator[Pattern]:
    """The patterns, in a fixed order.

    Args:
        op_types: only those that have no other operators; none: all.
        names: only those of these families, names or ids (``FAMILY-NAME``); none: all.

    Raises:
        LiteDelegateError: a name that no pattern has.
    """
    wanted = frozenset(names)
    made = [pattern for maker in MAKERS for pattern in maker()]
    known = {p.family for p in made} | {p.name for p in made} | {p.id for p in made}
    for name in sorted(wanted):
        if name not in known:
            raise LiteDelegateError(
                f"No pattern or family of patterns is named '{name}'{did_you_mean(name, sorted(known)) or '.'}"
            )
    for pattern in made:
        is_wanted = not wanted or not wanted.isdisjoint((pattern.family, pattern.name, pattern.id))
        if is_wanted and (not op_types or pattern.operators <= set(op_types)):
            yield pattern
