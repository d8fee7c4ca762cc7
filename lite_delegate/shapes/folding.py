"""Working out what follows from constants alone: one way, for shape inference, passes and plans."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from lite_delegate_fast import FastKernels
from lite_delegate_kernels import Array, ArraySpec, KernelInputError, ReferenceKernel, as_tuple, spec_of

from ..basics.counted import counted
from ..ir import Node
from ..ir.traits import RANDOM
from .attributes import kernel_attributes

MAX_FOLDED_ELEMENTS = 1024
"""Inference works out values up to this size: enough for shapes, axes and their arithmetic."""


def run_kernel(
    node: Node, kernel: ReferenceKernel, arrays: Sequence[Array | None], fast: FastKernels | None
) -> tuple[Array, ...]:
    """The results of the CPU for a node with this kernel and these arrays, bit for bit.

    Args:
        node: says the attributes.
        kernel: the reference kernel of the node.
        arrays: its inputs, None for absent ones.
        fast: what the CPU runs in place of reference kernels; None for nothing.

    Raises:
        KernelInputError: the kernel does not take these arrays.
    """
    attributes = kernel_attributes(node, kernel)
    specs = [None if array is None else spec_of(array) for array in arrays]
    chosen = None if fast is None else fast.find(kernel, specs, attributes)
    try:
        with np.errstate(all="ignore"):
            if chosen is None:
                results = kernel.run(*arrays, **attributes)
            else:
                results = chosen.function(specs, attributes)(*arrays)
    except TypeError as e:
        raise KernelInputError(f"{counted(len(node.inputs), 'input does', 'inputs do')} not fit: {e}") from e
    return tuple(np.asarray(result) for result in as_tuple(results))


def with_values(
    node: Node,
    kernel: ReferenceKernel,
    inputs: Sequence[ArraySpec | None],
    outputs: tuple[ArraySpec, ...],
    fast: FastKernels | None,
) -> tuple[ArraySpec, ...]:
    """Inferred outputs with their elements, where these follow from small constants.

    1. All inputs are known to the last element, and so are the shapes of the outputs.
    2. Together they have ``MAX_FOLDED_ELEMENTS`` elements or fewer.
    3. The operator is not random.

    Raises:
        KernelInputError: the kernel does not take these constants.
    """
    arrays = [None if spec is None else spec.value for spec in inputs]
    is_open = any(spec is not None and spec.value is None for spec in inputs)
    if is_open or node.op_type in RANDOM or not all(spec.known for spec in outputs):
        return outputs
    size = sum(a.size for a in arrays if a is not None) + sum(math.prod(s.shape or ()) for s in outputs)
    if size > MAX_FOLDED_ELEMENTS:
        return outputs
    return tuple(map(spec_of, run_kernel(node, kernel, arrays, fast)))
