"""What a test knows to be there, where the type says that it may be absent."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from lite_delegate.ir import Node

T = TypeVar("T")


def present(value: T | None) -> T:
    assert value is not None
    return value


def data_of(node: Node, position: int) -> np.ndarray[Any, Any]:
    """The data of an operand that is a constant."""
    return present(present(node.inputs[position]).data)
