"""The file for a device's own runtime, of a compiled model that is one graph kernel."""

from __future__ import annotations

from collections.abc import Iterable

from ...basics.counted import counted
from ...delegate import Delegate, DeviceFile, Kernel
from ...errors import DelegateError
from ...runtime.records.records import PartitionRecord

MOST_NAMED = 3
"""Nodes that a message names."""


def device_file_of(record: PartitionRecord, kernels: Iterable[Kernel], delegates: Iterable[Delegate]) -> DeviceFile:
    """The file that a device loads in place of the model.

    Args:
        record: says where each node runs.
        kernels: the graph kernels of the model.
        delegates: the delegates that made the graph kernels.

    Raises:
        DelegateError: nodes stay on the CPU, several graph kernels share the model, or the delegate writes no files.
    """
    left = [node for node in record.nodes if node.subgraph is None]
    if left:
        named = ", ".join(f"'{node.name}' ({node.reason or node.code})" for node in left[:MOST_NAMED])
        more = f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else ""
        raise DelegateError(f"A file for a device holds a whole model, but the CPU runs {named}{more}.")
    made = list(kernels)
    if len(made) != 1:
        found = counted(len(made), "subgraph")
        raise DelegateError(f"A file for a device holds a model that is one subgraph, this model has {found}.")
    makers = list(delegates)
    for delegate in makers:
        file = delegate.device_file(made[0])
        if file is not None:
            return file
    names = ", ".join(f"'{name}'" for name in (each.name for each in makers))
    raise DelegateError(f"Delegate {names} writes no files for a device: -o FILE.ldm keeps the compiled model.")
