"""NPUDelegate: claims, graph kernels and their names, models side by side, a device that is not there."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from lite_delegate.delegate import DelegateModel
from lite_delegate.delegate.model import view_of
from lite_delegate.errors import DelegateBuildError, DelegateUnavailable
from lite_delegate.npu import Device, NPUDelegate
from lite_delegate.runtime.drafting.draft import GraphDraft
from tests.npu.graphs import HostKernel, const, node, out, small_ints, variable


def chain(length: int) -> list[HostKernel]:
    kernels: list[HostKernel] = []
    tensor = variable("x", (2, 3))
    for i in range(length):
        kernels.append(node("AddFusion", [tensor, const("c", np.array(i, np.float32))], (2, 3)))
        tensor = out(kernels[-1])
    return kernels


def model_with_runs(kernels: list[HostKernel], *runs: range) -> DelegateModel:
    return DelegateModel(kernels, [kernels[0].inputs[0]], [out(kernels[-1])], runs)


def test_each_run_becomes_a_graph_kernel_with_a_name_of_its_own():
    delegate = NPUDelegate()
    model = model_with_runs(chain(6), range(2), range(3, 4), range(5, 6))
    delegate.build(model)
    assert [k.name for k in model] == ["NpuGraph0", "AddFusion", "NpuGraph1", "AddFusion", "NpuGraph2"]


def test_names_start_anew_with_each_model():
    delegate = NPUDelegate()
    for _ in range(2):
        model = model_with_runs(chain(2), range(2))
        delegate.build(model)
        assert [k.name for k in model] == ["NpuGraph0"]


def test_names_avoid_those_in_use():
    kernels = chain(3)
    kernels[1].name = "NpuGraph0"
    delegate = NPUDelegate()
    model = model_with_runs(kernels, range(1), range(2, 3))
    graphs = [delegate.create_graph_kernel(run, model) for run in model.runs]
    assert [g.name for g in graphs] == ["NpuGraph1", "NpuGraph2"]


def test_one_delegate_serves_two_models_at_once():
    delegate = NPUDelegate()
    delegate.init()
    models = [model_with_runs(chain(length), range(length)) for length in (3, 5)]
    for model in models:
        delegate.build(model)
        delegate.init()
    for model in models:
        model[0].prepare()
    fed = small_ints((2, 3), 1)
    for _ in range(2):
        for model, added in zip(models, (3, 10), strict=True):
            model.inputs[0].data = fed
            model[0].execute()
            np.testing.assert_array_equal(model.outputs[0].data, fed + added)


def test_a_boundary_tensor_that_is_read_inside_and_outside_is_given():
    kernels = chain(4)
    outside = node("Neg", [out(kernels[0])], (2, 3))
    model = DelegateModel([*kernels, outside], [kernels[0].inputs[0]], [out(kernels[-1]), out(outside)], [range(4)])
    delegate = NPUDelegate()
    delegate.build(model)
    assert model[0].outputs == (out(kernels[0]), out(kernels[-1]))


def test_a_device_that_is_not_there():
    delegate = NPUDelegate(device=Device(present=False))
    with pytest.raises(DelegateUnavailable, match="not there"):
        delegate.init()


def test_any_device_can_be_taken_away():
    delegate = NPUDelegate("npu4000", options={"NPU_SIMULATE_ABSENT": "YES"})
    assert delegate.get_property("AVAILABLE_DEVICES") == ()
    with pytest.raises(DelegateUnavailable, match="NPU profile 'npu4000': there is no device"):
        delegate.init()


def test_a_run_with_an_operator_that_cannot_be_lowered_stays_on_the_cpu():
    kernels = chain(1)
    kernels.append(node("AudioSpectrogram", [out(kernels[0])], (3,)))
    model = GraphDraft(kernels, [kernels[0].inputs[0]], [out(kernels[-1])], [range(2)])
    NPUDelegate().build(view_of(model))
    assert list(model) == kernels
    (reason,) = set(map(str, model.failures.values()))
    assert reason == "Kernel 'AudioSpectrogram' (AudioSpectrogram): the NPU has no AudioSpectrogram."
    assert all(isinstance(e, DelegateBuildError) for e in model.failures.values())


def test_the_delegate_keeps_no_model_alive():
    import gc
    import weakref

    delegate = NPUDelegate()
    model = model_with_runs(chain(1), range(1))
    delegate.build(model)
    reference = weakref.ref(model)
    del model
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_pickle_has_the_profile_and_the_options(protocol: int) -> None:
    delegate = NPUDelegate("npu4000", options={"NPU_TILES": 2})
    delegate.name = "mine"
    found = pickle.loads(pickle.dumps(delegate, protocol))
    assert (found.name, found.version(), found.storage_dtype) == ("mine", delegate.version(), delegate.storage_dtype)
    assert found.device is not delegate.device
    found.set_property({"NPU_TILES": 1})
    assert delegate.get_property("NPU_TILES") == 2


def test_an_absent_device_is_absent_in_another_process():
    found = pickle.loads(pickle.dumps(NPUDelegate(device=Device(present=False))))
    with pytest.raises(DelegateUnavailable):
        found.init()


def test_a_copy_is_for_the_same_device():
    delegate = NPUDelegate()
    assert copy.copy(delegate).device is delegate.device
