"""Estimates of the times of kernels on the CPU, from shapes alone: work over speed, or bytes over bandwidth.

The model is a roofline (Williams, Waterman, Patterson: Roofline, CACM 52(4), 2009) with a fixed price of each call:
``CALL_US + max(work / speed, bytes / BYTES_PER_US)``. Work is multiply-accumulates for products and windows, elements
of the output times ``Traits.functions`` for everything else. ``Traits.functions`` and ``CURVED`` are ratios that
``tools.function_costs`` measured. The other constants are round numbers for the CPU kernels of this package on one core
of a server of the 2020s; ``docs/report.md`` says how far measured times are from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ....delegate import Kernel
from ....ir import primitives as ir
from ....ir.traits import VIEWS, traits_of
from ....ir.types.enums import ActivationType
from ....shapes.products import PRODUCTS
from ....tensors.tensor import Tensor
from ...binding.host_kernel import HostKernel

CALL_US = 5.0
"""Each call: Python, checks, the allocation of outputs."""
STEP_US = 50.0
"""Each step of a recurrent operator: a dozen calls of numpy."""
MACS_PER_US = 20_000.0
"""Multiply-accumulates of matrix products and convolutions: 20 * 10^9 in a second."""
DEPTHWISE_MACS_PER_US = 1_000.0
"""The speed of depthwise convolutions: each channel has its own few weights, so they are no matrix product."""
ELEMENTS_PER_US = 1_500.0
"""Additions of two elements."""
BYTES_PER_US = 10_000.0
"""Bytes that are read and written: 10 * 10^9 in a second."""

SIMPLE = frozenset({ActivationType.NO_ACTIVATION, ActivationType.RELU, ActivationType.RELU6, ActivationType.RELU1})
"""Activations of one comparison or two; an element of each other activation counts as ``CURVED`` additions."""
CURVED = 10.0
"""The median of the measured activations, which are from 2 (SOFTSIGN) to 20 (GELU)."""


def host_us(kernel: Kernel) -> float:
    """Microseconds that a kernel is estimated to take on the CPU; 0 for a kernel that is part of the runtime itself.

    Unknown dimensions count as 1.
    """
    if isinstance(kernel, HostKernel):
        return 0.0
    if kernel.type in VIEWS:
        return CALL_US
    return CALL_US + max(_work_us(kernel), sum([t.data_size for t in (*kernel.inputs, *kernel.outputs)]) / BYTES_PER_US)


def _work_us(kernel: Kernel) -> float:
    macs = _MACS.get(kernel.type)
    if macs is not None and len(kernel.inputs) > 1:
        return macs(kernel)
    elements = sum(map(_elements, kernel.outputs))
    match kernel.primitive:
        case ir.AvgPoolFusion(global_=False) | ir.MaxPoolFusion(global_=False) as pool:
            return elements * math.prod(pool.kernel_size or (1,)) / ELEMENTS_PER_US
        case ir.AvgPoolFusion() | ir.MaxPoolFusion() | ir.ReduceFusion():
            return _elements(kernel.inputs[0]) / ELEMENTS_PER_US
        case ir.Activation(activation_type=activation) if activation not in SIMPLE:
            return elements * CURVED / ELEMENTS_PER_US
    return elements * traits_of(kernel.type).functions / ELEMENTS_PER_US


def _product(kernel: Kernel) -> float:
    """A convolution whose channels have weights of their own is no matrix product, and slower."""
    x, weight, y = map(_dims, (*kernel.inputs[:2], kernel.outputs[0]))
    attributes = {} if kernel.primitive is None else kernel.primitive.attributes()
    is_depthwise = kernel.type == "Conv2DFusion" and weight[-1] == 1 and weight[0] > 1
    return PRODUCTS[kernel.type](x, weight, y, attributes) / (DEPTHWISE_MACS_PER_US if is_depthwise else MACS_PER_US)


def _recurrent(kernel: Kernel) -> float:
    """Each row (a step of a sequence of the batch) meets each element of the constants; steps follow each other."""
    x = _dims(kernel.inputs[0])
    weights = sum(_elements(t) for t in kernel.inputs[1:] if t.is_const)
    return x[0] * STEP_US + math.prod(x[:-1]) * weights / MACS_PER_US


_MACS: Mapping[str, Callable[[Kernel], float]] = MappingProxyType(
    {
        "Conv2DFusion": _product,
        "Conv2dTransposeFusion": _product,
        "FullConnection": _product,
        "GRU": _recurrent,
        "LSTM": _recurrent,
        "MatMulFusion": _product,
    }
)
"""Microseconds of operators whose work is multiply-accumulates."""


def _dims(tensor: Tensor) -> list[int]:
    """The dimensions of a tensor; unknown dimensions, and an unknown rank, count as 1."""
    return [max(1, size) for size in tensor.shape]


def _elements(tensor: Tensor) -> int:
    return math.prod(_dims(tensor))
