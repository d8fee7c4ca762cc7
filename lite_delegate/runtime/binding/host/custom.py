"""Custom operators: the kernels that a user registers for a type, as the runtime runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from lite_delegate_kernels import Array, ArraySpec, KernelInputError, Shape

from ....basics.data_class import dataclass
from ....delegate import ControlFlow
from ....ir import Node
from ....ir.custom import custom_blobs

CustomRun: TypeAlias = Callable[[Sequence[Array | None], Mapping[str, bytes]], "Array | Sequence[Array]"]
CustomInfer: TypeAlias = Callable[[Sequence[ArraySpec | None], Mapping[str, bytes]], "ArraySpec | Sequence[ArraySpec]"]


@dataclass(frozen=True, slots=True)
class CustomOperator:
    """The kernel of one Custom type, see ``Context.register_custom``.

    Attributes:
        type: the type of the Custom nodes.
        run: computes the outputs of a node.
        infer: infers the specs of the outputs.
        control_flow: the loop or choice that a node of the runtime's own stands for, see ``planning.whole_regions``.
    """

    type: str
    run: CustomRun
    infer: CustomInfer | None
    control_flow: ControlFlow | None = None


def infer_custom(operator: CustomOperator, node: Node, inputs: Sequence[ArraySpec | None]) -> tuple[ArraySpec, ...]:
    """The specs of a node's outputs, from the user's ``infer``, without contents.

    Raises:
        KernelInputError: ``infer`` raised, or gave something else than one ArraySpec per output.
    """
    assert operator.infer is not None
    try:
        result = operator.infer(inputs, custom_blobs(node.primitive))
    except Exception as e:  # the user's own code may raise anything; the message has to name the node
        raise KernelInputError(f"infer of custom operator '{operator.type}' raised {type(e).__name__}: {e}") from e
    specs = (result,) if isinstance(result, ArraySpec) else tuple(result)
    if len(specs) != len(node.outputs) or not all(isinstance(s, ArraySpec) for s in specs):
        raise KernelInputError(
            f"infer of custom operator '{operator.type}' must give {len(node.outputs)} ArraySpec, got {specs!r}"
        )
    return tuple(ArraySpec(np.dtype(s.dtype), s.shape) for s in specs)


def custom_function(
    operator: CustomOperator, node: Node, outputs: Sequence[ArraySpec | None]
) -> Callable[..., tuple[Array, ...]]:
    """The user's ``run`` as the runtime calls it: arrays in, a tuple of arrays out, checked against ``outputs``.

    The function that is returned raises KernelInputError when ``run`` gives another number of arrays, or an array of
    another type or shape than was inferred; an output without a spec (None) is not checked.
    """
    attributes = custom_blobs(node.primitive)

    def run(*arrays: Array | None) -> tuple[Array, ...]:
        result = operator.run(arrays, attributes)
        results = tuple(result) if isinstance(result, (list, tuple)) else (np.asarray(result),)
        if len(results) != len(outputs):
            raise KernelInputError(f"'{operator.type}' must give {len(outputs)} arrays, got {len(results)}")
        return tuple(_checked(operator, i, np.asarray(x), outputs[i]) for i, x in enumerate(results))

    return run


def _checked(operator: CustomOperator, position: int, array: Array, spec: ArraySpec | None) -> Array:
    if spec is None or (array.dtype == spec.dtype and _fits(array.shape, spec.shape)):
        return array
    shape = "of any shape" if spec.shape is None else spec.shape
    raise KernelInputError(
        f"output {position} of '{operator.type}' must be {spec.dtype} {shape}, got {array.dtype} {array.shape}"
    )


def _fits(shape: Shape, expected: Shape | None) -> bool:
    if expected is None:
        return True
    return len(shape) == len(expected) and all(e in (-1, d) for d, e in zip(shape, expected, strict=True))
