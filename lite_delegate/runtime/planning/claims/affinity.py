"""Affinity: the user's own plan, which names the device for each node."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ....basics.similar import did_you_mean
from ....delegate import Kernel, RejectCode, Rejected
from ....errors import InputError, PlacementError
from ...records.records import CPU, NodeRecord, is_cpu

SHOWN = 3
"""Nodes that a message names."""


def check_affinity(affinity: Mapping[str, str], nodes: Collection[str], delegates: Sequence[str]) -> None:
    """Checks that all nodes and devices of a user's plan exist.

    Raises:
        InputError: a node or device does not exist; the message has similar names.
    """
    for node, device in affinity.items():
        if node not in nodes:
            raise InputError(f"affinity: expected names of nodes, found '{node}'{did_you_mean(node, nodes) or '.'}")
        if not is_cpu(device) and device not in delegates:
            known = ", ".join(map(repr, (*delegates, CPU)))
            raise InputError(f"affinity: node '{node}': expected one of the devices {known}, found '{device}'.")


def kept_from(affinity: Mapping[str, str], kernel: Kernel, delegate: str) -> Rejected | None:
    """Why a delegate is not asked for a kernel; None where the plan leaves it free or gives it to the delegate."""
    device = affinity.get(kernel.name, delegate)
    if device == delegate:
        return None
    return Rejected(RejectCode.POLICY, f"its affinity is to {CPU if is_cpu(device) else repr(device)}")


def check_met(
    affinity: Mapping[str, str], nodes: Iterable[NodeRecord], rejections: Mapping[tuple[str, str], Rejected]
) -> None:
    """Checks that each node runs where the plan puts it.

    Args:
        affinity: the plan.
        nodes: where each node of the model runs.
        rejections: why a delegate does not run a node, by the names of both.

    Raises:
        PlacementError: one does not; the message has the code and the reason.
    """
    missed = []
    for node in nodes:
        device = affinity.get(node.name, node.device)
        if device != node.device and not (is_cpu(device) and node.device == CPU):
            why = rejections.get((device, node.name))
            text = "" if why is None else f": {why.code}: {why.reason}"
            missed.append(f"'{node.name}' ({node.type}) cannot run on '{device}'{text}")
    if missed:
        more = f"; and {len(missed) - SHOWN} more" if len(missed) > SHOWN else ""
        raise PlacementError(
            f"affinity: node {'; '.join(missed[:SHOWN])}{more}. Take the nodes out of the plan, or put them elsewhere."
        )
