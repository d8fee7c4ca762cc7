"""AUTO without a list: a model that the CPU is expected to run clearly quicker stays there, and the report says so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from lite_delegate_kernels import Array

from lite_delegate import Core, DeviceEstimate, LayerEstimate
from lite_delegate.delegate import DelegateModel, Kernel
from lite_delegate.inference import CompiledModel
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.runtime.graphs import chain

X: Array = np.ones((2, 3), np.float32)
EXCLUDED = "AUTO:-NPU"
CPU_US = 10.0
"""Two kernels of 5 us: their calls, beside which six elements are nothing."""


class Priced(GroupKernel):
    """Says what it takes."""

    price = 0.0

    def estimate(self) -> DeviceEstimate:
        names = tuple(kernel.name for kernel in self.kernels)
        return DeviceEstimate(self.price, layers=(LayerEstimate("all", "all", names, self.price),))


class Chip(NamedDelegate):
    """Claims all, for a price."""

    def __init__(self, price: float) -> None:
        super().__init__(None)
        self.price = price

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = Priced("group", model.boundary_of(run), run)
        kernel.price = self.price
        return kernel


def compiled_with(price: float, device: str, **properties: object) -> tuple[str, tuple[str, ...], CompiledModel]:
    core = Core()
    core.register_device("chip", lambda options: Chip(price))
    compiled = core.compile_model(chain(2), device, properties)
    assert hasattr(compiled, "auto")
    assert compiled.wait_ready(60)
    request = compiled.create_infer_request()
    np.testing.assert_array_equal(request.infer([X])[0], X + 3)
    return request.device, compiled.partition.notes, compiled


@pytest.mark.parametrize(
    ("price", "device", "where"),
    [
        (9.0, EXCLUDED, "chip"),
        (19.0, EXCLUDED, "chip"),  # the CPU is not clearly quicker
        (21.0, EXCLUDED, "CPU"),
        (21.0, "AUTO:chip,CPU", "chip"),  # the user listed it
    ],
)
def test_the_cpu_keeps_what_it_is_expected_to_run_clearly_quicker(price: float, device: str, where: str) -> None:
    found, notes, compiled = compiled_with(price, device)
    table = f"estimated {price} us a run on chip, {CPU_US} us on the CPU"
    assert found == compiled.auto.active == where
    assert f"AUTO: {table}" in notes
    assert notes[0] == ("AUTO: chip: active" if where == "chip" else f"AUTO: chip: passed over: {table}")
    assert compiled.auto.estimates["chip"].device_us == price


def test_waiting_for_the_device_comes_to_the_same() -> None:
    core = Core()
    core.register_device("chip", lambda options: Chip(21.0))
    compiled = core.compile_model(chain(2), EXCLUDED, {"ENABLE_STARTUP_FALLBACK": False})
    assert {node.device for node in compiled.partition.nodes} == {"CPU"}
    assert compiled.partition.notes[0].startswith("AUTO passes device 'chip' over: estimated 21.0 us a run on chip")
