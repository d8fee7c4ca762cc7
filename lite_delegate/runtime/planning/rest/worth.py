"""Whether a group of nodes is worth a call of a runtime: the time it saves over numpy, by estimates from shapes.

A node saves the time of calling numpy's kernel, and the time that numpy takes longer for each element. Both were
measured on two cores of an x86 server of the 2020s: over the conformance suite's cases for the calls, and with tensors
of up to a million elements. The figures favour numpy: a saving that is not known counts as nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ....basics.data_class import dataclass
from ....delegate import Kernel
from ....ir import DataType, custom_type
from ....ir import primitives as ir
from ....ir.traits import ELEMENTWISE, ElementPattern, of_pattern, traits_of
from ....ir.types.enums import ActivationType
from ....shapes.products import PRODUCTS
from ....tensors.tensor import Tensor
from ..timing.roofline import SIMPLE

CALL_US: Mapping[str, float] = MappingProxyType({"onnxruntime": 40.0})
"""Microseconds of a call of each runtime, from Python and back, with a margin: threads may have to be woken."""
OTHER_CALL_US = 100.0
"""Microseconds of a call of any other runtime: OpenVINO's requests took 25 us more, and waking its threads 25 us."""
LOADING_US = 1000.0
"""Microseconds that a second runtime must save in each prediction: loading it takes a quarter of a second."""
NS_PER_US = 1000.0
EIGHT_BITS = (DataType.INT8, DataType.UINT8)


@dataclass(frozen=True, slots=True)
class Saving:
    """The time that a runtime saves for one node.

    Attributes:
        call_us: microseconds, however small the tensors are.
        element_ns: nanoseconds for each element of the largest tensor that is no constant.
    """

    call_us: float
    element_ns: float = 0.0


PLAIN = Saving(4.0)
"""Most operators: the call of a kernel from Python; their elements take about the same time."""
STREAMED = Saving(4.0, -0.1)
"""A sum or a comparison: numpy is quicker where memory bandwidth counts."""
CURVED = Saving(20.0, 1.0)
"""Exponentials and the like."""
WINDOWED = Saving(30.0, 0.3)
QUANTIZED = Saving(60.0, 1.0)
"""Eight-bit integers, which numpy computes by way of float32."""
NOTHING = Saving(0.0)
_FUNCTIONS = [name for name in of_pattern(*ELEMENTWISE) if traits_of(name).functions > 1]
SAVINGS: Mapping[str, Saving] = MappingProxyType(
    {
        **dict.fromkeys(("AddFusion", "SubFusion", "MulFusion", "Maximum", "Minimum", "BiasAdd", "Concat"), STREAMED),
        **dict.fromkeys(_FUNCTIONS, Saving(5.0, 0.8)),
        **dict.fromkeys(("AvgPoolFusion", "MaxPoolFusion", "PadFusion"), WINDOWED),
        **dict.fromkeys(("Softmax", "LogSoftmax"), Saving(25.0, 2.0)),
        **dict.fromkeys(("LayerNormFusion", "InstanceNorm", "GroupNormFusion"), Saving(20.0, 1.0)),
        **dict.fromkeys(("QuantDTypeCast", "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel"), CURVED),
        **dict.fromkeys(
            of_pattern(ElementPattern.VIEW, ElementPattern.TRANSPOSE, ElementPattern.SHAPE)
            | {"Depend", "Cast", "Gather", "SliceFusion"},
            NOTHING,
        ),
        "Attention": Saving(60.0, 1.0),
        "Resize": Saving(20.0, 0.1),
        "TopKFusion": Saving(30.0),
        "ai.onnx.BatchNormalization": Saving(30.0, 1.0),
        "ai.onnx.Conv": Saving(60.0, 1.0),
        "ai.onnx.ConvTranspose": Saving(60.0, 1.0),
        "ai.onnx.DeformConv": Saving(500.0, 20.0),
        "ai.onnx.GridSample": Saving(300.0, 1.0),
    }
)
"""Savings by operator type, windows and products left out; an operator without an entry has ``PLAIN``."""
RECURRENT = ("GRU", "LSTM", "RNN")
STEP_US = 40.0
"""Each step of a recurrent operator, which is a dozen calls of numpy."""
PRODUCT_US = 10.0
WINDOW_US = 40.0
MAC_NS = 0.01
"""Nanoseconds of a multiply-accumulate of a convolution: numpy lays windows out for the matrix product."""
DEPTHWISE_MAC_NS = 0.1
INTEGER_MAC_NS = 0.02
"""Nanoseconds for a multiply-accumulate of integers, which numpy adds up in float32."""


def pays(kernels: Iterable[Kernel], runtime: str) -> bool:
    """Whether a runtime is faster for these kernels together than numpy, its call included."""
    return sum(map(saved_us, kernels)) >= CALL_US.get(runtime, OTHER_CALL_US)


def may_pay(kernels: Iterable[Kernel], runtime: str) -> bool:
    """Whether some of these kernels may make a group for which a runtime is faster."""
    return _most(kernels) >= CALL_US.get(runtime, OTHER_CALL_US)


def is_worth_loading(kernels: Iterable[Kernel]) -> bool:
    """Whether one more runtime may save enough for these kernels to be loaded beside another."""
    return _most(kernels) >= LOADING_US


def _most(kernels: Iterable[Kernel]) -> float:
    """The most that groups of these kernels can save, in microseconds."""
    return sum(max(0.0, saved_us(kernel)) for kernel in kernels)


def saved_us(kernel: Kernel) -> float:
    """Microseconds that a runtime takes less than numpy for a kernel, by estimate; unknown dimensions count as 1."""
    operator = kernel.type if kernel.primitive is None else custom_type(kernel.primitive)
    if operator.removeprefix("ai.onnx.") in RECURRENT:
        return STEP_US * _dims(kernel.inputs[0])[0]
    if kernel.type in PRODUCTS and len(kernel.inputs) > 1:
        return _product(kernel)
    saving = _curved(kernel) or SAVINGS.get(operator, PLAIN)
    if saving is not NOTHING and any(t.dtype in EIGHT_BITS for t in kernel.inputs):
        saving = QUANTIZED
    sizes = [math.prod(_dims(t)) for t in (*kernel.inputs, *kernel.outputs) if not t.is_const]
    return saving.call_us + saving.element_ns * max(sizes, default=0) / NS_PER_US


def _curved(kernel: Kernel) -> Saving | None:
    """The saving of an activation; None for other operators."""
    match kernel.primitive:
        case ir.Activation(activation_type=ActivationType.GELU):
            return Saving(40.0, 4.0)
        case ir.Activation(activation_type=activation):
            return PLAIN if activation in SIMPLE else CURVED
    return None


def _product(kernel: Kernel) -> float:
    x, weight, y = map(_dims, (*kernel.inputs[:2], kernel.outputs[0]))
    attributes = {} if kernel.primitive is None else kernel.primitive.attributes()
    macs = PRODUCTS[kernel.type](x, weight, y, attributes)
    is_window = kernel.type.startswith("Conv2")
    is_depthwise = kernel.type == "Conv2DFusion" and weight[-1] == 1 and weight[0] > 1
    mac_ns = DEPTHWISE_MAC_NS if is_depthwise else MAC_NS if is_window else 0.0
    if kernel.inputs[0].dtype in EIGHT_BITS:
        mac_ns = max(mac_ns, INTEGER_MAC_NS)
    return (WINDOW_US if is_window else PRODUCT_US) + macs * mac_ns / NS_PER_US


def _dims(tensor: Tensor) -> list[int]:
    return [max(1, size) for size in tensor.shape]
