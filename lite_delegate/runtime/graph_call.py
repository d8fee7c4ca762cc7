"""GraphCall: a delegate's graph kernel as a function over arrays."""

from __future__ import annotations

from contextlib import nullcontext

from lite_delegate_kernels import Array

from ..delegate import Kernel
from ..errors import DelegateExecuteError
from ..tensor import Tensor, empty_like
from .plan import Step


class GraphCall:
    """A graph kernel as a function over arrays.

    Forks the kernel for this run; where the kernel cannot, runs take turns with the one there is.

    Args:
        step: the graph kernel's.
        repeats: whether the run may call it more than once, in a loop. What it gives is copied then, since it may
            write its next results to the same memory.
    """

    def __init__(self, step: Step, *, repeats: bool) -> None:
        original = step.kernel
        twins = {t: empty_like(t) for t in dict.fromkeys((*original.inputs, *original.outputs)) if not t.is_const}
        forked = original.fork([twins.get(t, t) for t in original.inputs], [twins[t] for t in original.outputs])
        self._kernel: Kernel = original if forked is None else forked
        self._copies = forked is None or repeats
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
        return tensor.data.copy() if self._copies else tensor.data
