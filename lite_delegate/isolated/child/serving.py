"""The main loop of the child process: calls the delegate as the parent asks, one call at a time."""

from __future__ import annotations

import multiprocessing.spawn
import os
import pickle
import signal
import socket
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import Any

from ...delegate import Delegate, Kernel
from ...delegate.calls.calls import initialize, prepare, resize
from ...delegate.kept_results import keeping_result
from ...delegate.open_shapes import planning_open
from ...delegate.samples import sampling
from ...delegate.wishes import wishing
from ...errors import DelegateError
from ...properties import PropertySpec
from ...tensors.tensor import Tensor
from ..passing.channel import Channel, ChannelClosed
from ..passing.memory import ArrayPlace, mapped, packed
from ..passing.messages import Answer, BuildEvent, ChildCall, DelegateFacts, Fault, GraphNote, Snapshot
from .building import build_all, built_again, created
from .faults import fault_of_error
from .lanes import execute_over, open_lane
from .mirrors import Mirrors
from .samples import RemoteSamples

ATTRIBUTES = (
    "name",
    "storage_dtype",
    "special_values",
    "infinite_results",
    "quantized_steps",
    "needs_bounds",
    "wanted_samples",
    "takes_control_flow",
    "takes_endless_loops",
    "is_simulated",
    "compiles_off_device",
)
"""Attributes of a delegate that its parent shows."""


def serve(control: int, folder: str, memory: int) -> None:
    """Answers calls until the parent is gone.

    Args:
        control: the descriptor of the socket.
        folder: the folder of this process's own, its working folder once the delegate is made.
        memory: bytes that the process may take for its data; 0: no limit.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    warnings.simplefilter("ignore")  # outside of calls nobody hears them
    _limit(memory)
    server = Server(Channel(socket.socket(fileno=control)), folder)
    with suppress(ChannelClosed):
        while True:
            server.answer_next()
    os._exit(0)  # nothing of the delegate's is to run any more


def _limit(memory: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if memory:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


class Server:
    """Calls the methods of a delegate, and of the graph kernels that it made: each public method answers calls.

    Args:
        channel: the channel to the parent.
        folder: the folder of this process's own.
    """

    def __init__(self, channel: Channel, folder: str) -> None:
        self._channel, self._folder = channel, folder
        self._mirrors = Mirrors()
        self._delegate = Delegate()
        self._origins: dict[int, object] = {}
        self._memories: dict[int, Callable[[], object]] = {}
        self._descriptors: list[int] = []
        self._answered: list[int] = []

    def answer_next(self) -> None:
        """Waits for a call and answers it.

        Raises:
            ChannelClosed: the parent is gone.
        """
        try:
            call, self._descriptors = self._channel.receive()
        except ChannelClosed:
            raise
        except BaseException as e:  # making the function that makes the delegate imports the delegate's own code
            self._reply(fault_of_error(e), ())
            return
        reply: Answer | Fault
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
                warnings.simplefilter("ignore", category)  # as Python does where nobody asks
            try:
                reply = Answer(self._answer(call))
            except BaseException as e:  # the delegate's own code may raise anything
                reply = fault_of_error(e)
        self._reply(reply, given)

    def _answer(self, call: ChildCall) -> object:
        memory = mapped(self._descriptors.pop(0)) if _has_contents(call) else None
        self._mirrors.take(call.news, memory)
        around = call.around
        origin = self._origins.setdefault(around.origin, object()) if around.origin else None
        samples = RemoteSamples(self._channel, self._mirrors, around.samples) if around.samples else None
        kept = keeping_result() if around.is_kept else nullcontext()
        try:
            with wishing(around.wishes), planning_open(origin), sampling(samples), kept:
                return getattr(self, call.method)(*call.arguments)
        finally:
            self._mirrors.forget(call.news)  # a kernel may be released after its last user has gone

    def _reply(self, reply: Answer | Fault, given: Sequence[warnings.WarningMessage]) -> None:
        texts = tuple(dict.fromkeys(str(each.message)[:1000] for each in given))
        try:
            self._channel.send(replace(reply, warnings=texts), self._answered)
        except ChannelClosed:
            raise
        except Exception as e:  # an answer may be any object
            text = f"its answer cannot be passed to another process: {type(e).__name__}: {e}"
            self._channel.send(fault_of_error(DelegateError(text)))
        finally:
            for descriptor in self._answered:
                os.close(descriptor)
            self._answered = []

    def make(self, maker: bytes, folder: str, main: dict[str, object]) -> DelegateFacts:
        """Makes the delegate, in the parent's working folder.

        Args:
            maker: a pickled function, without arguments.
            folder: the parent's working folder.
            main: the parent's script, which is imported as ``multiprocessing`` does, where the function is in it.
        """
        with suppress(OSError):
            os.chdir(folder)
        if main:
            multiprocessing.spawn.prepare(main)
        made = pickle.loads(maker)()
        os.chdir(self._folder)
        if not isinstance(made, Delegate):
            raise DelegateError(f"a delegate was expected, found {type(made).__name__}.")
        self._delegate = made
        return self.facts()

    def facts(self) -> DelegateFacts:
        """The attributes of the delegate."""
        delegate = self._delegate
        found = {name: getattr(delegate, name) for name in ATTRIBUTES}
        found["quantized_steps"] = dict(delegate.quantized_steps)
        return DelegateFacts(found, delegate.overrides_build)

    def init(self, name: str) -> DelegateFacts:
        """``Delegate.init``, of a delegate that the parent calls ``name``."""
        self._delegate.name = name
        initialize(self._delegate)
        return self.facts()

    def delegate(self, method: str, *arguments: object) -> object:
        """A method of the delegate that takes and gives plain objects."""
        return getattr(self._delegate, method)(*arguments)

    def set_property(self, properties: Mapping[str, object]) -> DelegateFacts:
        """``Delegate.set_property``."""
        self._delegate.set_property(properties)
        return self.facts()

    def properties(self) -> Sequence[PropertySpec]:
        """``Delegate.properties``, without functions, which the parent cannot call."""
        return [replace(spec, implied=None) for spec in self._delegate.properties()]

    def set_run_time_properties(self, kernels: Sequence[int], properties: Mapping[str, object]) -> DelegateFacts:
        """``Delegate.set_run_time_properties``."""
        self._delegate.set_run_time_properties(self._mirrors.kernels(kernels), properties)
        return self.facts()

    def requests_that_fit(self, kernels: Sequence[int]) -> int | None:
        """``Delegate.requests_that_fit``."""
        return self._delegate.requests_that_fit(self._mirrors.kernels(kernels))

    def survey(self, kernels: Sequence[int]) -> None:
        """``Delegate.survey``."""
        self._delegate.survey(self._mirrors.kernels(kernels))

    def supports(self, kernel: int) -> object:
        """``Delegate.supports``."""
        return self._delegate.supports(self._mirrors.kernel(kernel))

    def unmatched(self, kernels: Sequence[int], removed: Sequence[Any]) -> Sequence[str]:
        """``Delegate.unmatched``."""
        return tuple(self._delegate.unmatched(self._mirrors.kernels(kernels), removed))

    def estimate_transfer(self, tensor: int) -> float | None:
        """``Delegate.estimate_transfer``."""
        return self._delegate.estimate_transfer(self._mirrors.tensor(tensor))

    def create(self, snapshot: Snapshot, run: Sequence[int]) -> GraphNote:
        """``Delegate.create_graph_kernel``."""
        return created(self._delegate, self._mirrors, snapshot, run)

    def build(self, snapshot: Snapshot) -> None:
        """``Delegate.build``; the parent gets an event for each call of the model."""
        build_all(self._delegate, self._mirrors, snapshot, self._tell)

    def build_again(self, snapshot: Snapshot, run: Sequence[int]) -> GraphNote:
        """``Delegate.build`` with a model that offers one run only."""
        return built_again(self._delegate, self._mirrors, snapshot, run)

    def _tell(self, event: BuildEvent) -> None:
        self._channel.send(event)

    def export_kernel(self, kernel: int) -> bytes | None:
        """``Delegate.export_kernel``."""
        found = self._delegate.export_kernel(self._mirrors.kernel(kernel))
        return None if found is None else bytes(found)

    def device_file(self, kernel: int) -> tuple[bytes, str, str] | None:
        """``Delegate.device_file``, field by field."""
        found = self._delegate.device_file(self._mirrors.kernel(kernel))
        return None if found is None else (bytes(found.content), found.suffix, found.runtime)

    def import_kernel(self, inputs: Sequence[int], outputs: Sequence[int]) -> GraphNote:
        """``Delegate.import_kernel``; the bytes are in the memory that comes with the call."""
        data = memoryview(mapped(self._descriptors.pop(0))).toreadonly()
        reads, writes = self._mirrors.tensors(inputs), self._mirrors.tensors(outputs)
        return self._mirrors.keep(self._delegate.import_kernel(data, reads, writes))

    def prepare(self, kernel: int, name: str, method: str) -> None:
        """``Kernel.prepare`` or ``rehearse``, of a graph kernel that the parent calls ``name``."""
        found = self._mirrors.kernel(kernel)
        found.name = name
        prepare(found, getattr(found, method))

    def kernel(self, kernel: int, name: str) -> object:
        """What a graph kernel says of itself: an attribute, or a method without arguments."""
        found = getattr(self._mirrors.kernel(kernel), name)
        value = found() if callable(found) else found
        return dict(value) if isinstance(value, Mapping) else value

    def fork(self, kernel: int, name: str, inputs: Sequence[int], outputs: Sequence[int]) -> GraphNote | None:
        """``Kernel.fork``, of a graph kernel that the parent calls ``name``."""
        found = self._mirrors.kernel(kernel)
        known = {id(t) for t in self._mirrors.known(found)}
        given = iter(self._mirrors.tensors(inputs))
        reads = [next(given) if id(t) in known else t for t in found.inputs]
        forked = found.fork(reads, self._mirrors.tensors(outputs))
        if forked is None:
            return None
        forked.name = name
        return self._mirrors.keep(forked)

    def resize(self, kernel: int, shapes: Mapping[int, list[int]]) -> None:
        """``Kernel.resize``, after tensors have got new shapes."""
        for number, shape in shapes.items():
            self._mirrors.tensor(number).shape = shape
        resize(self._mirrors.kernel(kernel))

    def take_request_memory(self, kernel: int, states: Sequence[int]) -> tuple[int, int] | None:
        """``Kernel.take_request_memory``: the bytes, and the number by which they are given back."""
        found = self._mirrors.kernel(kernel)
        found.states = frozenset(self._mirrors.tensors(states))
        taken = found.take_request_memory()
        if taken is None:
            return None
        number = max(self._memories, default=0) + 1
        self._memories[number] = taken.give_back
        return taken.nbytes, number

    def give_request_memory(self, number: int) -> None:
        """Gives memory of a request back."""
        self._memories.pop(number)()

    def lane(self, kernel: int, inputs: Sequence[ArrayPlace], outputs: Sequence[ArrayPlace]) -> None:
        """Opens a lane over the memory and the socket that come with the call."""
        memory, end = self._descriptors
        open_lane(socket.socket(fileno=end), memory, *self._runs(kernel), inputs, outputs)

    def run(self, kernel: int, inputs: Sequence[ArrayPlace]) -> tuple[ArrayPlace, ...]:
        """Runs a graph kernel whose outputs have open shapes; they are in the memory that comes with the answer."""
        memory = mapped(self._descriptors.pop(0))
        found, tensors = self._runs(kernel)
        results = execute_over(found, tensors, [place.of(memory, is_read_only=True) for place in inputs], None)
        places, descriptor = packed(results)
        self._answered.append(descriptor)
        return places

    def _runs(self, kernel: int) -> tuple[Kernel, list[Tensor]]:
        """A graph kernel and the tensors that the parent fills before it runs."""
        found = self._mirrors.kernel(kernel)
        return found, [t for t in self._mirrors.known(found) if not t.is_const]


def _has_contents(call: ChildCall) -> bool:
    return any(isinstance(tensor.contents, ArrayPlace) for tensor in call.news.tensors)
