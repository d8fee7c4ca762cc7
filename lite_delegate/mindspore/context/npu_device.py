"""The settings of the NPU, ``context.npu``, and the devices that all contexts share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...basics.data_class import dataclass
from ...basics.warned import warn
from ...errors import InputError, PropertyWarning
from .setting import check_type, checked_choice, checked_count

if TYPE_CHECKING:
    from ...delegate import Delegate
    from ...devices import DeviceRegistry
    from ...devices.settings.contexts import Contexts
    from ...remote import RemoteContext

_PRECISIONS = {"": "", "enforce_fp32": "f32", "preferred_fp16": "f16"}
_MODES = {text: mode for mode, text in _PRECISIONS.items()}
_PRECISION = "INFERENCE_PRECISION_HINT"
_FREQUENCY = "FREQUENCY"
_FREQUENCIES = range(5)


class NpuDevice:
    """The settings of the NPU, ``context.npu``; they count where ``context.target`` names the NPU before the CPU.

    The NPU takes the nodes that it supports, the CPU runs the other nodes; with ``Context.strict`` such nodes are an
    error. A setting that is not set has the profile's value.
    """

    def __init__(self) -> None:
        self._profile = ""
        self._properties: dict[str, object] = {}
        self._made: tuple[object, Delegate] | None = None

    def __getstate__(self) -> dict[str, object]:
        """The settings: a copy, or another process, makes a delegate of them."""
        return {**vars(self), "_made": None}

    @property
    def profile(self) -> str:
        """The profile of the simulated NPU: the name of a packaged profile or a path; "" for the default profile."""
        return self._profile

    @profile.setter
    def profile(self, profile: str) -> None:
        check_type("npu.profile", profile, str)
        self._profile = profile

    @property
    def precision_mode(self) -> str:
        """ "enforce_fp32", "preferred_fp16", or "" for the profile's mode; the property INFERENCE_PRECISION_HINT."""
        return _MODES.get(str(self._properties.get(_PRECISION, "")).lower(), "")

    @precision_mode.setter
    def precision_mode(self, precision_mode: str) -> None:
        mode = checked_choice("npu.precision_mode", precision_mode, tuple(_PRECISIONS))
        self._keep(_PRECISION, _PRECISIONS[mode])

    @property
    def frequency(self) -> int:
        """1 low power, 2 balanced, 3 high performance, 4 extreme, 0 for the profile's value; the property FREQUENCY.

        Any other number sets 3, with a PropertyWarning, as in MindSpore Lite.
        """
        text = str(self._properties.get(_FREQUENCY, 0)).strip()
        return int(text) if text.isdecimal() else 0

    @frequency.setter
    def frequency(self, frequency: int) -> None:
        if checked_count("npu.frequency", frequency) not in _FREQUENCIES:
            warn(PropertyWarning(f"npu.frequency must be from 1 to 4, or 0, got {frequency}; 3 is taken."))
        self._keep(_FREQUENCY, frequency if frequency in _FREQUENCIES else 3)

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties of the NPU by name; the values are checked when a model is built.

        Raises:
            TypeError: the properties are no mapping, or a name is no str.
        """
        if not isinstance(properties, Mapping):
            raise TypeError(f"properties must be dict, but got {type(properties).__name__}.")
        for name in properties:
            check_type("properties key", name, str)
        self._properties = {**self._properties, **{name.upper(): value for name, value in properties.items()}}

    @property
    def properties(self) -> dict[str, object]:
        """The properties of the NPU that were set, by name."""
        return dict(self._properties)

    def _keep(self, name: str, value: object) -> None:
        """Sets a property that has an attribute; an empty value or 0 leaves the property to the profile."""
        others = {each: kept for each, kept in self._properties.items() if each != name}
        self._properties = {**others, name: value} if value else others

    def delegate(self) -> Delegate:
        """The delegate of the NPU, kept until a setting changes.

        Raises:
            InputError: there is no such profile, property or value.
        """
        from ...devices import Physical

        wanted = self._profile, self.properties
        if self._made is None or self._made[0] != wanted:
            self._made = wanted, machine().devices.delegate(Physical("NPU", self._profile), self.properties)
        return self._made[1]

    def __str__(self) -> str:
        return (
            f"device_type: DeviceType.kKirinNPU,\nprofile: {self.profile},\nprecision_mode: {self.precision_mode},\n"
            f"frequency: {self.frequency}."
        )


@dataclass(frozen=True, slots=True)
class Machine:
    """The devices of this process, and the shared contexts for tensors in their memory."""

    devices: DeviceRegistry
    contexts: Contexts


_machines: dict[str, Machine] = {}
"""The machine of this process, under "", once it was asked for."""


def machine() -> Machine:
    """The devices of this process, which all contexts share."""
    found = _machines.get("")
    if found is not None:
        return found
    from ...devices.settings.configured_devices import ConfiguredDevices
    from ...devices.settings.contexts import Contexts

    devices = ConfiguredDevices()
    return _machines.setdefault("", Machine(devices.registry, Contexts(devices)))  # one machine for all threads


def default_context(device: str) -> RemoteContext:
    """The shared context for tensors on an NPU, which models of a ``Context`` with the target "npu" read.

    Args:
        device: "npu", "npu:0" (a number in the list of ``LITE_DELEGATE_NPU_DEVICES``) or "npu:PROFILE".

    Raises:
        TypeError: the text is no such device.
        InputError: (a ValueError) there is no such device.
        DelegateError: the device is not there.
    """
    from ...devices import Physical

    check_type("device", device, str)
    name, _, place = device.partition(":")
    if name.lower() != "npu" or device.endswith(":"):
        raise TypeError(f"device must be None (host memory), 'npu', 'npu:NUMBER' or 'npu:PROFILE', but got '{device}'.")
    return machine().contexts.default(Physical("NPU", _numbered(int(place)) if place.isdecimal() else place))


def _numbered(number: int) -> str:
    """The id of the NPU with a number."""
    from ...devices import Physical

    ids = machine().devices.delegate(Physical("NPU")).device_ids() or ("",)
    if number >= len(ids):
        raise InputError(f"device must be one of {len(ids)}, 'npu:0' to 'npu:{len(ids) - 1}', got 'npu:{number}'.")
    return ids[number]
