"""InstanceNorm: normalization of each channel of each image by its own mean and variance."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import InstanceNorm
from ..device.moments import NormalizeMoments
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of, required


def lower_instance_norm(kernel: Kernel, builder: Builder) -> None:
    """Emits the instruction. Channels are the last model axis, the axes between them and the first are normalized."""
    x = required(kernel, 0)
    rank, channels = len(x.shape), x.shape[-1]
    instruction = NormalizeMoments(tuple(range(1, rank - 1)), primitive_of(kernel, InstanceNorm).epsilon)
    shape = (1,) * (rank - 1) + (channels,)
    affine = [builder.read_as(required(kernel, position), shape) for position in (1, 2)]
    builder.define(kernel.outputs[0], instruction, [builder.read(x), *affine])


LOWERING = Lowering("InstanceNorm", lower_instance_norm)
