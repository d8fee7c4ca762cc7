"""Arithmetic per channel: a factor and an offset along the last axis."""

from __future__ import annotations

import numpy as np

from ....basics.data_class import dataclass
from ....ir import Node, Value
from ...framework.draft import Array, Draft
from ...framework.specs import Specs


@dataclass(frozen=True, slots=True)
class Channels:
    """``source * factor + offset``, along the last axis.

    Attributes:
        source: the value that is scaled and shifted.
        factor: one number for each channel or one number for all, float64; None for exactly 1.
        offset: as ``factor``; zeros without an offset.
    """

    source: Value
    factor: Array | None
    offset: Array


def channels_of(node: Node, draft: Draft, specs: Specs) -> Channels | None:
    """The arithmetic of a node on each channel; None where it does anything else, or not by constants."""
    if any(draft.readers(v) or draft.is_output(v) for v in node.outputs[1:]):
        return None
    with np.errstate(all="ignore"):
        match node.op_type:
            case "BatchNorm" | "FusedBatchNorm":
                found = _normalized(node, draft)
            case "ScaleFusion":
                found = _scaled(node, draft, specs)
            case "BiasAdd" | "AddFusion" | "SubFusion" | "MulFusion" | "DivFusion":
                found = _arithmetic(node, draft, specs)
            case _:
                return None
    if found is None or found.source.is_constant:
        return None
    numbers = [found.offset] if found.factor is None else [found.factor, found.offset]
    return found if all(np.isfinite(n).all() for n in numbers) else None


def _normalized(node: Node, draft: Draft) -> Channels | None:
    arrays = [draft.constant(v) for v in node.inputs[1:]]
    known = [a.astype(np.float64) for a in arrays if a is not None]
    if node.inputs[0] is None or len(known) != len(arrays):
        return None
    epsilon = node.primitive.attributes()["epsilon"]
    scale, offset, mean, variance = known if node.op_type == "FusedBatchNorm" else [np.ones(1), np.zeros(1), *known]
    factor = scale / np.sqrt(variance + epsilon)
    return Channels(node.inputs[0], factor, offset - mean * factor)


def _scaled(node: Node, draft: Draft, specs: Specs) -> Channels | None:
    source, scale = node.inputs[0], draft.constant(node.inputs[1])
    offset = draft.constant(node.inputs[2]) if len(node.inputs) > 2 and node.inputs[2] is not None else np.zeros(1)
    spec = specs.get(source) if source is not None else None
    if source is None or scale is None or offset is None or spec is None or spec.rank is None or scale.ndim != 1:
        return None
    if node.primitive.attributes()["axis"] not in (-1, spec.rank - 1):
        return None
    return Channels(source, scale.astype(np.float64), offset.astype(np.float64))


def _arithmetic(node: Node, draft: Draft, specs: Specs) -> Channels | None:
    for side in (1, 0) if node.op_type in ("AddFusion", "MulFusion") else (1,):
        source, numbers = node.inputs[1 - side], draft.constant(node.inputs[side])
        if source is not None and numbers is not None and _is_per_channel(source, numbers, specs):
            flat = numbers.reshape(-1).astype(np.float64)
            match node.op_type:
                case "MulFusion":
                    return Channels(source, flat, np.zeros(1))
                case "DivFusion":
                    return Channels(source, 1 / flat, np.zeros(1))
                case "SubFusion":
                    return Channels(source, None, -flat)
                case _:
                    return Channels(source, None, flat)
    return None


def _is_per_channel(source: Value, numbers: Array, specs: Specs) -> bool:
    spec = specs.get(source)
    if spec is None or not spec.shape or numbers.ndim > len(spec.shape) or numbers.dtype.kind != "f":
        return False
    return numbers.size == 1 or numbers.shape[-1] == numbers.size == spec.shape[-1]
