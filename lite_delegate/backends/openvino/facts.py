"""Facts about a device that OpenVINO tells."""

from __future__ import annotations

from typing import Any

from ...errors import DelegateUnavailable
from .models.compiled import REQUESTS, CompileSettings, said
from .models.package import check_device, core, devices


def fact(name: str, settings: CompileSettings) -> object:
    """The value of a property that can only be read.

    Raises:
        DelegateUnavailable: OpenVINO or the device is not there, or does not say it.
    """
    if name == "AVAILABLE_DEVICES":
        return tuple(devices())
    check_device(settings.device)
    try:
        if name == REQUESTS:
            return int(_smallest(settings).get_property(name))
        value = core().get_property(settings.device, name)
    except Exception as e:  # plugins raise what they like
        raise DelegateUnavailable(f"OpenVINO does not say {name} of {settings.device}: {said(e)}") from e
    return value if isinstance(value, str) else tuple(map(str, value))


def _smallest(settings: CompileSettings) -> Any:
    """A model of one operator, compiled with these settings."""
    from openvino import Model, Type, opset16

    parameter = opset16.parameter([1], Type.f32)
    model = Model([opset16.result(opset16.relu(parameter))], [parameter], "smallest")
    return core().compile_model(model, settings.device, dict(settings.config))
