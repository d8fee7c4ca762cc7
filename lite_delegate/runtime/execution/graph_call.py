"""Calling a delegate's graph kernel as a function over arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import call as called
from operator import is_
from threading import Lock
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.failures import said
from ...basics.unforeseen import FAILURES
from ...delegate import CancelToken, Kernel, SpanKind, current_token, span
from ...delegate.bound_kernel import is_bindable
from ...delegate.calls.spans import current_listeners, is_listened_to
from ...errors import DelegateExecuteError, RequestCancelled
from ...ir import DataType
from ...remote import on_device
from ...tensors.tensor import Tensor, empty_like
from .buffers import Bindings, keeps_outputs
from .fallback import Fallback
from .inputs import fits
from .plan import StepFunction
from .threads import limited_threads

Execute = Callable[..., tuple[Array, ...]]
_GRAPH_KERNEL = SpanKind.GRAPH_KERNEL
WAKE_SECONDS = 0.005
"""Seconds between two checks for cancellation of a run that waits for a graph kernel that cannot be forked."""


def graph_call(
    kernel: Kernel, fallback: Fallback, *, repeats: bool, any_shape: bool = False, threads: int = 0
) -> StepFunction:
    """A graph kernel as a function over arrays; its CPU kernels compute the function while they stand in.

    It is forked at the first call, and the fork is kept.

    Args:
        kernel: the graph kernel.
        fallback: decides whether the device or the CPU runs the graph kernel, now and after a failure.
        repeats: whether a prediction may call it more than once, in a loop. Its results are copied then, unless they
            are new arrays each time, since it may write its next results to the same memory.
        any_shape: whether results may have any shape, because the caller checks their shapes.
        threads: the number that the CPU kernels may use; 0: as many as the caller allows.

    Returns:
        The function, which raises ``DelegateExecuteError``, naming the graph kernel, where the device failed and
        nothing stands in, ``KernelError`` where a CPU kernel that stands in failed, and ``RequestCancelled``.
    """
    execute: Execute | None = None

    def call(*arrays: Array) -> tuple[Any, ...]:
        nonlocal execute
        if fallback.asks_device:
            token = current_token()
            looks = 0 if token is None else token.looks
            try:
                if execute is None:
                    execute = _executing(kernel, fallback, repeats=repeats, any_shape=any_shape)
                return execute(*arrays)
            except DelegateExecuteError as e:
                if token is not None:
                    token.check()  # a device's error in a cancelled run counts nowhere
                fallback.failed(e)
            finally:
                if token is not None and token.is_cancelled and token.looks == looks:
                    fallback.overran()
        found = on_device()
        if found is not None:
            found.bring_to_host(arrays)
        with limited_threads(threads), np.errstate(all="ignore"):
            return fallback.run_on_cpu(arrays)

    return call


def _read_only(array: Array) -> Array:
    """A read-only view of an array: the device cannot spoil inputs that the CPU kernels read again after a failure."""
    view = array.view()
    view.flags.writeable = False
    return view


def _executing(kernel: Kernel, fallback: Fallback, *, repeats: bool, any_shape: bool) -> Execute:
    """A fork bound to tensors of its own or to arrays; where forking is impossible, the kernel itself, under its lock.

    Raises:
        DelegateExecuteError: forking failed.
    """
    forked = _fork(kernel)
    runs = kernel if forked is None else forked
    pairs = zip(runs.outputs, kernel.outputs, strict=False)
    outputs = [_Output(tensor, planned, any_shape=any_shape) for tensor, planned in pairs]
    if forked is not None:
        shown = _guarded(_bound(forked, outputs, copies=repeats and not kernel.gives_new_arrays), fallback)
        if not (is_bindable(kernel) and is_bindable(forked)):
            return shown
        return _over_buffers(kernel, Bindings(forked, partial(_one_more, kernel)), shown, fallback, copies=repeats)
    execute = _guarded(_bound(kernel, outputs, copies=not kernel.gives_new_arrays), fallback)

    def in_turn(*arrays: Array) -> tuple[Array, ...]:
        _wait_for(fallback.turn, current_token())
        try:
            for output in outputs:
                output.let_go()
            return execute(*arrays)
        finally:
            fallback.turn.release()

    return in_turn


def _guarded(execute: Execute, fallback: Fallback) -> Execute:
    """A call with read-only inputs wherever the CPU kernels may have to read them again after the device failed."""

    def guarded(*arrays: Array) -> tuple[Array, ...]:
        return execute(*(map(_read_only, arrays) if fallback.falls_back else arrays))

    return guarded


def _over_buffers(kernel: Kernel, bindings: Bindings, unbound: Execute, fallback: Fallback, *, copies: bool) -> Execute:
    """A graph kernel over arrays that it is bound to, for as long as they are the same."""

    copies = copies and keeps_outputs(kernel)

    def execute(*arrays: Array) -> tuple[Array, ...]:
        try:
            binding = bindings.next()
            run = binding.again
            if (
                run is None
                or arrays[0] is not binding.first()
                or (binding.others and not all(map(is_, arrays[1:], map(called, binding.others))))
            ):
                run = binding.bind(arrays, tuple(map(_read_only, arrays)) if fallback.falls_back else arrays)
            if run is None:
                return unbound(*arrays)
            given = binding.given()
            listeners = current_listeners()
            if listeners is None:
                run()
            elif listeners[0] is None and listeners[1] is not None:  # runs of requests: without a call for it
                listeners[1].begin(_GRAPH_KERNEL, kernel.name, kernel)
                try:
                    run()
                finally:
                    listeners[1].end()
            else:
                _run_reported(kernel, run)
            return tuple([array.copy() for array in given]) if copies else given
        except BaseException as e:
            bindings.drop()
            if isinstance(e, Exception):
                _fail(kernel, (), e)
            raise

    return execute


def _wait_for(turn: Lock, token: CancelToken | None) -> None:
    """Takes a lock, unless the run is cancelled before it is free."""
    if token is None:
        turn.acquire()
        return
    while not turn.acquire(timeout=WAKE_SECONDS):
        token.check()


class _Output:
    """A tensor that takes a result of a graph kernel, and the shape that the result must have.

    Attributes:
        take: takes the result out of the tensor; None where it was not set.
        shape: the shape of every result; None where dimensions are open, or are not to be checked.
    """

    __slots__ = ("_expected", "_name", "_planned", "_tensor", "shape", "take")

    def __init__(self, tensor: Tensor, planned: Tensor, *, any_shape: bool) -> None:
        self._tensor = tensor
        self.take = tensor.take
        self._name = planned.name
        self._planned = tensor.shape
        self._expected = None if any_shape or planned.dtype == DataType.STRING else planned.shape
        is_fixed = self._expected is not None and planned.has_known_shape
        self.shape: tuple[int, ...] | None = tuple(planned.shape) if is_fixed else None

    def checked(self, kernel: Kernel, array: Array | None) -> Array:
        """A result. The tensor gets its former shape back, since the next result may differ in open dimensions.

        Raises:
            DelegateExecuteError: the result is missing, or has another shape.
        """
        self.let_go()
        if array is None:
            raise DelegateExecuteError(f"Graph kernel '{kernel.name}' did not set its output '{self._name}'.")
        if self._expected is not None and not fits(array.shape, self._expected):
            raise DelegateExecuteError(
                f"Graph kernel '{kernel.name}': output '{self._name}' must have shape {self._expected}, "
                f"got {list(array.shape)}."
            )
        return array

    def let_go(self) -> None:
        """Restores the tensor: the tensor of a kernel that cannot fork is the model's own."""
        self._tensor.bind(None)
        if self._tensor.shape != self._planned:
            self._tensor.shape = self._planned


def _bound(kernel: Kernel, outputs: Sequence[_Output], *, copies: bool) -> Execute:
    """The kernel over arrays: its inputs come first among them.

    Every array leaves the tensors with the call, so nothing is kept that the kernel does not keep itself.
    """
    tensors = [t for t in kernel.inputs if not t.is_const]
    if len(tensors) == len(outputs) == 1 and not copies:
        return _bound_to_one(kernel, tensors[0], outputs[0])
    binds = [t.bind for t in tensors]
    run = kernel.execute

    def execute(*arrays: Array) -> tuple[Array, ...]:
        for bind, array in zip(binds, arrays, strict=False):
            bind(array)
        try:
            answer = _run_reported(kernel, run) if is_listened_to() else run()
            if answer is not None:
                _check(kernel, answer)
            results = []
            for output in outputs:
                result = output.take()
                if result is None or result.shape != output.shape:
                    result = output.checked(kernel, result)
                results.append(result.copy() if copies else result)
            return tuple(results)
        except FAILURES as e:
            _fail(kernel, outputs, e)
            raise
        finally:
            for bind in binds:
                bind(None)

    return execute


def _bound_to_one(kernel: Kernel, tensor: Tensor, output: _Output) -> Execute:
    """A bound call for one input and one output, without any loop: the overhead counts where graph kernels are
    small.
    """
    run, bind, take, shape = kernel.execute, tensor.bind, output.take, output.shape

    def execute(array: Array, *_: Array) -> tuple[Array, ...]:
        bind(array)
        try:
            answer = _run_reported(kernel, run) if is_listened_to() else run()
            if answer is not None:
                _check(kernel, answer)
            result = take()
            if result is None or result.shape != shape:
                result = output.checked(kernel, result)
            return (result,)
        except FAILURES as e:
            _fail(kernel, (output,), e)
            raise
        finally:
            bind(None)

    return execute


def _run_reported(kernel: Kernel, run: Callable[[], object]) -> object:
    with span(_GRAPH_KERNEL, kernel.name, kernel):
        return run()


def _check(kernel: Kernel, answer: object) -> None:
    """Raises the error that a code returned by ``execute`` stands for."""
    from ...delegate.answers.status import fault_of  # hardly any kernel returns one

    if fault := fault_of(answer):
        raise DelegateExecuteError(f"Graph kernel '{kernel.name}' ({kernel.type}): execute {fault}.")


def _fail(kernel: Kernel, outputs: Sequence[_Output], error: Exception) -> None:
    """Lets the outputs of a failed call go. Raises ``error``, inside an error that names the graph kernel if needed."""
    for output in outputs:
        output.let_go()
    if not isinstance(error, DelegateExecuteError | RequestCancelled):
        text = f"Graph kernel '{kernel.name}' ({kernel.type}) failed: {said(error)}."
        raise DelegateExecuteError(text) from error


def _one_more(kernel: Kernel) -> Kernel:
    """One more fork of a kernel that was forked before."""
    forked = _fork(kernel)
    if forked is None:
        raise DelegateExecuteError(f"Graph kernel '{kernel.name}' ({kernel.type}) was forked before, and is not now.")
    return forked


def _fork(kernel: Kernel) -> Kernel | None:
    twins = {t: empty_like(t) for t in dict.fromkeys((*kernel.inputs, *kernel.outputs)) if not t.is_const}
    try:
        return kernel.fork([twins.get(t, t) for t in kernel.inputs], [twins[t] for t in kernel.outputs])
    except DelegateExecuteError:
        raise
    except FAILURES as e:
        raise DelegateExecuteError(
            f"Graph kernel '{kernel.name}' ({kernel.type}): forking it failed: {said(e)}."
        ) from e
