"""Moves: graph kernels that take new shapes themselves, and take the old ones back when the plan fails."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from ....basics.unforeseen import FAILURES
from ....delegate import Kernel
from ....delegate.calls.calls import resize
from ....tensors.tensor import Tensor
from ...lifetimes.lease import Lease

_log = logging.getLogger("lite_delegate")


class Moves:
    """Graph kernels without forks that go over to a plan for other shapes.

    Args:
        lease: the lease of the plan that they leave; it is suspended if graph kernels move, so that no prediction with
            the plan is under way.
    """

    def __init__(self, lease: Lease | None = None) -> None:
        self._lease = lease
        self._shapes: dict[Tensor, list[int]] = {}
        self._told: list[Kernel] = []

    def reshape(self, tensor: Tensor, shape: Sequence[int]) -> None:
        """Gives a tensor of theirs another shape."""
        self._shapes.setdefault(tensor, tensor.shape)
        tensor.shape = list(shape)

    def tell(self, kernel: Kernel) -> None:
        """Tells a graph kernel that its tensors have other shapes.

        Raises:
            ResizeUnsupported: it cannot follow.
            DelegateError: resizing it failed.
        """
        resize(kernel)
        self._told.append(kernel)

    def undo(self) -> None:
        """Gives all tensors their shapes back, and tells the graph kernels that had followed."""
        for tensor, shape in self._shapes.items():
            tensor.shape = shape
        for kernel in self._told:
            try:
                resize(kernel)
            except FAILURES as e:  # the kernel had these shapes before: an error here cannot be mended
                _log.warning("graph kernel '%s' could not take its shapes back: %s", kernel.name, e)
        if self._lease is not None:
            self._lease.resume()

    def commit(self) -> None:
        """Gives up the plan that they have left."""
        if self._lease is not None:
            self._lease.close(
                "The compiled model was resized, and its graph kernels now belong to the compiled model for the new "
                "shapes."
            )
