"""Models for tests of compiled models' files, and delegates that can and cannot export."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np

from lite_delegate import Delegate, DelegateBuildError, DelegateModel, Kernel, Rejected, Supported, Tensor
from lite_delegate.delegate import RejectCode
from lite_delegate.inference import CompiledModel, compile_graph
from lite_delegate.ir import Graph, constant
from lite_delegate.runtime.settings import Settings
from tests.runtime.graphs import binary, unary, value

RNG = np.random.default_rng(7)
WEIGHT = RNG.standard_normal((32, 32)).astype(np.float32)
X = RNG.standard_normal((32, 32)).astype(np.float32)


def weighted() -> Graph:
    """x -> + weight (4 KiB) -> ReLU -> + 1."""
    x = value("x", (32, 32))
    first = binary("first", x, constant("weight", WEIGHT))
    second = unary("second", first.outputs[0])
    last = binary("last", second.outputs[0], constant("one", np.ones((1,), np.float32)))
    return Graph("main", [x], [last.outputs[0]], [first, second, last])


class Adding(Kernel):
    """y = x + a number, which stands for any run of ReLU."""

    def __init__(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], number: float) -> None:
        super().__init__(name, "Adding", inputs, outputs)
        self.number = number

    def execute(self) -> None:
        self.outputs[0].data = np.maximum(self.inputs[0].data, 0) + np.float32(self.number)


class ExportingDelegate(Delegate):
    """Takes activations; its graph kernels add a number, so that a result shows who computed it."""

    name = "exporting"

    def __init__(self, number: float = 100, architecture: str = "a") -> None:
        self.number = number
        self.architecture = architecture
        self.asked = self.compiled = self.inits = 0

    def init(self) -> None:
        self.inits += 1

    def supports(self, kernel: Kernel) -> Supported | Rejected:
        self.asked += 1
        return Supported() if kernel.type == "Activation" else Rejected(RejectCode.OPERATOR, "no")

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        self.compiled += 1
        boundary = model.boundary_of(run)
        return Adding("Adding", boundary.inputs, boundary.outputs, self.number)

    def cache_key(self) -> Mapping[str, str] | None:
        return {"architecture": self.architecture}

    def export_kernel(self, kernel: Kernel) -> bytes | None:
        assert isinstance(kernel, Adding)
        return struct.pack("<d", kernel.number)

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        if len(data) != 8:
            raise DelegateBuildError(f"expected 8 bytes, found {len(data)}")
        return Adding("imported", inputs, outputs, struct.unpack("<d", data)[0])


def compiled(delegate: Delegate | None = None) -> CompiledModel:
    return compile_graph(weighted(), settings(delegate))


def settings(delegate: Delegate | None = None) -> Settings:
    return Settings(delegates=() if delegate is None else (delegate,))


def run(model: CompiledModel, x: np.ndarray = X) -> np.ndarray:
    return np.asarray(model.create_infer_request().infer([x])[0])
