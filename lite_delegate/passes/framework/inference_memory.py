"""Inference of one node by its reference kernel, remembered while passes run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from lite_delegate_fast import fast_kernels
from lite_delegate_kernels import ArraySpec, KernelInputError, ReferenceKernel, as_tuple

from ...basics.counted import counted
from ...ir import Graph, Node
from ...shapes.attributes import kernel_attributes
from ...shapes.folding import with_values

Outputs = tuple[ArraySpec, ...]
InferenceResult = Outputs | KernelInputError


def infer(node: Node, kernel: ReferenceKernel, inputs: Sequence[ArraySpec | None]) -> InferenceResult:
    """The results of a kernel for a node, with the elements where these follow from small constants.

    Returns:
        A spec for each output that the kernel has; the error where it does not take these inputs.
    """
    memory = _MEMORY.get()
    return _inferred(node, kernel, inputs) if memory is None else memory.infer(node, kernel, inputs)


class InferenceMemory:
    """Results that were inferred for nodes: passes look at the same ones again and again, and change few."""

    def __init__(self) -> None:
        self._known: dict[Node, list[tuple[ReferenceKernel, tuple[ArraySpec | None, ...], InferenceResult]]] = {}

    def infer(self, node: Node, kernel: ReferenceKernel, inputs: Sequence[ArraySpec | None]) -> InferenceResult:
        """As the function; at once for inputs of which the same was known before."""
        entries = self._known.setdefault(node, [])
        for used, given, found in entries:
            if used is kernel and len(given) == len(inputs) and all(map(_same, given, inputs)):
                return found
        made = _inferred(node, kernel, inputs)
        entries.append((kernel, tuple(inputs), made))
        return made

    def keep(self, graph: Graph) -> None:
        """Forgets the nodes outside a graph and its subgraphs, and the constants that only these nodes read."""
        nodes = [node for each in graph.all_graphs() for node in each.nodes]
        self._known = {node: self._known[node] for node in nodes if node in self._known}


@contextmanager
def remembered() -> Iterator[InferenceMemory]:
    """Remembers all inferences of this context to the end of the block."""
    memory = InferenceMemory()
    token = _MEMORY.set(memory)
    try:
        yield memory
    finally:
        _MEMORY.reset(token)


_MEMORY: ContextVar[InferenceMemory | None] = ContextVar("passes_inference_memory", default=None)


def _inferred(node: Node, kernel: ReferenceKernel, inputs: Sequence[ArraySpec | None]) -> InferenceResult:
    try:
        outputs = as_tuple(kernel.infer(*inputs, **kernel_attributes(node, kernel)))
        return with_values(node, kernel, inputs, outputs, fast_kernels())
    except KernelInputError as e:
        return e
    except TypeError as e:
        return KernelInputError(f"{counted(len(node.inputs), 'input does', 'inputs do')} not fit: {e}")


def _same(a: ArraySpec | None, b: ArraySpec | None) -> bool:
    if a is b:
        return True
    return a is not None and b is not None and a.value is b.value and a.shape == b.shape and a.dtype == b.dtype
