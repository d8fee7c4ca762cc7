"""The NPU among the targets of a context, and its settings."""

from __future__ import annotations

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lite_delegate import Context, InputError, Model
from lite_delegate.demo import model_path
from lite_delegate.devices.settings.configured_devices import ConfiguredDevices
from lite_delegate.mindspore.context import npu_device
from lite_delegate.npu import NPUDelegate

DIGITS = np.random.default_rng(5).uniform(0, 16, (1, 8, 8, 1)).astype(np.float32)


def built(context: Context, config: dict[str, str] | None = None) -> Model:
    model = Model()
    model.build_from_file(
        model_path(), context=context, config_dict=None if config is None else {"lite_delegate": config}
    )
    return model


def on_npu(model: Model) -> bool:
    return "npu" in model.query().values()


@pytest.mark.parametrize("target", [["npu"], ["NPU", "cpu"]])
def test_it_takes_what_it_can(target: list[str]) -> None:
    context = Context()
    context.target = target
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = built(context)
    assert on_npu(model)
    expected = built(Context()).predict([DIGITS])[0].data
    np.testing.assert_allclose(model.predict([DIGITS])[0].data, expected, atol=5e-3)


def test_the_first_target_comes_first() -> None:
    context = Context()
    context.target = ["cpu", "npu"]
    assert not on_npu(built(context))
    with pytest.raises(ValueError, match="target elements must be in"):
        context.target = ["tpu"]


def test_a_delegate_that_was_set_comes_before_it() -> None:
    context, mine = Context(), NPUDelegate("kirin")
    context.target = ["npu"]
    context.set_delegate(mine)
    assert built(context).compiled.settings.delegates == (mine,)
    mine.name = "phone"
    assert [d.name for d in built(context).compiled.settings.delegates] == ["phone", "npu"]


def test_settings_reach_the_device() -> None:
    context = Context()
    context.target = ["npu"]
    context.npu.profile = "npu4000"
    context.npu.precision_mode = "enforce_fp32"
    context.npu.set_property({"npu_turbo": "YES"})
    (delegate,) = built(context).compiled.settings.delegates
    assert isinstance(delegate, NPUDelegate)
    names = ("INFERENCE_PRECISION_HINT", "NPU_TURBO")
    assert (delegate.profile.name, *map(delegate.get_property, names)) == ("npu4000", "f32", True)
    assert built(context).compiled.settings.delegates == (delegate,)
    context.npu.precision_mode = "preferred_fp16"
    (other,) = built(context).compiled.settings.delegates
    assert isinstance(other, NPUDelegate)
    assert (other is delegate, other.get_property("INFERENCE_PRECISION_HINT")) == (False, "f16")


def test_contexts_share_the_devices_of_the_machine() -> None:
    devices = []
    for options in ({}, {"NPU_TURBO": "YES"}, {}):
        context = Context()
        context.target = ["npu", "cpu"]
        context.npu.set_property(options)
        (delegate,) = built(context).compiled.settings.delegates
        assert isinstance(delegate, NPUDelegate)
        devices.append(delegate.device)
    assert devices[0] is devices[1] is devices[2]
    context = Context()
    context.target, context.npu.profile = ["npu", "cpu"], "kirin"
    (other,) = built(context).compiled.settings.delegates
    assert isinstance(other, NPUDelegate)
    assert other.device is not devices[0]


def test_threads_that_ask_first_get_one_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(4)

    def made_at_once() -> ConfiguredDevices:
        together.wait(60)
        return ConfiguredDevices()

    monkeypatch.setattr(npu_device, "_machines", {})
    monkeypatch.setattr("lite_delegate.devices.settings.configured_devices.ConfiguredDevices", made_at_once)
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(npu_device.machine) for _ in range(4)]
        assert len({id(each.result()) for each in asked}) == 1


def test_settings_are_checked() -> None:
    context = Context()
    context.target = ["npu"]
    assert (context.npu.profile, context.npu.precision_mode, context.npu.frequency) == ("", "", 0)
    with pytest.raises(ValueError, match=r"npu\.precision_mode must be one of"):
        context.npu.precision_mode = "fp16"
    with pytest.raises(ValueError, match=r"npu\.frequency must be a non-negative int"):
        context.npu.frequency = -1
    with pytest.raises(TypeError, match=r"npu\.profile must be str, but got int"):
        context.npu.profile = 3  # type: ignore[assignment]
    with pytest.raises(TypeError, match="properties must be dict, but got str"):
        context.npu.set_property("NPU_TURBO")  # type: ignore[arg-type]
    context.npu.set_property({"NPU_TURBOO": "YES"})
    with pytest.raises(InputError, match="NPU_TURBO"):
        built(context)


def test_a_configuration_names_it() -> None:
    context = Context()
    model = built(context, {"target": "npu,cpu", "NPU_TURBO": "YES"})
    assert on_npu(model)
    (delegate,) = model.compiled.settings.delegates
    assert isinstance(delegate, NPUDelegate)
    assert delegate.get_property("NPU_TURBO") is True
    assert (context.target, context.npu.properties) == (["cpu"], {})


def test_a_resize_keeps_the_device() -> None:
    context = Context()
    context.target = ["npu"]
    model = built(context)
    before = model.compiled.settings.delegates
    model.resize(model.get_inputs(), [[3, 8, 8, 1]])
    assert model.compiled.settings.delegates == before
    assert on_npu(model)


def test_attributes_of_the_npu_are_properties_with_one_value() -> None:
    npu = Context().npu
    npu.precision_mode, npu.frequency = "preferred_fp16", 2
    assert npu.properties == {"INFERENCE_PRECISION_HINT": "f16", "FREQUENCY": 2}
    npu.set_property({"inference_precision_hint": "F32", "FREQUENCY": "4"})
    assert (npu.precision_mode, npu.frequency) == ("enforce_fp32", 4)
    npu.precision_mode, npu.frequency = "", 0
    assert npu.properties == {}
