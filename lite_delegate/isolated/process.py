"""The process of a delegate as its parent sees it: started, called with time limits, and how it ended."""

from __future__ import annotations

import json
import logging
import os
import pickle
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing.spawn import get_preparation_data
from pathlib import Path
from threading import Lock, RLock
from time import monotonic
from typing import Any, TypeAlias

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.forking import free, free_in_children
from ..basics.warned import warn
from ..errors import DelegateError, DelegateUnavailable, DelegateWarning
from .directory import Directory
from .folder import new_folder, remove_folder
from .isolation import Isolation
from .passing.channel import Channel, ChannelClosed, plain_loads
from .passing.messages import Answer, BuildEvent, ChildCall, Fault, SamplesWanted
from .raising import error_of
from .sample_answers import answer_samples
from .spawned import Spawned

OLDEST_PYTHON = (3, 11)
OLDEST_NUMPY = (1, 26)
PACKAGES = ("lite_delegate", "lite_delegate_kernels", "lite_delegate_fast", "lite_delegate_schemas")
Describe: TypeAlias = Callable[[Directory], tuple[object, ...]]
_log = logging.getLogger("lite_delegate")
_ROOT = Path(__file__).parents[2]
_BOOTSTRAP = Path(__file__).parent / "child" / "bootstrap.py"


class ProcessEnded(DelegateError):
    """The process of a delegate ended, or was killed, during a call."""


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A call, with the arguments of ``IsolatedProcess.call``."""

    method: str
    arguments: tuple[object, ...]
    seconds: float
    named: str
    describe: Describe | None = None
    descriptors: Sequence[int] = ()
    heard: Callable[[BuildEvent], None] | None = None
    take: Callable[[int], object] | None = None


class IsolatedProcess:
    """A process that serves one delegate. Safe for several threads: calls take turns.

    Args:
        isolation: the interpreter and the limits.
        maker: a pickled function that makes the delegate.

    Attributes:
        directory: the kernels and tensors that it knows.
        reason: how it ended; "" while it is there.

    Raises:
        DelegateUnavailable: it cannot be started, or the delegate cannot be made there.
    """

    def __init__(self, isolation: Isolation, maker: bytes) -> None:
        if not hasattr(os, "memfd_create"):
            raise DelegateUnavailable("A delegate in a process of its own needs Linux.")
        self.directory = Directory()
        self._memory = isolation.memory
        self.reason = ""
        self._lock, self._ending = Lock(), RLock()
        self._folder = new_folder()
        self._later: list[_Asked] = []
        try:
            self._spawned = Spawned(isolation.python or sys.executable, str(_BOOTSTRAP), self._folder)
        except OSError as e:
            remove_folder(self._folder)
            raise DelegateUnavailable(f"The interpreter '{isolation.python}' cannot be started: {e}.") from e
        self._channel = Channel(self._spawned.control, plain_loads)
        free_in_children(self)
        try:
            self._greet(isolation)
        except BaseException:
            self.end()
            raise
        self._maker = maker

    def after_fork(self) -> None:
        """See ``forking``: the process is the parent's, a forked child starts another."""
        free(self._lock)
        free(self._ending)
        self.reason = "it belongs to the process from which this one was forked"
        self._spawned.forget()

    @property
    def has_ended(self) -> bool:
        """Whether it can be called no more."""
        return bool(self.reason)

    @property
    def output(self) -> str:
        """What it has printed last."""
        return self._spawned.output.text

    def make(self, seconds: float) -> Any:
        """Makes the delegate there, and gives its ``DelegateFacts``.

        Raises:
            DelegateError: the delegate's code failed.
            ProcessEnded: the process ended.
        """
        return self.call("make", self._maker, os.getcwd(), _main_of(self._maker), seconds=seconds)

    def call(
        self,
        method: str,
        *arguments: object,
        seconds: float,
        named: str = "",
        describe: Describe | None = None,
        descriptors: Sequence[int] = (),
        heard: Callable[[BuildEvent], None] | None = None,
        take: Callable[[int], object] | None = None,
    ) -> Any:
        """Calls a method of the child's ``Server``.

        Args:
            method: its name.
            arguments: its arguments.
            seconds: the time that it has, from one event to the next.
            named: the delegate's method, for messages; "": ``method``.
            describe: gives further arguments, with the numbers of kernels and tensors that the directory has.
            descriptors: go with the call.
            heard: is called with each event.
            take: gets the descriptor that comes with the answer, and closes it.

        Raises:
            ProcessEnded: the process ended, or gave no answer in time and was killed.
            DelegateError: the delegate's code failed.
        """
        asked = _Asked(method, arguments, seconds, named or method, describe, descriptors, heard, take)
        with self._lock:
            self._settle()
            return self._called(asked)

    def later(self, method: str, *arguments: object, seconds: float, named: str) -> None:
        """Calls a method whose answer nobody waits for, now or before the next call: never blocks for another call.

        Raises:
            DelegateError: it was called now and failed.
        """
        if not self._lock.acquire(blocking=False):
            self._later.append(_Asked(method, arguments, seconds, named))
            return
        try:
            self._settle()
            if not self.reason:
                self._called(_Asked(method, arguments, seconds, named))
        finally:
            self._lock.release()

    def end(self) -> None:
        """Lets the process end, and kills it where it does not. Its folder goes."""
        self._close("it was ended", is_gentle=True)

    def kill(self, reason: str) -> None:
        """Kills the process."""
        self._close(reason, is_gentle=False)

    def lost(self, named: str, seconds: float | None = None) -> ProcessEnded:
        """The error of a call that got no answer; the process is killed where it has not ended.

        Args:
            named: the delegate's method.
            seconds: the time that it had; None: it ended by itself.
        """
        with self._ending:
            if not self.reason and seconds is None:
                how = self._spawned.ended()
                self._close(f"ended {how} in {named}{self._printed()}", is_gentle=False)
            elif not self.reason:
                self._close(f"gave no answer within {seconds:g} s in {named}, and was killed", is_gentle=False)
                self.reason += self._printed()
        return ProcessEnded(f"the delegate's own process {self.reason}")

    def _printed(self) -> str:
        lines = self._spawned.output.last_lines()
        return f" (its last output: {lines})" if lines else ""

    def _settle(self) -> None:
        while self._later:
            asked = self._later.pop(0)
            try:
                if not self.reason:
                    self._called(asked)
            except DelegateError as e:  # nobody waits for it
                _log.warning("a delegate's own process: %s", e)

    def _called(self, asked: _Asked) -> Any:
        if self.reason:
            raise ProcessEnded(f"the delegate's own process {self.reason}")
        more = () if asked.describe is None else asked.describe(self.directory)
        try:
            news, memory = self.directory.take_news()
        except OSError as e:
            raise DelegateError(f"{asked.named}: the constants cannot be put in shared memory: {e}") from e
        descriptors = [*asked.descriptors] if memory is None else [memory, *asked.descriptors]
        call = ChildCall(asked.method, (*asked.arguments, *more), news, self.directory.around())
        try:
            self._channel.end.settimeout(asked.seconds)
            self._channel.send(call, descriptors)
            return self._answered(asked)
        except ChannelClosed as e:
            raise self.lost(asked.named) from e
        except TimeoutError as e:
            raise self.lost(asked.named, asked.seconds) from e
        except DelegateError:
            raise
        except BaseException as e:  # an interrupt, or an argument that cannot be sent: the two are out of step
            self.kill(f"was killed in {asked.named}, which was interrupted by {type(e).__name__}")
            raise
        finally:
            if memory is not None:
                os.close(memory)

    def _answered(self, asked: _Asked) -> Any:
        stopped: DelegateError | None = None
        while True:
            try:
                message, descriptors = self._channel.receive()
            except pickle.UnpicklingError as e:
                text = f"{asked.named}: its answer has an object that cannot be passed to this process: {e}"
                raise DelegateError(text) from e
            if isinstance(message, SamplesWanted):
                answer_samples(self._channel, self.directory, message)
                continue
            if isinstance(message, BuildEvent):
                try:
                    if asked.heard is not None and stopped is None:
                        asked.heard(message)
                except DelegateError as e:  # the answer is still to come
                    stopped = e
                continue
            for descriptor in descriptors:
                os.close(descriptor) if asked.take is None else asked.take(descriptor)
            for text in message.warnings:
                warn(DelegateWarning(text))
            if stopped is not None:
                raise stopped
            if isinstance(message, Answer):
                return message.value
            assert isinstance(message, Fault)
            self.fail(message, asked.named)

    def fail(self, fault: Fault, named: str) -> None:
        """Raises the error of a fault, and kills a process whose memory has run out."""
        if not fault.ends:
            raise error_of(fault)
        limit = f"; it may take {counted(self._memory, 'byte')}" if self._memory else ""
        self.kill(f"ran out of memory in {named}{limit}")
        raise ProcessEnded(f"the delegate's own process {self.reason}")

    def _greet(self, isolation: Isolation) -> None:
        """Takes the greeting of the interpreter, and tells it where the packages are.

        Raises:
            DelegateUnavailable: it is too old, or does not greet.
        """
        who = f"The interpreter '{isolation.python or sys.executable}'"
        deadline = monotonic() + isolation.start_seconds
        try:
            found = json.loads(_line(self._channel.end, deadline))
        except (OSError, ValueError, ChannelClosed) as e:
            seconds = isolation.start_seconds if isinstance(e, TimeoutError) else None
            raise DelegateUnavailable(f"{who} does not start: {self.lost('its start', seconds)}.") from e
        if why := unfit(found):
            raise DelegateUnavailable(f"{who} cannot run a delegate: {why}.")
        told = {
            "roots": {name: str(_folder_of(name)) for name in PACKAGES},
            "path": _path(isolation.python),
            "folder": self._folder,
            "memory": isolation.memory,
        }
        with suppress(OSError):
            self._channel.end.sendall(json.dumps(told).encode() + b"\n")

    def _close(self, reason: str, *, is_gentle: bool) -> None:
        with self._ending:
            if self.reason:
                return
            self.reason = reason
            self._spawned.close(is_gentle=is_gentle)
            remove_folder(self._folder)


def unfit(found: Mapping[str, Any]) -> str:
    """Why an interpreter of these versions cannot run a delegate; "" where it can."""
    python = tuple(found["python"])
    if python < OLDEST_PYTHON:
        return f"Python must be {_text(OLDEST_PYTHON)} or newer, is {_text(python)}"
    if found["numpy"] is None:
        return f"numpy cannot be imported there ({found['error']})"
    numpy = tuple(int(part) for part in found["numpy"].split(".")[:2])
    if numpy < OLDEST_NUMPY:
        return f"numpy must be {_text(OLDEST_NUMPY)} or newer, is {found['numpy']}"
    return ""


def _text(version: Sequence[int]) -> str:
    return ".".join(map(str, version))


def _folder_of(package: str) -> Path:
    """The folder that a package of this distribution is in."""
    place = sys.modules.get(package)
    file = getattr(place, "__file__", None)
    if file is not None:
        return Path(file).parents[1]
    from importlib.util import find_spec

    spec = find_spec(package)
    return _ROOT if spec is None or spec.origin is None else Path(spec.origin).parents[1]


def _path(python: str) -> list[str]:
    """The folders of modules that the child gets: another interpreter has packages of its own."""
    here = os.getcwd()
    return [here] if python else list(dict.fromkeys(os.path.join(here, each) for each in sys.path))


def _main_of(maker: bytes) -> dict[str, object]:
    """The script of this process, for a delegate whose class is in it, in the words of ``multiprocessing``."""
    if b"__main__" not in maker:
        return {}
    return {name: value for name, value in get_preparation_data("").items() if name.startswith("init_main")}


def _line(end: socket.socket, deadline: float) -> bytes:
    text = b""
    while not text.endswith(b"\n"):
        end.settimeout(max(deadline - monotonic(), 0.001))
        byte = end.recv(1)
        if not byte:
            raise ChannelClosed
        text += byte
    return text
