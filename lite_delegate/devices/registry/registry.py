"""DeviceRegistry: devices by name, whose delegates are made when they are asked for, and the devices' presence."""

from __future__ import annotations

from collections.abc import Mapping
from threading import RLock
from types import MappingProxyType

from ...basics.forking import free, free_in_children
from ...basics.similar import did_you_mean
from ...basics.unforeseen import FAILURES
from ...basics.words.one_line import OneLine, quoted, some
from ...delegate import Delegate
from ...errors import InputError, LiteDelegateError
from .delegate_source import BUILT_IN, GROUP, DelegateSource, Factory, Made, installed, registered
from .info import DeviceInfo
from .names import ALIASES, CPU, VIRTUAL, Physical, parse_device
from .presence import why_absent

NO_OPTIONS: Mapping[str, object] = MappingProxyType({})
DEVICE_ID = "DEVICE_ID"
"""The option that tells a delegate the id of its device."""


class DeviceRegistry(OneLine):
    """Devices by name: the CPU, and the built-in, installed and registered devices.

    A delegate is imported and made when its device is first asked for, and is kept, so that its models share one
    device. The registry finds out once whether a device is present, see ``presence``. Safe for several threads.
    """

    def __init__(self) -> None:
        self._registered: dict[str, DelegateSource] = {}
        self._makers: dict[str, tuple[str, Made]] = {}
        self._sources: dict[str, DelegateSource] | None = None
        self._factories: dict[str, Factory] = {}
        self._made: dict[str, Delegate] = {}
        self._reasons: dict[tuple[str, str], str] = {}
        self._lock = RLock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    def register(self, name: str, factory: Made, *, replace: bool = False) -> None:
        """Makes a device known.

        Args:
            name: letters, digits, "_" and "-".
            factory: makes the delegate from options by name; or a class derived from ``Delegate``.
            replace: whether the device takes the place of a device that was registered under the name before.

        Raises:
            InputError: (a ValueError) the name is no device name, or the name of a built-in or installed device, or of
                a device made of other devices; or the name was registered before, and ``replace`` is False.
            TypeError: the factory cannot be called.
        """
        device = parse_device(name)
        if not isinstance(device, Physical) or device.id:
            taken = ", ".join((*VIRTUAL, *ALIASES))
            raise InputError(f"A device must be called by one word that is none of {taken}, got '{name}'.")
        if not callable(factory):
            raise TypeError(f"The factory of device '{name}' must be callable, got {factory!r}.")
        key = name.upper()
        with self._lock:
            if key == CPU or (key in self._known() and key not in self._registered):
                raise InputError(f"There is a device '{name}' already: register yours under another name.")
            if key in self._registered and not replace:
                raise InputError(
                    f"Device '{name}' is registered already: register yours under another name, or with replace=True."
                )
            self._registered[key] = registered(name, factory)
            self._makers[key] = name, factory
            self._factories.pop(key, None)
            self._made.pop(key, None)
            self.rescan()

    @property
    def registered(self) -> dict[str, Made]:
        """The makers of the registered devices' delegates, by the devices' names, in the order of registration."""
        with self._lock:
            return dict(self._makers.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all devices, whether they are present or not; the CPU first."""
        with self._lock:
            return (CPU, *(source.name for source in self._known().values()))

    @property
    def names_for_auto(self) -> tuple[str, ...]:
        """The names of the devices that AUTO without a list chooses from; the CPU last."""
        with self._lock:
            return (*(source.name for source in self._known().values() if source.in_auto), CPU)

    def knows(self, name: str) -> bool:
        """Whether a device has the name; upper and lower case are alike."""
        return name.upper() == CPU or self._find(name) is not None

    def name_of(self, device: Physical) -> str:
        """The registered name of a device, with its id.

        Raises:
            InputError: there is no device of the name.
        """
        if device.name.upper() == CPU:
            if device.id:
                raise InputError(f"Device '{device}' at position {device.at}: the CPU has no ids.")
            return CPU
        return str(Physical(self._source(device).name, device.id))

    def delegate(self, device: Physical, options: Mapping[str, object] = NO_OPTIONS) -> Delegate:
        """The delegate of a device with options.

        Raises:
            InputError: there is no such device, id or option, or a value does not fit.
            DelegateUnavailable: the device's delegate cannot be imported or made.
        """
        self.name_of(device)
        if device.is_cpu:
            raise InputError("The CPU has no delegate.")
        given = {**options, DEVICE_ID: device.id} if device.id else dict(options)
        with self._lock:
            made = self._base(device)
            delegate = made.configured(given)
            if delegate is None:
                delegate = self._factories[device.name.upper()](given) if given else made
        wanted = next((str(value) for name, value in options.items() if str(name).upper() == DEVICE_ID), "")
        if device.id and wanted not in ("", device.id):
            delegate.set_property({DEVICE_ID: wanted})  # a check: the id of the name counts
        return delegate

    def why_absent(self, device: Physical) -> str:
        """The reason why a device is not present, "" where it is. The device is asked once, see ``rescan``.

        Raises:
            InputError: there is no such device.
        """
        self.name_of(device)
        if device.is_cpu:
            return ""
        with self._lock:
            if device.key not in self._reasons:
                self._reasons[device.key] = self._find_out(device)
            return self._reasons[device.key]

    def infos(self) -> list[DeviceInfo]:
        """All devices, present or not; the CPU first, and one device for each id of a delegate with several ids."""
        with self._lock:
            found = [DeviceInfo(CPU, True, source="built in")]
            for source in self._known().values():
                device = Physical(source.name)
                ids = self._ids(device)
                found += [self._info(Physical(source.name, each), source) for each in ids[1:] and ids]
                found.append(self._info(device, source, ids))
            return found

    def rescan(self) -> None:
        """Forgets which devices are present, and looks for newly installed ones."""
        with self._lock:
            self._sources = None
            self._reasons.clear()

    def _known(self) -> dict[str, DelegateSource]:
        if self._sources is None:
            self._sources = {**{each.name.upper(): each for each in installed()}, **self._registered}
        return self._sources

    def _find(self, name: str) -> DelegateSource | None:
        """The source of a device's delegate; a built-in source is found without a look at packages."""
        key = name.upper()
        return self._registered.get(key) or BUILT_IN.get(key) or self._known().get(key)

    def _source(self, device: Physical) -> DelegateSource:
        source = self._find(device.name)
        if source is None:
            close = did_you_mean(device.name, self.names)
            raise InputError(
                f"Device '{device.name}' at position {device.at} is not registered{close or '.'} There are "
                f"{', '.join(self.names)}. Install a package with a delegate (entry point group '{GROUP}'), or call "
                f"Core.register_device('{device.name}', factory)."
            )
        return source

    def _base(self, device: Physical) -> Delegate:
        """The delegate of a device without options; made once."""
        key = device.name.upper()
        if key not in self._made:
            self._factories[key] = self._source(device).load()
            self._made[key] = self._factories[key](NO_OPTIONS)
        return self._made[key]

    def _ids(self, device: Physical) -> tuple[str, ...]:
        try:
            return tuple(self._base(device).device_ids())
        except FAILURES:  # a delegate's own code may raise anything; ``why_absent`` tells the failure
            return ()

    def _info(self, device: Physical, source: DelegateSource, ids: tuple[str, ...] = ()) -> DeviceInfo:
        reason = self.why_absent(device)
        made = self._made.get(source.name.upper())
        simulated = made is not None and made.is_simulated
        return DeviceInfo(str(device), not reason, reason, source.text, simulated, ids)

    def _find_out(self, device: Physical) -> str:
        try:
            return why_absent(self.delegate(device))
        except LiteDelegateError as e:
            return str(e)

    def _line(self) -> str:
        return some(map(quoted, self._registered)) or "with no registered device"
