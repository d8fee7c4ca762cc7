"""Run: one prediction over a plan. Everything that changes while a model runs belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
from lite_delegate_kernels import Array

from ..delegate import Kernel
from ..errors import DelegateExecuteError, KernelError, LiteDelegateError
from ..tensor import Tensor
from .plan import ExecutionPlan, Step, StepFunction

Call = tuple[Step, StepFunction, tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""A step unpacked for the run loop: step, function, slots to read, to write, to free afterwards."""


class Run:
    """One prediction. Several may execute one plan at the same time, each in a thread of its own."""

    def __init__(self, plan: ExecutionPlan) -> None:
        self._plan = plan
        self._calls: list[Call] = [
            (step, step.function or GraphCall(step), step.reads, step.writes, step.frees) for step in plan.steps
        ]

    def execute(self, arrays: Sequence[Array]) -> list[Array]:
        """The model's outputs for its inputs; the outputs share no memory with inputs, constants or each other.

        Raises:
            KernelError: a CPU kernel failed; the message names the node.
            DelegateExecuteError: a graph kernel failed; the message names it.
        """
        plan = self._plan
        buffers = list(plan.template)
        for slot, array in zip(plan.input_slots, arrays, strict=True):
            buffers[slot] = array
        call: Call | None = None
        try:
            with np.errstate(all="ignore"):
                for call in self._calls:
                    _, function, reads, writes, frees = call
                    result = function(*[buffers[slot] for slot in reads])
                    if type(result) is tuple:
                        for slot, array in zip(writes, result, strict=False):
                            buffers[slot] = array
                    else:
                        buffers[writes[0]] = result
                    for slot in frees:
                        buffers[slot] = None
        except LiteDelegateError:
            raise
        except Exception as e:
            where = "" if call is None else f"Node '{call[0].kernel.name}' ({call[0].kernel.type}): "
            raise KernelError(f"{where}{e}.") from e
        return _own([buffers[slot] for slot in plan.output_slots], arrays)


def _own(outputs: Sequence[Array | None], inputs: Sequence[Array]) -> list[Array]:
    owned: list[Array] = []
    for output in outputs:
        array = np.asarray(output)
        shared = not array.flags.writeable or any(np.may_share_memory(array, other) for other in (*inputs, *owned))
        owned.append(np.array(array, order="C") if shared else np.ascontiguousarray(array).reshape(array.shape))
    return owned


class GraphCall:
    """A graph kernel as a function over arrays.

    Forks the kernel for this run; where the kernel cannot, runs take turns with the one there is.
    """

    def __init__(self, step: Step) -> None:
        original = step.kernel
        twins = {t: _twin(t) for t in dict.fromkeys((*original.inputs, *original.outputs)) if not t.is_const}
        forked = original.fork([twins.get(t, t) for t in original.inputs], [twins[t] for t in original.outputs])
        self._kernel: Kernel = original if forked is None else forked
        self._is_shared = forked is None
        self._turn = step.lock if forked is None else nullcontext()
        self._inputs = [t for t in self._kernel.inputs if not t.is_const]

    def __call__(self, *arrays: Array) -> tuple[Array, ...]:
        kernel = self._kernel
        with self._turn:
            for tensor, array in zip(self._inputs, arrays, strict=True):
                tensor.bind(array)
            for tensor in kernel.outputs:
                tensor.bind(None)
            try:
                kernel.execute()
                return tuple(self._result(tensor) for tensor in kernel.outputs)
            except DelegateExecuteError:
                raise
            except Exception as e:
                raise DelegateExecuteError(f"Graph kernel '{kernel.name}' ({kernel.type}) failed: {e}.") from e
            finally:
                for tensor in (*self._inputs, *kernel.outputs):
                    tensor.bind(None)

    def _result(self, tensor: Tensor) -> Array:
        if not tensor.has_data:
            raise DelegateExecuteError(f"Graph kernel '{self._kernel.name}' did not set its output '{tensor.name}'.")
        return tensor.data.copy() if self._is_shared else tensor.data


def _twin(tensor: Tensor) -> Tensor:
    """A tensor like another, with no contents."""
    twin = Tensor.describe(tensor.name, tensor.dtype, None, tensor.format, quant_params=tensor.quant_params)
    twin.shape = tensor.shape
    return twin
