"""A chain with other data of equal shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from lite_delegate_kernels import STRING_DTYPE

from ..judging.case import Array
from ..judging.chain import Arrays
from ..judging.oracle import Expected, Oracle

Change = Callable[[np.random.Generator, Array], Array]


def other_data(oracle: Oracle, first: Expected) -> Expected | None:
    """Inputs that give other outputs of the same shapes, with what they must give; None when none are found.

    The elements of an input are its own in another order, so that they stay what the operator can take: indices in
    range, positive numbers, valid sizes. Where that gives nothing new, floats are made smaller.
    """
    for inputs in _candidates(first.inputs):
        try:
            found = oracle.expect(inputs)
        except Exception:  # the data may break any rule of the operator; then it is of no use
            continue
        if found is not None and _is_new(found, first):
            return found
    return None


def _candidates(inputs: Arrays) -> Iterator[Arrays]:
    for change, kinds in ((_permuted, "fiub"), (_permuted, "f"), (_smaller, "f"), (_reversed, "fiub")):
        rng = np.random.default_rng(7)
        yield {n: change(rng, x) if _can_change(x, kinds) else x for n, x in inputs.items()}


def _can_change(x: Array, kinds: str) -> bool:
    return x.dtype.kind in kinds and x.dtype != STRING_DTYPE


def _permuted(rng: np.random.Generator, x: Array) -> Array:
    return np.asarray(rng.permutation(x.reshape(-1)).reshape(x.shape))


def _smaller(rng: np.random.Generator, x: Array) -> Array:
    return np.asarray(x * x.dtype.type(0.75))


def _reversed(rng: np.random.Generator, x: Array) -> Array:
    return np.asarray(x.reshape(-1)[::-1].reshape(x.shape).copy())


def _is_new(found: Expected, first: Expected) -> bool:
    """Whether outputs have the same shapes as the first ones, and cannot be taken for them."""
    pairs = list(zip(found.outputs, first.outputs, strict=True))
    return all((a.dtype, a.shape) == (b.dtype, b.shape) for a, b in pairs) and bool(found.mismatch(first.outputs))
