"""How the NPU runs: ``context.npu``."""

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
    """How the NPU runs, where ``context.target`` names it before the CPU: ``context.npu``.

    It takes what it can, the CPU runs the rest; ``Context.strict`` makes a rest an error. What has not been set is as
    the profile has it.
    """

    def __init__(self) -> None:
        self._profile = ""
        self._properties: dict[str, object] = {}
        self._made: tuple[object, Delegate] | None = None

    @property
    def profile(self) -> str:
        """Which NPU is simulated: the name of a packaged profile or the path of a file; "" for the usual one."""
        return self._profile

    @profile.setter
    def profile(self, profile: str) -> None:
        check_type("npu.profile", profile, str)
        self._profile = profile

    @property
    def precision_mode(self) -> str:
        """ "enforce_fp32", "preferred_fp16", or "" for the profile's own; the property INFERENCE_PRECISION_HINT."""
        return _MODES.get(str(self._properties.get(_PRECISION, "")).lower(), "")

    @precision_mode.setter
    def precision_mode(self, precision_mode: str) -> None:
        mode = checked_choice("npu.precision_mode", precision_mode, tuple(_PRECISIONS))
        self._keep(_PRECISION, _PRECISIONS[mode])

    @property
    def frequency(self) -> int:
        """1 low power, 2 balanced, 3 high performance, 4 extreme, 0 for the profile's own; the property FREQUENCY.

        Setting another number means 3, with a PropertyWarning, as the original has it.
        """
        text = str(self._properties.get(_FREQUENCY, 0)).strip()
        return int(text) if text.isdecimal() else 0

    @frequency.setter
    def frequency(self, frequency: int) -> None:
        if checked_count("npu.frequency", frequency) not in _FREQUENCIES:
            warn(PropertyWarning(f"npu.frequency must be from 1 to 4, or 0, got {frequency}; 3 is taken."))
        self._keep(_FREQUENCY, frequency if frequency in _FREQUENCIES else 3)

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties of the NPU by name; they are checked when a model is built.

        Raises:
            TypeError: no mapping of names.
        """
        if not isinstance(properties, Mapping):
            raise TypeError(f"properties must be dict, but got {type(properties).__name__}.")
        for name in properties:
            check_type("properties key", name, str)
        self._properties = {**self._properties, **{name.upper(): value for name, value in properties.items()}}

    @property
    def properties(self) -> dict[str, object]:
        """What was set, as properties of the NPU."""
        return dict(self._properties)

    def _keep(self, name: str, value: object) -> None:
        """Sets a property that has an attribute; a value that is nothing leaves it to the profile."""
        others = {each: kept for each, kept in self._properties.items() if each != name}
        self._properties = {**others, name: value} if value else others

    def delegate(self) -> Delegate:
        """The delegate of the NPU, the same until something else is set.

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
    """Devices, and the contexts for tensors in their memory that everybody shares."""

    devices: DeviceRegistry
    contexts: Contexts


_machines: dict[str, Machine] = {}
"""That of this process, under "", once somebody has asked for it."""


def machine() -> Machine:
    """The devices of this process: all contexts share them, as all programs share those of a machine."""
    found = _machines.get("")
    if found is not None:
        return found
    from ...devices.settings.configured_devices import ConfiguredDevices
    from ...devices.settings.contexts import Contexts

    devices = ConfiguredDevices()
    return _machines.setdefault("", Machine(devices.registry, Contexts(devices)))  # one, in several threads too


def default_context(device: str) -> RemoteContext:
    """The context for tensors on a device, which models of a ``Context`` with the target "npu" read them on.

    Args:
        device: "npu", "npu:0" (by number, as ``LITE_DELEGATE_NPU_DEVICES`` lists them) or "npu:PROFILE".

    Raises:
        TypeError: no such text.
        InputError: (a ValueError) no such device.
        DelegateError: it is not there.
    """
    from ...devices import Physical

    check_type("device", device, str)
    name, _, place = device.partition(":")
    if name.lower() != "npu" or device.endswith(":"):
        raise TypeError(f"device must be None (host memory), 'npu', 'npu:NUMBER' or 'npu:PROFILE', but got '{device}'.")
    return machine().contexts.default(Physical("NPU", _numbered(int(place)) if place.isdecimal() else place))


def _numbered(number: int) -> str:
    """The id of a device by its number."""
    from ...devices import Physical

    ids = machine().devices.delegate(Physical("NPU")).device_ids() or ("",)
    if number >= len(ids):
        raise InputError(f"device must be one of {len(ids)}, 'npu:0' to 'npu:{len(ids) - 1}', got 'npu:{number}'.")
    return ids[number]
