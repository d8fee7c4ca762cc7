"""Values: the inputs, constants and results that a growing model has, with their numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.random_models.steps import Array


class Values:
    """What nodes can be added to.

    Args:
        rng: decides everything.
        prefix: of all names.
    """

    def __init__(self, rng: random.Random, prefix: str = "") -> None:
        self.rng, self.prefix = rng, prefix
        self.arrays: dict[str, Array] = {}
        self.inputs: list[str] = []
        self.constants: list[str] = []
        self._count = 0

    def name(self) -> str:
        """A new name."""
        self._count += 1
        return f"{self.prefix}v{self._count}"

    def other_dims(self, size: int, most: int) -> list[int]:
        """Dimensions of so many elements, ``most`` of them at most."""
        dims = list[int]()
        while size > 1 and len(dims) < most - 1:
            dims.append(self.rng.choice([d for d in range(1, size + 1) if size % d == 0]))
            size //= dims[-1]
        return [*dims, size]

    def input(self, array: Array) -> str:
        """A new input, with the numbers that it has when the model is judged."""
        name = self.name()
        self.inputs.append(name)
        self.arrays[name] = array
        return name

    def constant(self, array: Any, dtype: Any = None) -> str:
        """A new constant."""
        name = self.name()
        self.constants.append(name)
        self.arrays[name] = np.asarray(array, dtype)
        return name

    def numbers(self, *shape: int, dtype: Any = np.float32, scale: float = 1.0) -> Array:
        """Normally distributed numbers; integers from -8 to 7, or from 0 to 15 where there is no sign."""
        numpy_rng = np.random.default_rng(self.rng.getrandbits(32))
        kind = np.dtype(dtype)
        if kind.kind == "f":
            return np.asarray(numpy_rng.normal(size=shape) * scale).astype(kind)
        if kind.kind == "b":
            return np.asarray(numpy_rng.random(shape) < 0.5)
        return np.asarray(numpy_rng.integers(0, 16, shape) - (8 if kind.kind == "i" else 0)).astype(kind)

    def pick(self, *kinds: Any, where: Callable[[Array], bool] = lambda array: True) -> str | None:
        """The name of a value of one of the element types; recent values are likelier. None: there is none.

        Args:
            kinds: element types; none for float32.
            where: what else must hold of it.
        """
        wanted = {np.dtype(kind) for kind in kinds or (np.float32,)}
        known = [name for name, x in self.arrays.items() if x.dtype in wanted and name not in self.constants]
        fitting = [name for name in known if where(self.arrays[name])]
        if not fitting:
            return None
        return self.rng.choice(fitting[-4:] if self.rng.random() < 0.6 else fitting)
