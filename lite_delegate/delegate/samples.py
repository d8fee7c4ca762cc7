"""Samples: the values of a model's tensors for representative inputs, for delegates that quantize."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from ..tensors.tensor import Array, Tensor


class Samples(Protocol):
    """The values of a model's tensors for representative inputs, computed by the reference kernels when asked for."""

    @property
    def count(self) -> int:
        """The number of samples, at least 1: runs of the whole model."""

    def has(self, tensor: Tensor) -> bool:
        """Whether the values of a tensor are known: it is in the main graph, holds numbers, and is no state."""

    def arrays(self, tensors: Sequence[Tensor]) -> Iterator[tuple[Array, ...]]:
        """The values of tensors, sample by sample; constants have the same value in each sample.

        Each call runs the part of the model that the tensors need; nothing is kept.

        Raises:
            InputError: there are no values of a tensor, see ``has``.
            LiteDelegateError: the reference kernels cannot compute them.
        """

    def ranges(self, tensors: Iterable[Tensor]) -> Mapping[Tensor, tuple[float, float]]:
        """The least and the greatest finite value of tensors over all samples.

        A tensor is missing that has no values, or no finite one. The first call computes the ranges of all tensors of
        the model in one run for each sample.

        Raises:
            LiteDelegateError: the reference kernels cannot run the model.
        """


_CURRENT: ContextVar[Samples | None] = ContextVar("lite_delegate_samples", default=None)


def current_samples() -> Samples | None:
    """The samples of the model that delegates are asked about or build now; None where its user gives none.

    ``Delegate.wanted_samples`` says that they are of use. They are known in ``survey``, ``supports``, ``build`` and
    ``create_graph_kernel``, for the tensors of the kernels there.
    """
    return _CURRENT.get()


@contextmanager
def sampling(samples: Samples | None) -> Iterator[None]:
    """In the block delegates see these samples."""
    before = _CURRENT.set(samples)
    try:
        yield
    finally:
        _CURRENT.reset(before)
