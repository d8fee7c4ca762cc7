"""A rehearsal takes the room on the device that loading would take, fails where it would, and packs nothing."""

from __future__ import annotations

import pytest

from lite_delegate import Context, Model
from lite_delegate.demo import model_path
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.device import Capacity, Device
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.report import partition_report


def built(device: Device, *, plan_only: bool) -> Model:
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate(device=device))
    context.plan_only = plan_only
    model.build_from_file(model_path(), context=context)
    return model


def test_it_takes_the_room_and_gives_it_back() -> None:
    rehearsed, loaded = Device(), Device()
    model, other = built(rehearsed, plan_only=True), built(loaded, plan_only=False)
    assert rehearsed.allocated_memory == loaded.allocated_memory > 0
    for kernel in model.get_graph_kernels():
        assert isinstance(kernel, NPUGraph)
        assert all(part.loaded is None for part in kernel.models)
        kernel.release()
    assert rehearsed.allocated_memory == 0
    assert partition_report(model) == partition_report(other)


def test_preparing_after_it_takes_the_room_once() -> None:
    device = Device()
    model = built(device, plan_only=True)
    (kernel, *_) = model.get_graph_kernels()
    before = device.allocated_memory
    kernel.prepare()
    assert device.allocated_memory == before


@pytest.mark.filterwarnings("ignore::lite_delegate.DelegateWarning")
def test_a_device_without_room_is_in_the_report() -> None:
    reports = [partition_report(built(Device(memory=Capacity(dram=64)), plan_only=p)) for p in (True, False)]
    assert reports[0] == reports[1]
    assert not reports[0].subgraphs
    assert "bytes of device memory" in reports[0].nodes[0].reason
