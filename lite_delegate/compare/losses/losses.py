"""Losses: the kernels of a subgraph at which digits get lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from lite_delegate_kernels import Array

from ...errors import LiteDelegateError
from ...ir import DataType
from ...numerics.errors import snr_db
from ...numerics.precision import precision_of
from ...runtime.records import sources_of
from ...tensors.tensor import Tensor
from ..loss import BIT_DB, Loss
from ..subgraphs.subgraph import Subgraph

NOTHING_LEFT = -100.0
"""Stands for a tensor of which nothing is left: NaN or infinite, or noise where zeros should be."""
WORTH_SHOWING = 2.0
"""Binary digits that a kernel must lose to be shown."""


def losses_of(
    subgraph: Subgraph, number: int, rounded: Mapping[Tensor, Array], exact: Mapping[Tensor, Array]
) -> Iterator[Loss]:
    """The losses of the nodes of a subgraph that give real numbers, in execution order.

    Args:
        subgraph: the nodes.
        number: the number of the subgraph's run.
        rounded: every tensor of the rounded run.
        exact: every tensor of the exact run.
    """
    storage = subgraph.judge.storage
    assert storage is not None
    most = holds_db(storage)
    found = {tensor: _ratio(rounded[tensor], exact[tensor], most) for tensor in exact if tensor in rounded}
    for node in subgraph.nodes:
        outputs = [db for tensor in node.outputs if (db := found.get(tensor)) is not None]
        if outputs:
            in_db = min([most, *(db for t in node.inputs if (db := found.get(t)) is not None)])
            yield Loss(node.name, node.type, subgraph.name, number, in_db, min(outputs), sources=sources_of((node,)))


def largest(losses: Sequence[Loss], most: int) -> list[Loss]:
    """The largest losses that are worth showing, the largest first."""
    found = [loss for loss in losses if loss.lost_bits >= WORTH_SHOWING]
    return sorted(found, key=lambda loss: -loss.lost_db)[:most]


def on_device(loss: Loss, subgraph: Subgraph, given: Sequence[Array], pure: Sequence[Array]) -> Loss:
    """The loss with the result of the subgraph's prefix up to the kernel, built and run on the device.

    What the kernel reads are outputs of the prefix, too, so the device stores them even where it fuses them otherwise.

    Args:
        loss: the loss that the emulation found.
        subgraph: the subgraph of the kernel.
        given: the inputs of the subgraph on the device.
        pure: its inputs in the reference run.
    """
    index = next(i for i, node in enumerate(subgraph.nodes) if node.name == loss.kernel)
    node = subgraph.nodes[index]
    try:
        got, want = subgraph.prefix(index, given, pure)
    except LiteDelegateError as e:
        return replace(loss, note=f"the prefix that ends at '{loss.kernel}' could not be tried: {e}")
    storage = subgraph.judge.storage
    most = holds_db(storage or DataType.FLOAT32)
    ratios = {tensor: _ratio(got[tensor], want[tensor], most) for tensor in got}
    return replace(
        loss, device_in_db=_worst(node.inputs, ratios, most), device_out_db=_worst(node.outputs, ratios, most)
    )


def holds_db(storage: DataType) -> float:
    """The signal-to-noise ratio in dB of numbers that were rounded to a type once: half of a step is the most it adds,
    a quarter is usual.
    """
    return BIT_DB * (precision_of(storage).digits + 2)


def _ratio(got: Array, want: Array, most: float) -> float | None:
    """The ratio in dB, between ``NOTHING_LEFT`` and ``most``; None of what are no real numbers, or of no elements."""
    if want.dtype.kind != "f" or want.size == 0:
        return None
    if got.shape != want.shape or got.dtype != want.dtype:
        return NOTHING_LEFT
    with np.errstate(all="ignore"):
        found = snr_db(got, want)
    return NOTHING_LEFT if found is None else float(np.clip(found, NOTHING_LEFT, most))


def _worst(tensors: Sequence[Tensor], ratios: Mapping[Tensor, float | None], most: float) -> float:
    return min([most, *(db for tensor in tensors if (db := ratios.get(tensor)) is not None)])
