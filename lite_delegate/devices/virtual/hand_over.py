"""The hand-over of a model's runs from the CPU to a device, for which the model is compiled in the background."""

from __future__ import annotations

import atexit
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Event, Lock, Thread, main_thread
from types import MappingProxyType
from weakref import WeakSet

from ...basics.failures import said
from ...basics.forking import free, free_in_children
from ...basics.unforeseen import FAILURES
from ...delegate import CancelToken, set_token
from ...errors import (
    DelegateExecuteError,
    DelegateWarning,
    DeviceLost,
    DynamicShapeError,
    FallbackError,
    LiteDelegateError,
    RequestCancelled,
)
from ...inference.executor.executor import EXIT_SECONDS
from ...inference.model.compiled_model import CompiledModel
from ...inference.model.status import AutoStatus, DeviceState, DeviceStatus, Estimate
from ..registry.names import CPU
from ..settings.auto_choice import PassedOver
from .estimates import estimate_of

MOST_FAILURES = 2
"""The number of failed runs after which a device gets no more runs."""


class HandOver:
    """The device that a model's runs go to, and the background compilation that changes it. Safe for several threads.

    Args:
        names: the names of the devices before the CPU, in order.
        falls_back: whether runs that fail on a device are repeated on the CPU.
        weighs: whether the CPU keeps a model that it is expected to run clearly faster than a device.
    """

    def __init__(self, names: Sequence[str], *, falls_back: bool, weighs: bool = False) -> None:
        self._names = tuple(names)
        self._weighs = weighs
        self._estimates: dict[str, Estimate] = {}
        self._falls_back = falls_back
        self._status = {name: DeviceStatus(DeviceState.WAITING) for name in names}
        self._status[CPU] = DeviceStatus(DeviceState.STANDING_IN)
        self._found: tuple[str, CompiledModel] | None = None
        self._later: dict[str, object] = {}
        self._error: Exception | None = None
        self._failures = self._repeated = 0
        self._is_closed = False
        self._ready = Event()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._token = CancelToken()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: the child process has no compiling thread, so its runs stay on the CPU."""
        free(self._lock)
        self._thread = None
        self._ready.set()

    @property
    def found(self) -> tuple[str, CompiledModel] | None:
        """The device that runs go to, with the model compiled for it; None for the CPU."""
        return self._found

    @property
    def status(self) -> AutoStatus:
        """The state of each device, with its estimates, and the number of repeated runs."""
        with self._lock:
            active = CPU if self._found is None else self._found[0]
            status, estimates = dict(self._status), dict(self._estimates)
            return AutoStatus(active, MappingProxyType(status), self._repeated, MappingProxyType(estimates))

    @property
    def later(self) -> Mapping[str, object]:
        """The properties that are set on the device's model once runs go to it."""
        with self._lock:
            return MappingProxyType(dict(self._later))

    def keep(self, properties: Mapping[str, object]) -> CompiledModel | None:
        """Keeps properties for the device's model; where runs go to that model already, gives the model instead."""
        with self._lock:
            if self._found is None:
                self._later.update(properties)
            return None if self._found is None else self._found[1]

    def start(self, compiled: Callable[[str], CompiledModel]) -> None:
        """Starts a thread that compiles for one device after the other until a device takes the model."""
        self._thread = Thread(target=self._compile, args=(compiled,), name="lite_delegate AUTO", daemon=True)
        _STARTED.add(self)
        self._thread.start()

    def wait(self, timeout: float | None) -> bool:
        """Waits until the compilation has ended; False where the timeout in seconds ends first.

        Raises:
            Exception: the error of a failed compilation, where no device took the model.
        """
        if not self._ready.wait(timeout):
            return False
        if self._error is not None:
            raise self._error
        return True

    def close(self) -> None:
        """Cancels the compilation, and closes the model that was compiled for a device."""
        with self._lock:
            self._is_closed = True
            found, self._found = self._found, None
        self.cancel(None)
        if found is not None:
            found[1].close()

    def cancel(self, seconds: float | None) -> None:
        """Cancels the compilation, and waits for its end.

        Args:
            seconds: the seconds to wait at most; None: without limit.
        """
        self._token.cancel()
        if self._thread is not None:
            self._thread.join(seconds)

    def take_back(self, name: str, error: DelegateExecuteError) -> None:
        """Notes a run that failed on a device; a device that is lost or fails again gets no more runs.

        Raises:
            DelegateExecuteError: the error, where runs are not repeated.
        """
        if not self._falls_back:
            raise error
        with self._lock:
            self._repeated += 1
            self._failures += 1
            is_over = isinstance(error, DeviceLost) or self._failures >= MOST_FAILURES
            if not is_over or self._found is None:
                return
            log, self._found = self._found[1].log, None
            self._status[name] = DeviceStatus(DeviceState.FAILED, str(error))
            self._status[CPU] = DeviceStatus(DeviceState.ACTIVE)
        log.write("LOG_INFO", "AUTO: runs go to the CPU from now on, not to device '%s': %s", name, error)
        _warn(f"AUTO: the CPU runs instead of device '{name}': {error}")

    def _compile(self, compiled: Callable[[str], CompiledModel]) -> None:
        set_token(self._token)
        try:
            for name in self._names:
                if self._is_closed or self._takes(name, compiled):
                    return
            with self._lock:
                self._status[CPU] = DeviceStatus(DeviceState.ACTIVE)
        finally:
            self._ready.set()

    def _takes(self, name: str, compiled: Callable[[str], CompiledModel]) -> bool:
        """Compiles for a device; True where runs go to it now."""
        self._status[name] = DeviceStatus(DeviceState.COMPILING)
        try:
            model = compiled(name)
        except RequestCancelled:  # by ``close``
            return True
        except FAILURES as e:  # a delegate's own code may raise anything, and the thread's end would be silent
            if self._token.is_cancelled or not main_thread().is_alive():  # imports fail at the end of the process
                return True
            is_whole = isinstance(e, (DynamicShapeError, FallbackError, PassedOver)) and e.__cause__ is None
            state = DeviceState.PASSED_OVER if is_whole else DeviceState.FAILED
            reason = said(e)
            self._status[name] = DeviceStatus(state, reason)
            if not is_whole:
                self._error = e
            with suppress(DelegateWarning):  # where warnings are errors, no caller in this thread could catch the error
                what = "is passed over" if is_whole else "failed"
                _warn(f"AUTO: device '{name}' {what}, the CPU goes on: {reason}")
            return False
        if self._is_slower(name, model):
            return False
        if self._goes_over(name, model):
            model.log.write("LOG_INFO", "AUTO: runs go to device '%s' from now on, not to the CPU", name)
        else:
            model.close()
        return True

    def _is_slower(self, name: str, model: CompiledModel) -> bool:
        """Whether a device is slower than the CPU; then the device's model is closed, and the CPU keeps the runs."""
        estimate = estimate_of(model.partition)
        if estimate is None:
            return False
        with self._lock:
            self._estimates[name] = estimate
            if not self._weighs or not estimate.is_slower:
                return False
            self._status[name] = DeviceStatus(DeviceState.PASSED_OVER, estimate.text(name))
        model.close()
        return True

    def _goes_over(self, name: str, model: CompiledModel) -> bool:
        """Lets runs go to a device from now on, unless the hand-over was closed."""
        with self._lock:
            if self._is_closed:
                return False
            self._error = None
            self._set_what_was_kept(name, model)
            self._found = name, model
            self._status[name] = DeviceStatus(DeviceState.ACTIVE)
            self._status[CPU] = DeviceStatus(DeviceState.UNUSED)
            for other, status in self._status.items():
                if status.state is DeviceState.WAITING:
                    self._status[other] = DeviceStatus(DeviceState.UNUSED)
            return True

    def _set_what_was_kept(self, name: str, model: CompiledModel) -> None:
        """Sets the kept properties on a device's model, as far as it has them."""
        has = model.get_property("SUPPORTED_PROPERTIES")
        assert isinstance(has, tuple)
        mine = {key: value for key, value in self._later.items() if key in has}
        try:
            model.set_property(mine)
        except LiteDelegateError as e:
            with suppress(DelegateWarning):  # as above
                _warn(f"AUTO: device '{name}' does not take the properties that were set on the model: {e}")


_STARTED: WeakSet[HandOver] = WeakSet()


@atexit.register
def _end_all() -> None:
    """Cancels all compilations when the process ends, and waits for their end."""
    for each in list(_STARTED):
        each.cancel(EXIT_SECONDS)


def _warn(text: str) -> None:
    warnings.warn(DelegateWarning(text), stacklevel=2)
