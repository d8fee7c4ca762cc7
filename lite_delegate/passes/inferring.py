"""Inference of one node by its reference kernel, remembered while passes run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from lite_delegate_fast import FAST_KERNELS
from lite_delegate_kernels import ArraySpec, KernelInputError, ReferenceKernel, as_tuple, spec_of

from ..ir import Graph, Node
from ..shapes.attributes import MAX_FOLDED_ELEMENTS, kernel_attributes

Outputs = tuple[ArraySpec, ...]
Found = Outputs | KernelInputError

RANDOM = frozenset({"RandomNormal", "RandomStandardNormal", "UniformReal"})
"""Operators that may give something else each time."""


def infer(node: Node, kernel: ReferenceKernel, inputs: Sequence[ArraySpec | None]) -> Found:
    """The results of a kernel for a node, with the elements where these follow from small constants.

    Returns:
        A spec for each output that the kernel has; the error where it does not take these inputs.
    """
    memory = _MEMORY.get()
    return _inferred(node, kernel, inputs) if memory is None else memory.infer(node, kernel, inputs)


class InferenceMemory:
    """Results that were inferred for nodes: passes look at the same ones again and again, and change few."""

    def __init__(self) -> None:
        self._known: dict[Node, list[tuple[ReferenceKernel, tuple[ArraySpec | None, ...], Found]]] = {}

    def infer(self, node: Node, kernel: ReferenceKernel, inputs: Sequence[ArraySpec | None]) -> Found:
        """As the function; at once for inputs of which the same was known before."""
        entries = self._known.setdefault(node, [])
        for used, given, found in entries:
            if used is kernel and len(given) == len(inputs) and all(map(_same, given, inputs)):
                return found
        made = _inferred(node, kernel, inputs)
        entries.append((kernel, tuple(inputs), made))
        return made

    def keep(self, graph: Graph) -> None:
        """Forgets all nodes but those of a graph and its subgraphs, and the constants that they alone read."""
        nodes = [node for each in graph.all_graphs() for node in each.nodes]
        self._known = {node: self._known[node] for node in nodes if node in self._known}


@contextmanager
def remembered() -> Iterator[InferenceMemory]:
    """Remembers to the end of the block all that is inferred inside of it, by whomever in this context."""
    memory = InferenceMemory()
    token = _MEMORY.set(memory)
    try:
        yield memory
    finally:
        _MEMORY.reset(token)


_MEMORY: ContextVar[InferenceMemory | None] = ContextVar("passes_inference_memory", default=None)


def run_kernel(node: Node, kernel: ReferenceKernel, inputs: Sequence[Any]) -> tuple[np.ndarray[Any, Any], ...] | None:
    """The results of the CPU for a node with this kernel and these arrays, bit for bit; None where it rejects them."""
    keywords = kernel_attributes(node, kernel)
    fast = FAST_KERNELS.find(kernel, [None if x is None else spec_of(x) for x in inputs], keywords)
    try:
        with np.errstate(all="ignore"):
            return tuple(np.asarray(y) for y in as_tuple((fast or kernel).run(*inputs, **keywords)))
    except (KernelInputError, TypeError):
        return None


def _inferred(node: Node, kernel: ReferenceKernel, inputs: Sequence[ArraySpec | None]) -> Found:
    try:
        outputs = as_tuple(kernel.infer(*inputs, **kernel_attributes(node, kernel)))
    except KernelInputError as e:
        return e
    except TypeError as e:
        return KernelInputError(f"{len(node.inputs)} inputs do not fit: {e}")
    return _with_values(node, kernel, inputs, outputs)


def _with_values(node: Node, kernel: ReferenceKernel, inputs: Sequence[ArraySpec | None], outputs: Outputs) -> Outputs:
    is_open = any(s is not None and s.value is None for s in inputs) or not all(s.known for s in outputs)
    if is_open or node.op_type in RANDOM:
        return outputs
    arrays = [None if s is None else s.value for s in inputs]
    size = sum(a.size for a in arrays if a is not None) + sum(int(np.prod(s.shape or ())) for s in outputs)
    if size > MAX_FOLDED_ELEMENTS:
        return outputs
    results = run_kernel(node, kernel, arrays)
    return outputs if results is None else tuple(spec_of(y) for y in results)


def _same(a: ArraySpec | None, b: ArraySpec | None) -> bool:
    if a is b:
        return True
    return a is not None and b is not None and a.value is b.value and a.shape == b.shape and a.dtype == b.dtype
