"""The device of a delegate in a process of its own: its life, its answers, its properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..basics.failures import said
from ..basics.warned import warn
from ..delegate import Delegate, DelegateLimits, Kernel, Telemetry
from ..errors import (
    DelegateClassError,
    DelegateError,
    DelegateUnavailable,
    DelegateWarning,
    PropertyError,
    RemoteError,
)
from ..properties import PropertySpec, Values
from .isolation import SPECS, Isolation
from .keeper import Keeper
from .kernel import numbers
from .passing.messages import DelegateFacts

if TYPE_CHECKING:
    from ..remote import RemoteContext

_OWN = {spec.name: spec for spec in SPECS}


class IsolatedDevice(Delegate):
    """The part of a delegate in a process of its own that no model is needed for.

    Args:
        keeper: keeps the process, which is started at once.
        name: the name of the delegate where it cannot be made.

    Raises:
        InputError: (a ValueError) the delegate cannot be made, and that is the user's mistake.
    """

    name = "isolated"
    may_end_process = False

    def __init__(self, keeper: Keeper, name: str) -> None:
        self._keeper, self.name = keeper, name
        self._unusable = ""
        self._builds = False
        self._silent: set[str] = set()
        self._start_first()

    def _start_first(self) -> None:
        try:
            _, facts = self._keeper.begin()
        except DelegateClassError as e:
            if e.__cause__ is None:  # the user's mistake, not a failure of the delegate's code
                raise
            self._unusable = str(e)
        except DelegateError as e:
            self._unusable = str(e)
        else:
            assert facts is not None
            self._learn(facts)
            self.name = str(facts.attributes["name"])

    @property
    def isolation(self) -> Isolation:
        """The interpreter and the limits."""
        return self._keeper.isolation

    @property
    def started(self) -> int:
        """How many processes there have been."""
        return self._keeper.started

    @property
    def output(self) -> str:
        """The last that the process has printed, to standard output or standard error."""
        last = self._keeper.last
        return "" if last is None else last.output

    def _learn(self, facts: DelegateFacts) -> None:
        """Takes over the attributes of the delegate, except for its name: somebody may have given it another one."""
        for name, value in facts.attributes.items():
            if name != "name":
                setattr(self, name, value)
        self._builds = facts.builds

    def _asked(self, method: str, otherwise: Any) -> Any:
        """What the delegate says where it can; a failure is a warning, once, and it is not asked again."""
        if self._unusable or method in self._silent:
            return otherwise
        try:
            return self._keeper.ask("delegate", method, named=method)
        except DelegateError as e:
            self._say_silent(method, e)
            return otherwise

    def _say_silent(self, method: str, error: DelegateError) -> None:
        self._silent.add(method)
        warn(DelegateWarning(f"Delegate '{self.name}': {method} failed, and is not asked again: {said(error)}."))

    def init(self) -> None:
        """``init`` of the delegate.

        Raises:
            DelegateUnavailable: the device is not there; or ``init`` failed, or the process ended or does not start.
        """
        if self._unusable:
            raise DelegateUnavailable(self._unusable)
        self._keeper.name = self.name
        try:
            self._learn(self._keeper.ask("init", self.name, seconds=self.isolation.start_seconds))
        except DelegateUnavailable:
            raise
        except DelegateError as e:
            raise DelegateUnavailable(f"init failed: {said(e)}") from e
        self._keeper.inits += 1

    def close(self) -> None:
        """``close`` of the delegate, where its process is there.

        Raises:
            DelegateError: that failed.
        """
        self._keeper.inits = max(self._keeper.inits - 1, 0)
        process = self._keeper.present
        if process is not None:
            process.later("delegate", "close", seconds=self.isolation.claim_seconds, named="close")

    def probe(self) -> str | None:
        """``probe`` of the delegate; why its process does not start, or ended."""
        if self._unusable:
            return self._unusable
        try:
            found: str | None = self._keeper.ask("delegate", "probe", named="probe")
        except DelegateError as e:
            return said(e)
        return found

    def telemetry(self) -> Telemetry | None:
        """``telemetry`` of the delegate."""
        found: Telemetry | None = self._asked("telemetry", None)
        return found

    def reset_peak_memory(self) -> None:
        """``reset_peak_memory`` of the delegate."""
        self._keeper.ask("delegate", "reset_peak_memory", named="reset_peak_memory")

    def remote_context(self) -> RemoteContext:
        """None: memory of a device in another process cannot be reached.

        Raises:
            RemoteError: always.
        """
        raise RemoteError(f"Device '{self.name}' runs in a process of its own: its memory cannot be reached from here.")

    def device_ids(self) -> Sequence[str]:
        """``device_ids`` of the delegate."""
        found: Sequence[str] = self._asked("device_ids", ())
        return found

    def properties(self) -> Sequence[PropertySpec]:
        """The properties of the isolation, ``SPECS``, and those of the delegate."""
        if self._unusable or "properties" in self._silent:
            return SPECS
        try:
            return (*SPECS, *self._keeper.ask("properties"))
        except DelegateError as e:
            self._silent.add("properties")
            warn(DelegateWarning(f"Delegate '{self.name}': its properties are not known: {said(e)}."))
            return SPECS

    def get_property(self, name: str) -> object:
        """The value of a property of the isolation or of the delegate.

        Raises:
            PropertyError: the property is unknown, or the delegate failed.
        """
        if name in _OWN:
            return self.isolation.value(name)
        with _as_property_error(name):
            return self._keeper.ask("delegate", "get_property", name, named="get_property")

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties of the isolation and of the delegate.

        Raises:
            PropertyError: a property or value is unknown, or the delegate failed.
        """
        own = {name: value for name, value in properties.items() if name in _OWN}
        if read_only := next((name for name in own if _OWN[name].kind is None), None):
            raise PropertyError(f"Property {read_only} can only be read.")
        isolation, _ = self.isolation.with_options(own)
        rest = {name: value for name, value in properties.items() if name not in own}
        if rest:
            with _as_property_error(next(iter(rest))):
                self._learn(self._keeper.ask("set_property", rest))
            self._keeper.settings.update(rest)
        self._keeper.isolation = isolation

    def set_run_time_properties(self, kernels: Sequence[Kernel], properties: Mapping[str, object]) -> None:
        """``set_run_time_properties`` of the delegate, and those of the isolation.

        Raises:
            DelegateError: that failed.
        """
        own = {name: value for name, value in properties.items() if name in _OWN}
        rest = {name: value for name, value in properties.items() if name not in own}
        self.set_property(own)
        if rest:
            self._learn(self._keeper.ask("set_run_time_properties", numbers(kernels), rest))

    def property_values(self) -> Values | None:
        """None: values with the functions that belong to them stay in the process."""
        return None

    def limits(self) -> DelegateLimits:
        """``limits`` of the delegate; none where that fails."""
        found: DelegateLimits = self._asked("limits", DelegateLimits())
        return found

    def version(self) -> str:
        """``version`` of the delegate; one that no other equals where that fails."""
        found: str | None = self._asked("version", None)
        return f"isolated, unknown {id(self)}" if found is None else f"isolated, {found}" if found else found

    def follows_threads(self) -> bool:
        """``follows_threads`` of the delegate."""
        return bool(self._asked("follows_threads", False))

    def optimal_requests(self) -> int:
        """``optimal_requests`` of the delegate."""
        return int(self._asked("optimal_requests", 1))

    def requests_that_fit(self, kernels: Sequence[Kernel]) -> int | None:
        """``requests_that_fit`` of the delegate; None where that fails."""
        if "requests_that_fit" in self._silent:
            return None
        try:
            found: int | None = self._keeper.ask("requests_that_fit", numbers(kernels))
        except DelegateError as e:
            self._say_silent("requests_that_fit", e)
            return None
        return found


@contextmanager
def _as_property_error(name: str) -> Any:
    try:
        yield
    except DelegateError as e:
        raise PropertyError(f"Property {name}: {said(e)}.") from e
