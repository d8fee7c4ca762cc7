"""The estimated cost of a tensor's way between host and device."""

from __future__ import annotations

from ...ir.types.data_type import has_numpy, to_numpy
from ...tensors.tensor import Tensor
from ..ir.layout import TO_NCHW
from ..ir.target import Target
from ..profiles.profile import FLOATING
from .cycles import transfer_cycles
from .stretches import permuted_stretches


def crossing_us(tensor: Tensor, target: Target) -> float | None:
    """Microseconds of one transfer, through one DMA engine; None where the size is not known.

    Real numbers cross in the type in which the device keeps them. A tensor of four dimensions is packed on the way,
    from NHWC to NCHW; where the target's layout is NHWC it crosses as it is, and a second transfer packs it.
    """
    if not tensor.has_known_shape or not has_numpy(tensor.dtype):
        return None
    shape = tuple(tensor.shape)
    stored = target.storage if tensor.dtype in FLOATING else tensor.dtype
    nbytes = tensor.element_num * to_numpy(stored).itemsize
    memory = target.profile.memory
    stretches = permuted_stretches(shape, TO_NCHW) if len(shape) == len(TO_NCHW) else 1
    cycles = transfer_cycles(nbytes, max(1, stretches), memory)
    if stretches > 1 and target.compute_layout == "NHWC":
        cycles += transfer_cycles(nbytes, 1, memory)
    return cycles / target.clock_mhz
