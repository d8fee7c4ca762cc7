"""Hints at the option that a delegate needs, so that it counts the layers of its subgraphs."""

from __future__ import annotations

from collections.abc import Iterator

from ..basics.words.one_line import printable
from ..delegate import Delegate
from ..errors import LiteDelegateError
from ..inference.properties.cpu_properties import COUNT
from ..mindspore.model import Model
from ..properties import as_text
from .profile import TimeProfile


def uncounted(profile: TimeProfile, model: Model) -> Iterator[str]:
    """A line for each delegate with a subgraph that has no layers because its ``PERF_COUNT`` is NO."""
    delegates = model.compiled.delegates
    owners = {record.name: record.delegate for record in model.get_partition().subgraphs}
    without = {owners.get(each.name) for each in profile.subgraphs if not each.layers}
    for number, (name, delegate) in enumerate(delegates.items(), start=1):
        if name in without and _counts_on_request(delegate):
            option = f"{number}.{COUNT}" if len(delegates) > 1 else COUNT
            yield f"{printable(name)} counts no layers of subgraphs: --delegate-option {option}=YES shows their times."


def _counts_on_request(delegate: Delegate) -> bool:
    """True if a delegate would count layers, and was not asked to."""
    if COUNT not in {spec.name for spec in delegate.properties()}:
        return False
    try:
        return as_text(delegate.get_property(COUNT)) == "NO"
    except LiteDelegateError:  # only a device that is there would know
        return False
