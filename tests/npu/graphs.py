"""Kernels, models and single predictions that the NPU tests share; no runtime is involved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite_delegate.delegate import DelegateModel, Kernel, Supported
from lite_delegate.ir import DataType, custom_primitive, make_primitive
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.tensors.tensor import Tensor

Array = np.ndarray[Any, Any]


class HostKernel(Kernel):
    """A kernel that must never run: the NPU takes it, or it is only looked at."""

    def execute(self) -> None:
        raise AssertionError(f"host kernel '{self.name}' ran")


def variable(name: str, shape: Sequence[int] | None, dtype: DataType = DataType.FLOAT32) -> Tensor:
    return Tensor.describe(name, dtype, None if shape is None else tuple(shape))


def const(name: str, data: Array | np.generic) -> Tensor:
    tensor = Tensor(np.asarray(data))
    tensor.name, tensor.is_const = name, True
    tensor.data.flags.writeable = False
    return tensor


def ints(*values: int) -> Tensor:
    return const("ints", np.array(values, np.int32))


def node(
    op_type: str,
    inputs: Sequence[Tensor | None],
    shape: Sequence[int] | None,
    /,
    dtype: DataType = DataType.FLOAT32,
    **attributes: Any,
) -> HostKernel:
    """A kernel with one output of that shape; its name is its operator's."""
    return HostKernel(
        op_type, op_type, inputs, [variable(f"{op_type}:0", shape, dtype)], make_primitive(op_type, **attributes)
    )


def node_with_outputs(
    op_type: str,
    inputs: Sequence[Tensor | None],
    shapes: Sequence[Sequence[int]],
    dtype: DataType = DataType.FLOAT32,
    **attributes: Any,
) -> HostKernel:
    """A kernel with one output for each shape; its name is its operator's. One with a domain is a Custom node."""
    outputs = [variable(f"{op_type}:{i}", shape, dtype) for i, shape in enumerate(shapes)]
    custom = "." in op_type
    primitive = custom_primitive(op_type, attributes) if custom else make_primitive(op_type, **attributes)
    return HostKernel(op_type, "Custom" if custom else op_type, inputs, outputs, primitive)


def out(kernel: Kernel) -> Tensor:
    return kernel.outputs[0]


def model_of(kernels: Sequence[Kernel], outputs: Sequence[Tensor]) -> DelegateModel:
    """A model with all kernels in one run; its inputs are what no kernel makes and is no constant."""
    made = {t for k in kernels for t in k.outputs}
    inputs = dict.fromkeys(t for k in kernels for t in k.inputs if t not in made and not t.is_const)
    return DelegateModel(kernels, list(inputs), outputs, [range(len(kernels))])


def graph_of(kernels: Sequence[Kernel], outputs: Sequence[Tensor], delegate: NPUDelegate | None = None) -> NPUGraph:
    """The prepared graph kernel for all kernels, each of which the delegate must claim."""
    npu = NPUDelegate() if delegate is None else delegate
    npu.init()
    for kernel in kernels:
        assert npu.supports(kernel) == Supported()
    model = model_of(kernels, outputs)
    npu.build(model)
    (graph,) = model
    assert isinstance(graph, NPUGraph)
    graph.prepare()
    return graph


def predict(
    kernels: Sequence[Kernel], feeds: dict[Tensor, Array], *outputs: Tensor, delegate: NPUDelegate | None = None
) -> list[Array]:
    """The outputs of a model that runs on the NPU alone; the last kernel's output when none are named."""
    wanted = outputs or (out(kernels[-1]),)
    graph = graph_of(kernels, wanted, delegate)
    for tensor, array in feeds.items():
        tensor.data = array
    graph.execute()
    return [t.data for t in wanted]


def small_ints(shape: Sequence[int], seed: int, low: int = -2, high: int = 3) -> Array:
    """Random whole numbers: float16 holds them, and sums of their products up to 2048, without any error."""
    return np.random.default_rng(seed).integers(low, high, tuple(shape)).astype(np.float32)


def half(shape: Sequence[int], seed: int) -> Array:
    """Random float16 numbers from a normal distribution."""
    return np.random.default_rng(seed).standard_normal(tuple(shape)).astype(np.float16)
