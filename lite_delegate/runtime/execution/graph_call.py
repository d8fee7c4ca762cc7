"""GraphCall: a delegate's graph kernel as a function over arrays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from lite_delegate_kernels import Array

from ...delegate import Kernel, SpanKind, span
from ...errors import DelegateExecuteError
from ...tensor import Tensor, empty_like
from .fallback import Guard
from .inputs import fits
from .plan import Step


class GraphCall:
    """A graph kernel as a function over arrays; over those of the CPU kernels that stand in for it, if there are some.

    Args:
        step: the graph kernel's.
        guard: the graph kernel's: who runs it, now and after a failure.
        repeats: whether the run may call it more than once, in a loop. What it gives is copied then, since it may
            write its next results to the same memory.
    """

    def __init__(self, step: Step, guard: Guard, *, repeats: bool) -> None:
        self._step = step
        self._guard = guard
        self._repeats = repeats
        self._bound: BoundGraphKernel | None = None

    def __call__(self, *arrays: Array) -> tuple[Any, ...]:
        """The outputs of the subgraph.

        Raises:
            DelegateExecuteError: the device failed and nothing stands in; the message names the graph kernel.
            KernelError: a CPU kernel that stands in failed.
        """
        if self._guard.asks_device:
            try:
                if self._bound is None:
                    self._bound = BoundGraphKernel(self._step, self._guard, copies=self._repeats)
                return self._bound.run(arrays)
            except DelegateExecuteError as e:
                self._guard.failed(e)
        return self._guard.run_on_cpu(arrays)


class BoundGraphKernel:
    """A graph kernel bound to tensors of one run: a fork; where the kernel cannot fork, runs take turns with it.

    Raises:
        DelegateExecuteError: forking failed.
    """

    def __init__(self, step: Step, guard: Guard, *, copies: bool) -> None:
        original = step.kernel
        forked = _fork(original)
        self._kernel: Kernel = original if forked is None else forked
        self._copies = forked is None or copies
        self._turn = step.lock if forked is None else nullcontext()
        self._inputs = [t for t in self._kernel.inputs if not t.is_const]
        self._outputs = [(t, t.shape) for t in self._kernel.outputs]
        self._expected = guard.expected

    def run(self, arrays: Sequence[Array]) -> tuple[Array, ...]:
        """The outputs for the inputs, which come first in ``arrays``.

        Raises:
            DelegateExecuteError: the kernel failed, or gave nothing or something of another shape.
        """
        kernel = self._kernel
        with self._turn:
            for tensor, array in zip(self._inputs, arrays, strict=False):
                tensor.bind(array)
            for tensor in kernel.outputs:
                tensor.bind(None)
            try:
                with span(SpanKind.GRAPH_KERNEL, kernel.name, kernel):
                    kernel.execute()
                return tuple(map(self._result, kernel.outputs, self._expected))
            except DelegateExecuteError:
                raise
            except Exception as e:
                raise DelegateExecuteError(f"Graph kernel '{kernel.name}' ({kernel.type}) failed: {_said(e)}.") from e
            finally:
                self._let_go()

    def _let_go(self) -> None:
        """Leaves the tensors as they were before the run: those of a kernel that cannot fork are the model's own, and
        what a run gave may have other dimensions than the next one's, where some are open.
        """
        for tensor in self._inputs:
            tensor.bind(None)
        for tensor, shape in self._outputs:
            tensor.bind(None)
            if tensor.shape != shape:
                tensor.shape = shape

    def _result(self, tensor: Tensor, expected: tuple[str, list[int] | None]) -> Array:
        name, shape = expected
        if not tensor.has_data:
            raise DelegateExecuteError(f"Graph kernel '{self._kernel.name}' did not set its output '{name}'.")
        array = tensor.data
        if shape is not None and not fits(array.shape, shape):
            raise DelegateExecuteError(
                f"Graph kernel '{self._kernel.name}': output '{name}' must have shape {shape}, got {list(array.shape)}."
            )
        return array.copy() if self._copies else array


def _fork(kernel: Kernel) -> Kernel | None:
    twins = {t: empty_like(t) for t in dict.fromkeys((*kernel.inputs, *kernel.outputs)) if not t.is_const}
    try:
        return kernel.fork([twins.get(t, t) for t in kernel.inputs], [twins[t] for t in kernel.outputs])
    except DelegateExecuteError:
        raise
    except Exception as e:
        raise DelegateExecuteError(
            f"Graph kernel '{kernel.name}' ({kernel.type}): forking it failed: {_said(e)}."
        ) from e


def _said(error: Exception) -> str:
    """What an error of a delegate's own says; its kind, too, where that alone means little."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if isinstance(error, KeyError) else text or type(error).__name__
