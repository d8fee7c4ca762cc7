"""The devices that run a compiled model, read back from OpenVINO."""

from __future__ import annotations

from typing import Any

from ....errors import DelegateBuildError
from .package import core, named_in

EXECUTION_DEVICES = "EXECUTION_DEVICES"
HETERO = "HETERO:"


def execution_devices(compiled: Any) -> list[str]:
    """The devices that run a compiled model; none where the device does not say."""
    try:
        said = compiled.get_property(EXECUTION_DEVICES)
    except Exception:  # plugins raise what they like
        return []
    return [said] if isinstance(said, str) else [str(each) for each in said]


def check_devices(compiled: Any, device: str) -> None:
    """Checks that a compiled model runs on the devices that were asked for.

    Args:
        compiled: the compiled model.
        device: as OpenVINO was told.

    Raises:
        DelegateBuildError: it runs on another one.
    """
    wanted = [_family(name) for name in named_in(device)]
    other = next((each for each in execution_devices(compiled) if _family(each) not in wanted), None)
    if other is not None:
        raise DelegateBuildError(f"OpenVINO compiled for {device}, but runs the model on {other}.")


def places_of(compiled: Any, model: Any, device: str) -> dict[str, str]:
    """The devices that run the layers, by the names of layers; "" for unnamed layers.

    Args:
        compiled: the compiled model.
        model: that it was compiled of; None where only a blob is there.
        device: that it was compiled for.
    """
    there = execution_devices(compiled)
    places = {"": ", ".join(there)} if there else {}
    if len(there) > 1 and device.startswith(HETERO) and model is not None:
        places |= {str(name): str(place) for name, place in core().query_model(model, device).items()}
    return places


def _family(device: str) -> str:
    """GPU of GPU.1; AUTO puts parentheses around a CPU that stands in until another device is ready."""
    return device.strip("()").partition(".")[0].upper()
