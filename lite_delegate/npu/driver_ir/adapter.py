"""The compiler adapter: a part of a run as an in-memory model for the compiler in the driver."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import DelegateBuildError
from ...formats.ms import ms_bytes
from ...formats.ms.tensors.tensor_records import WeightSink
from ...ir import DataType, Graph, Node, Value
from ...tensors.tensor import Tensor
from ..compiler.parts import RunPart
from ..ir.target import Target
from ..profiles.digest import profile_hash
from .layout import BY_REFERENCE, VERSIONS, DriverIR, Version, agreed, text_of, written
from .options import plain_of

LOCATION = "weights"
"""Where constants are that stay where they are."""
NOTHING = Value("", DataType.FLOAT32, ())
"""The input of a graph that reads none, since the format wants one."""
LEAST_BYTES = 1024
"""Smaller constants are in the graph."""


class _References(WeightSink):
    """Keeps large constants in the order in which they come; the graph has their numbers."""

    def __init__(self) -> None:
        super().__init__(LOCATION, LEAST_BYTES)
        self.kept: list[memoryview] = []

    def store(self, record: dict[str, object], data: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> None:
        """Puts contents into a tensor's record, or their number."""
        if data.size < LEAST_BYTES:
            record["data"] = data
            return
        record["externalData"] = [{"location": LOCATION, "offset": len(self.kept), "length": data.size}]
        self.kept.append(data.data)


def driver_ir(part: RunPart, target: Target, theirs: Sequence[Version] = VERSIONS) -> DriverIR:
    """A part of a run, in the newest version that the driver's compiler takes.

    Args:
        part: the part of the run.
        target: the target to compile for.
        theirs: the versions that the compiler takes.

    Raises:
        DelegateBuildError: the two sides have no version in common.
    """
    version = agreed(theirs)
    if version is None:
        raise DelegateBuildError(
            f"The driver's compiler takes in-memory models of version {text_of(theirs)}, this delegate writes "
            f"{text_of(VERSIONS)}: update the older of the two."
        )
    sink = _References()
    graph = ms_bytes(_graph(part), sink)
    options = {
        "inputs": len(part.boundary.inputs),
        "profile": profile_hash(target.profile),
        "target": plain_of(target),
        "weights": [each.nbytes for each in sink.kept],
    }
    if version >= BY_REFERENCE:
        return DriverIR(memoryview(written(version, options, graph, ())), sink.kept)
    return DriverIR(memoryview(written(version, options, graph, sink.kept)))


def _graph(part: RunPart) -> Graph:
    """The kernels as nodes; constants are views of the tensors' contents."""
    values: dict[Tensor, Value] = {}

    def value(tensor: Tensor) -> Value:
        if tensor not in values:
            data = tensor.data if tensor.is_const else None
            shape = tuple(tensor.shape) if tensor.has_known_shape else None
            values[tensor] = Value(tensor.name, tensor.dtype, shape, tensor.format, data, tensor.quant_params)
        return values[tensor]

    nodes = []
    for kernel in part.kernels:
        if kernel.primitive is None:
            raise DelegateBuildError(f"Kernel '{kernel.name}' ({kernel.type}) has no operator to be compiled.")
        inputs = [None if each is None else value(each) for each in kernel.operands]
        outputs = [value(each) for each in kernel.outputs]
        nodes.append(Node(kernel.name, kernel.primitive, inputs, outputs, kernel.quant_type))
    enters, leaves = ([value(each) for each in side] for side in (part.boundary.inputs, part.boundary.outputs))
    return Graph("run", enters or [NOTHING], leaves, nodes)
