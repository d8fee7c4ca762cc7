"""Lane: a graph kernel of another process over shared memory, one byte there and one byte back for each run."""

from __future__ import annotations

import os
import pickle
import socket
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..delegate import current_token, simulated_ready_us, tell_device_run, tell_layers
from ..delegate.calls.cancel import CancelToken, cancelled
from ..delegate.calls.spans import is_listened_to
from ..errors import DelegateError
from ..tensors.tensor import Array
from .passing.channel import ChannelClosed, plain_loads
from .passing.lane_bytes import CANCELLED, FLAGS, LENGTH, LOOKED, PROFILED, READY_US, RUN, WELL
from .passing.memory import new_memory, places
from .passing.messages import Fault
from .process import IsolatedProcess


class Lane:
    """A graph kernel of a process over shared memory, which is taken once.

    Args:
        process: has the kernel.
        kernel: the number of the kernel.
        inputs: the element types and shapes of the inputs that are no constants.
        outputs: the element types and shapes of the outputs.
        build_seconds: that opening it may take.
        run_seconds: that a run may take.

    Attributes:
        inputs: arrays in the shared memory, to be filled before a run.
        outputs: arrays in the shared memory, which a run fills.

    Raises:
        DelegateError: the process ended.
    """

    def __init__(
        self,
        process: IsolatedProcess,
        kernel: int,
        inputs: Sequence[tuple[str, tuple[int, ...]]],
        outputs: Sequence[tuple[str, tuple[int, ...]]],
        *,
        build_seconds: float,
        run_seconds: float,
    ) -> None:
        self.process, self._seconds = process, run_seconds
        reads, size = places(inputs, FLAGS)
        writes, size = places(outputs, size)
        self._end, theirs = socket.socketpair()
        descriptor, memory = new_memory(size)
        try:
            self.inputs = [place.of(memory) for place in reads]
            self.outputs = [place.of(memory) for place in writes]
            self._flags = memoryview(memory)[:FLAGS]
            passed = (descriptor, theirs.fileno())
            process.call("lane", kernel, reads, writes, seconds=build_seconds, named="fork", descriptors=passed)
        finally:
            os.close(descriptor)
            theirs.close()
        self._end.settimeout(run_seconds)

    def run_over(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
        """A function that runs the kernel over arrays, which are copied from and to the shared memory."""
        enters = list(zip(self.inputs, inputs, strict=True))
        leaves = list(zip(outputs, self.outputs, strict=True))
        copy, run = np.copyto, self.run

        def over() -> None:
            for shared, array in enters:
                copy(shared, array)
            run()
            for array, shared in leaves:
                copy(array, shared)

        return over

    def run(self) -> None:
        """Runs the kernel once.

        Raises:
            DelegateError: it failed, or the process ended or gave no answer in time.
            RequestCancelled: the run was cancelled.
        """
        token = current_token()
        try:
            if token is None and not is_listened_to():
                self._end.send(RUN)
                answer = self._end.recv(1)
                if answer == WELL:
                    return
                self._hear(answer)
            else:
                self._run_told(token)
        except TimeoutError as e:
            raise self.process.lost("execute", self._seconds) from e
        except (OSError, ChannelClosed) as e:
            raise self.process.lost("execute") from e
        except DelegateError:
            raise
        except BaseException as e:
            if not (token is not None and token.is_cancelled):
                self.process.kill(f"was killed in execute, which was interrupted by {type(e).__name__}")
            raise

    def _run_told(self, token: CancelToken | None) -> None:
        """A run that can be cancelled, or that somebody hears of."""
        told = PROFILED + READY_US.pack(simulated_ready_us()) if is_listened_to() else RUN
        if token is None:
            self._end.sendall(told)
            self._hear(self._end.recv(1))
            return
        self._flags[CANCELLED] = self._flags[LOOKED] = 0
        token.check()
        with token.waking(self._cancel):
            self._end.sendall(told)
            answer = self._end.recv(1)
        token.looks += self._flags[LOOKED]
        self._hear(answer)
        if token.is_cancelled:
            raise cancelled()

    def _cancel(self) -> None:
        self._flags[CANCELLED] = 1

    def _hear(self, answer: bytes) -> None:
        """Takes what comes behind the first byte of an answer."""
        if answer == WELL:
            return
        if not answer:
            raise ChannelClosed
        (size,) = LENGTH.unpack(self._exactly(LENGTH.size))
        message = _loaded(self._exactly(size))
        if isinstance(message, Fault):
            self.process.fail(message, "execute")
        layers, device_runs = message
        for kernel, each in layers:
            tell_layers(kernel, each)
        for run in device_runs:
            tell_device_run(lambda run=run: run)  # type: ignore[misc]

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            found = self._end.recv(size - len(data))
            if not found:
                raise ChannelClosed
            data += found
        return data

    def close(self) -> None:
        """Lets the thread of the child end."""
        self._end.close()


def _loaded(data: bytes) -> Any:
    try:
        return plain_loads(data)
    except pickle.UnpicklingError as e:
        raise DelegateError(f"execute: what it tells has an object that cannot be passed to here: {e}") from e
