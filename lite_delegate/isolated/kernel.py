"""IsolatedKernel: a graph kernel of a delegate's own process, as the parent runs it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, cast
from weakref import finalize

import numpy as np

from ..delegate import BoundKernel, DeviceEstimate, Kernel, RequestMemory
from ..errors import DelegateError, DelegateExecuteError, DeviceLost
from ..ir import DataType, has_numpy, to_numpy
from ..tensors.tensor import Array, Tensor
from .directory import Directory
from .keeper import Keeper
from .lane import Lane
from .passing.memory import ArrayPlace, mapped, packed
from .passing.messages import GraphNote
from .process import IsolatedProcess, ProcessEnded

Recipe = Callable[[IsolatedProcess], GraphNote]
"""Makes the graph kernel in a process, again after another process ended."""


class IsolatedKernel(BoundKernel):
    """A graph kernel of a delegate's own process. After the process has ended, the next use makes it in another one.

    Args:
        keeper: the keeper of the process.
        note: the graph kernel in the process.
        process: has made it.
        inputs: the tensors that it reads, which the process knows.
        outputs: the tensors that it writes.
        recipe: makes it again.
        stands_for: the kernels that it stands for.
    """

    has_own_threads = True

    def __init__(
        self,
        keeper: Keeper,
        note: GraphNote,
        process: IsolatedProcess,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        recipe: Recipe,
        stands_for: Sequence[Kernel] = (),
    ) -> None:
        super().__init__(note.name, note.type, inputs, outputs)
        self._keeper, self._recipe, self._stands_for = keeper, recipe, tuple(stands_for)
        self._process, self._number = process, note.number
        self._prepared = ""
        self._lane: Lane | None = None
        self._hold()

    @property
    def process(self) -> IsolatedProcess:
        """The process that has it, or had it."""
        return self._process

    @property
    def number(self) -> int:
        """Its number there."""
        return self._number

    def there(self) -> tuple[IsolatedProcess, int]:
        """The process that has the graph kernel, and its number there; it is made again where the former one ended.

        Raises:
            DelegateError: it cannot be made again, or the process may not be started again.
        """
        if self._process.has_ended:
            with self._keeper.making:
                self._make_again()
        return self._process, self._number

    def _make_again(self) -> None:
        if not self._process.has_ended:  # another thread was quicker
            return
        process = self._keeper.process()
        note, method = self._recipe(process), self._prepared
        if method:  # where that fails, the next use begins anew
            seconds = self._keeper.isolation.build_seconds
            process.call("prepare", note.number, self.name, method, seconds=seconds, named=method)
        self._drop_lane()
        self._process, self._number = process, note.number
        self._hold()

    def _drop_lane(self) -> None:
        if self._lane is not None:
            self._lane.close()
            self._lane = None

    def _hold(self) -> None:
        """Keeps its tensors known to the process for as long as it lives."""
        directory = self._process.directory
        directory.hold(self._number, self, directory.loose((*self.inputs, *self.outputs)))

    def prepare(self) -> None:
        """Prepares it in its process.

        Raises:
            DelegateError: that failed, or ended the process.
        """
        self._prepare("prepare")

    def rehearse(self) -> None:
        """Rehearses it in its process.

        Raises:
            DelegateError: that failed, or ended the process.
        """
        self._prepare("rehearse")

    def _prepare(self, method: str) -> None:
        process, number = self.there()
        seconds = self._keeper.isolation.build_seconds
        process.call("prepare", number, self.name, method, seconds=seconds, named=method)
        self._prepared = method

    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object]:
        """A function that runs it over arrays, which are copied to and from memory that the process shares.

        Raises:
            DelegateExecuteError: the process cannot be started, or the graph kernel cannot be made there.
        """
        with _executing(self):
            over = self._opened().run_over(inputs, outputs)

        def run() -> None:
            nonlocal over
            with _executing(self):
                if self._process.has_ended:
                    over = self._opened().run_over(inputs, outputs)
                over()

        return run

    def execute(self) -> None:
        """Runs it over new outputs.

        Raises:
            DelegateExecuteError: it failed, or the process ended.
        """
        if all(map(_has_place, (*self._variable_inputs, *self.outputs))):
            super().execute()
            return
        with _executing(self):
            process, number = self.there()
            arrays = [np.asarray(t.data, order="C") for t in self._variable_inputs]
            found, descriptor = packed(arrays)
            results: list[Any] = []
            try:
                answer: Sequence[ArrayPlace] = process.call(
                    "run",
                    number,
                    found,
                    seconds=self._keeper.isolation.run_seconds,
                    named="execute",
                    descriptors=(descriptor,),
                    take=lambda given: results.append(mapped(given)),
                )
            finally:
                os.close(descriptor)
            for tensor, place in zip(self.outputs, answer, strict=True):
                tensor.data = place.of(results[0])

    @property
    def _variable_inputs(self) -> list[Tensor]:
        return [t for t in self.inputs if not t.is_const]

    def _opened(self) -> Lane:
        """The lane, which is opened for the first run."""
        process, number = self.there()
        if self._lane is None:
            self._lane = Lane(
                process,
                number,
                [_spec(t) for t in self._variable_inputs],
                [_spec(t) for t in self.outputs],
                build_seconds=self._keeper.isolation.build_seconds,
                run_seconds=self._keeper.isolation.run_seconds,
            )
            finalize(self, self._lane.close).atexit = False  # a lane that was closed is closed again
        return self._lane

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> IsolatedKernel | None:
        """A fork of it in its process; None where the delegate's graph kernel cannot be forked.

        Raises:
            DelegateError: that failed, or ended the process.
        """
        note = self._forked(inputs, outputs)
        if note is None:
            return None

        def again(process: IsolatedProcess) -> GraphNote:
            made = self._forked(inputs, outputs)
            if made is None:
                raise DelegateError(f"Graph kernel '{self.name}' ({self.type}) was forked before, and is not now.")
            return made

        return IsolatedKernel(self._keeper, note, self._process, inputs, outputs, again, self._stands_for)

    def _forked(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> GraphNote | None:
        process, number = self.there()
        made: GraphNote | None = process.call(
            "fork",
            number,
            self.name,
            seconds=self._keeper.isolation.build_seconds,
            describe=lambda directory: (directory.loose(inputs), directory.loose(outputs)),
        )
        return made

    def resize(self) -> None:
        """Lets it follow new shapes in its process.

        Raises:
            ResizeUnsupported: it cannot.
            DelegateError: that failed, or ended the process.
        """
        process, number = self.there()
        tensors = {id(t): t for k in (self, *self._stands_for) for t in (*k.inputs, *k.outputs) if not t.is_const}

        def shapes(directory: Directory) -> tuple[object, ...]:
            numbers = directory.loose(tensors.values())
            return ({number: t.shape for number, t in zip(numbers, tensors.values(), strict=True)},)

        process.call("resize", number, seconds=self._keeper.isolation.build_seconds, describe=shapes)
        self._drop_lane()

    def take_request_memory(self) -> RequestMemory | None:
        """Takes memory for a request in its process.

        Raises:
            DelegateExecuteError: the process ended: a run says so, or falls back.
            DelegateError: it does not suffice.
        """
        process, number = self.there()
        seconds = self._keeper.isolation.claim_seconds
        try:
            taken: tuple[int, int] | None = process.call(
                "take_request_memory", number, seconds=seconds, describe=lambda d: (d.loose(self.states),)
            )
        except ProcessEnded as e:
            raise DelegateExecuteError(str(e)) from e
        if taken is None:
            return None
        nbytes, ticket = taken
        return RequestMemory(
            nbytes, partial(process.later, "give_request_memory", ticket, seconds=seconds, named="give_back")
        )

    def release(self) -> None:
        """Releases it in its process, where that is still there.

        Raises:
            DelegateError: that failed.
        """
        self._prepared = ""
        if not self._process.has_ended:
            seconds = self._keeper.isolation.build_seconds
            self._process.later("kernel", self._number, "release", seconds=seconds, named="release")

    def places(self) -> Mapping[str, str]:
        """As the delegate's graph kernel says; nothing where its process ended."""
        found: Mapping[str, str] = self._said("places", {})
        return found

    def estimate(self) -> DeviceEstimate | None:
        """As the delegate's graph kernel says; None where its process ended."""
        found: DeviceEstimate | None = self._said("estimate", None)
        return found

    @property
    def resident_nbytes(self) -> int:
        """As the delegate's graph kernel says; 0 where its process ended."""
        found: int = self._said("resident_nbytes", 0)
        return found

    @property
    def storage_dtype(self) -> DataType | None:
        """As the delegate's graph kernel says; None where its process ended."""
        found: DataType | None = self._said("storage_dtype", None)
        return found

    @property
    def optimal_requests(self) -> int | None:
        """As the delegate's graph kernel says; None where its process ended."""
        found: int | None = self._said("optimal_requests", None)
        return found

    @property
    def counts_performance(self) -> bool:
        """As the delegate's graph kernel says; False where its process ended."""
        return bool(self._said("counts_performance", False))

    def _said(self, name: str, otherwise: Any) -> Any:
        if self._process.has_ended or name in self._keeper.silent:
            return otherwise
        with suppress(DelegateError):
            seconds = self._keeper.isolation.claim_seconds
            try:
                return self._process.call("kernel", self._number, name, seconds=seconds, named=name)
            except ProcessEnded:
                self._keeper.silent.add(name)
                raise
        return otherwise


def kernel_of(
    keeper: Keeper, note: GraphNote, process: IsolatedProcess, recipe: Recipe, run: Sequence[Kernel] = ()
) -> IsolatedKernel:
    """The graph kernel of this process for one that a delegate's process has made, for a run of kernels."""
    inputs, outputs = [
        [cast(Tensor, process.directory.tensor_of(number)) for number in each] for each in (note.inputs, note.outputs)
    ]
    return IsolatedKernel(keeper, note, process, inputs, outputs, recipe, run)


def numbers(kernels: Sequence[Kernel]) -> list[int]:
    """The numbers of a delegate's graph kernels in its process."""
    return [kernel.there()[1] for kernel in kernels if isinstance(kernel, IsolatedKernel)]


class _executing:
    """Raises DelegateExecuteError for every other error of a delegate."""

    __slots__ = ("_kernel",)

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        if isinstance(error, DelegateError) and not isinstance(error, DelegateExecuteError):
            which = DeviceLost if isinstance(error.__cause__, DeviceLost) else DelegateExecuteError
            raise which(f"Graph kernel '{self._kernel.name}' ({self._kernel.type}) failed: {error}.") from error


def _has_place(tensor: Tensor) -> bool:
    return tensor.has_known_shape and tensor.dtype != DataType.STRING and has_numpy(tensor.dtype)


def _spec(tensor: Tensor) -> tuple[str, tuple[int, ...]]:
    return to_numpy(tensor.dtype).str, tuple(tensor.shape)
