"""Tables of 256 entries: requantization of stored integers, and functions of single elements."""

from __future__ import annotations

import numpy as np

from ....delegate import Boundary, Kernel
from ....ir.types.data_type import DataType, to_numpy
from ....ir.types.enums import ActivationType
from ....semantics.quantization import Parameters, per_tensor
from ....tensors.tensor import Array, Tensor
from ...device import Device
from ...device.instructions.quantized_conversion import Dequantize, Quantize
from ...device.instructions.quantized_lookup import ByteLookup
from ...device.instructions.quantized_scaling import half_away
from ...device.programs.program import ElementType
from ...ir.builder import Builder, elements_for
from ...semantics.kernel_view import with_tensors
from ..record import Lower
from .bounds import bounds_of

NO_ACTIVATION = ActivationType.NO_ACTIVATION


def every_integer(dtype: DataType) -> Array:
    """All 256 integers of a type, in the order of their bits read as unsigned numbers."""
    return np.arange(256, dtype=np.uint8).view(to_numpy(dtype))


def requantizing(
    source: Parameters, target: Parameters, dtype: DataType, activation: ActivationType = NO_ACTIVATION
) -> ByteLookup:
    """The table from the integers of one parameter to the integers of another that stand for the nearest number.

    Halves are rounded away from zero, before the zero point is added; the activation's bounds come last.
    """
    low, high = bounds_of(activation, target, dtype)
    q = every_integer(dtype).astype(np.float64)
    if source != target:
        q = half_away((q - source.zero_point) * (source.scale / target.scale)) + target.zero_point
    return ByteLookup(tuple(int(v) for v in np.clip(q, low, high)), ElementType(to_numpy(dtype).name))


def function_table(kernel: Kernel, lower: Lower) -> ByteLookup:
    """The table of a function of single elements: the device's float32 results for all 256 integers.

    Args:
        kernel: a kernel with one input and one output, each with one scale.
        lower: lowers the operator on real numbers.
    """
    x, out = kernel.inputs[0], kernel.outputs[0]
    source, target = per_tensor(x), per_tensor(out)
    reals = Dequantize((source.scale,), (source.zero_point,)).run([every_integer(x.dtype)])
    element = ElementType(to_numpy(out.dtype).name)
    with np.errstate(all="ignore"):
        results = Quantize((target.scale,), (target.zero_point,), element).run([_evaluated(kernel, lower, reals)])
    return ByteLookup(tuple(int(v) for v in results), element)


def _evaluated(kernel: Kernel, lower: Lower, reals: Array) -> Array:
    """The function of ``reals``, float32 of rank 1, by a program of its own."""
    x, y = (Tensor.describe(name, DataType.FLOAT32, reals.shape) for name in ("x", "y"))
    builder = Builder(Boundary((x,), (y,), ()), elements_for(ElementType.FLOAT32))
    builder.begin(kernel)
    lower(with_tensors(kernel, [x], [y]), builder)
    module, device = builder.finish(), Device()
    device.open()
    return device.run(device.load(module.program(), module.pack_constants()), [reals])[0]
