"""Contexts that are given to who compiles or imports: one of another device is rejected before anything is loaded."""

from __future__ import annotations

import numpy as np
import pytest

from lite_delegate import Core, RemoteError
from lite_delegate.demo import model_path
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import chain

PARTS = {"NPU.4000": "NPU.4000", "HETERO:NPU.4000,CPU": "NPU.4000", "CPU": "CPU", "MULTI:NPU.4000,CPU": "CPU"}
"""Devices, and one of each whose contexts they take."""


@pytest.mark.parametrize(("device", "of"), PARTS.items())
def test_a_context_of_one_of_the_devices_is_taken(device: str, of: str) -> None:
    core = Core()
    for context in (core.default_context(of), core.create_context(of)):
        compiled = core.compile_model(model_path(), device, context=context)
        assert core.compile_model_async(model_path(), device, context=context).result(60).inputs == compiled.inputs


def test_the_device_is_the_same_by_each_of_its_names() -> None:
    core = Core()
    context = core.default_context("NPU.4000")
    core.compile_model(model_path(), "NPU", {"DEVICE_ID": "4000"}, context=context)
    core.set_property("NPU", {"DEVICE_ID": "4000"})
    core.compile_model(model_path(), "NPU", context=context)


@pytest.mark.parametrize("of", ["NPU.3720", "CPU", "another core's NPU.4000"])
def test_a_context_of_another_device_is_rejected_and_nothing_is_loaded(of: str) -> None:
    core = Core()
    context = (Core() if "core" in of else core).default_context(of.rpartition(" ")[2])
    data = core.compile_model(model_path(), "NPU.4000").export_model()
    before = core.get_property("NPU.4000", "NPU_DEVICE_ALLOC_MEM_SIZE")
    message = (
        r"of device '.*', and not of 'NPU\.4000' of this core: core\.default_context\('NPU\.4000'\) gives the right"
    )
    with pytest.raises(RemoteError, match=message):
        core.import_model(data, "NPU.4000", context=context)
    with pytest.raises(RemoteError, match=message):
        core.compile_model(model_path(), "NPU.4000", context=context)
    with pytest.raises(RemoteError, match=message):
        core.compile_model_async(model_path(), "NPU.4000", context=context).result(60)
    assert core.get_property("NPU.4000", "NPU_DEVICE_ALLOC_MEM_SIZE") == before


def test_what_is_imported_with_a_context_reads_its_tensors() -> None:
    core = Core()
    context = core.default_context("NPU.4000")
    compiled = core.compile_model(model_path(), "NPU.4000")
    x = np.random.default_rng(2).random((1, 8, 8, 1), np.float32)
    again = core.import_model(compiled.export_model(), "NPU.4000", context=context)
    np.testing.assert_array_equal(again([context.create_tensor(x.dtype, x.shape, x)])[0], compiled([x])[0])


def test_a_device_without_contexts_and_what_is_no_context() -> None:
    core = Core()
    core.register_device("chip", lambda options: NamedDelegate())
    with pytest.raises(RemoteError, match="is of device 'CPU', and not of 'chip'"):
        core.compile_model(chain(1), "chip", context=core.default_context("CPU"))
    with pytest.raises(RemoteError, match="context must be a RemoteContext of the device, or None, got str"):
        core.compile_model(chain(1), "chip", context="chip")  # type: ignore[arg-type]
