"""Constants of models: models share equal arrays, and constants get new contents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from itertools import chain
from threading import Lock
from weakref import WeakValueDictionary

import numpy as np

from ..basics.similar import did_you_mean
from ..errors import InputError
from ..ir import Graph, Node, Value, read_through
from ..ir.types.data_type import DataType
from ..passes.framework.rewriting import rewrite_constants
from ..tensors.tensor import Array, Tensor
from .context.setting import check_type

LEAST_SHARED = 1024
"""The bytes of the smallest constant that is shared."""


class WeightPool:
    """The pool of arrays that models share, each different array once. Only the models keep the arrays alive."""

    def __init__(self) -> None:
        self._arrays: WeakValueDictionary[bytes, Array] = WeakValueDictionary()
        self._lock = Lock()

    def shared(self, graph: Graph) -> Graph:
        """The graph with the pool's arrays in place of its constants of equal contents."""
        found: dict[Value, Value] = {}

        def rewrite(node: Node, position: int, value: Value) -> Value:
            if value.data is None or value.data.dtype.hasobject or value.data.nbytes < LEAST_SHARED:
                return value
            if value not in found:
                data = self._one_of(value.data)
                found[value] = value if data is value.data else replace(value, data=data)
            return found[value]

        return read_through(graph, rewrite_constants(graph, rewrite).graph, self.shared)

    def _one_of(self, array: Array) -> Array:
        head = f"{array.dtype.str} {array.shape}".encode()
        key = blake2b(np.ascontiguousarray(array).tobytes(), digest_size=24, key=blake2b(head).digest()[:32]).digest()
        with self._lock:
            return self._arrays.setdefault(key, array)


def with_weights(graph: Graph, weights: Sequence[Sequence[Tensor]]) -> Graph:
    """The graph with other contents of its constants.

    Args:
        graph: stays as it is.
        weights: lists of tensors, by the names of the constants, with their dtypes and shapes.

    Raises:
        TypeError: the weights are no list of lists of tensors.
        InputError: there is no constant of a tensor's name, two tensors have one name, or dtype or shape differ.
    """
    given: dict[str, Tensor] = {}
    check_type("weights", weights, list)
    for each in weights:
        check_type("weights element", each, list)
    for tensor in chain.from_iterable(weights):
        check_type("weights element's element", tensor, Tensor)
        if tensor.name in given:
            raise InputError(f"update_weights: two tensors are called '{tensor.name}'.")
        given[tensor.name] = tensor
    constants = {v.name: v for each in graph.all_graphs() for v in each.values() if v.data is not None}
    for name, tensor in given.items():
        _check(name, tensor, constants)
    return _with_contents(graph, given)


def _with_contents(graph: Graph, given: Mapping[str, Tensor]) -> Graph:
    """The graph with other contents of its constants of the given names."""
    made: dict[Value, Value] = {}

    def rewrite(node: Node, position: int, value: Value) -> Value:
        if value.data is None or value.name not in given:
            return value
        if value not in made:
            data = np.array(given[value.name].data, value.data.dtype, order="C")
            data.flags.writeable = False
            made[value] = replace(value, data=data)
        return made[value]

    return read_through(graph, rewrite_constants(graph, rewrite).graph, partial(_with_contents, given=given))


def _check(name: str, tensor: Tensor, constants: dict[str, Value]) -> None:
    if name not in constants:
        hint = did_you_mean(name, constants) or "; a folded or fused constant is gone (Context.optimize = 'none')."
        raise InputError(f"update_weights: the model has no constant '{name}'{hint}")
    value = constants[name]
    shape = list(value.shape or ())
    if tensor.dtype is not value.dtype or list(tensor.shape) != shape:
        raise InputError(
            f"update_weights: '{name}' must be {DataType(value.dtype).name} {shape}, "
            f"got {tensor.dtype.name} {list(tensor.shape)}."
        )
