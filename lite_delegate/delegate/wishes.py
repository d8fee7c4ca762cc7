"""Wishes: the wishes of a model's user to all delegates, while the model is planned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..ir.types.data_type import DataType


@dataclass(frozen=True, slots=True)
class Wishes(Brief):
    """The wishes of a ``Context`` that concern all delegates. A delegate's own properties win.

    Attributes:
        threads: the threads of the host that a prediction may take, ``Context.cpu.thread_num``; 0: the user does not
            say.
        rewrites: whether operators may be handed over in other forms, ``Context.rewrite``.
        precisions: the coarsest type that real numbers may be computed in, by kind of device, "cpu", "gpu" or "npu",
            its ``precision_mode``; a kind is missing where the user does not say.
        has_samples: whether there are representative inputs of the model, see ``current_samples``.
    """

    threads: int = 0
    rewrites: bool = True
    precisions: Mapping[str, DataType] = field(default_factory=dict)
    has_samples: bool = False


_CURRENT: ContextVar[Wishes] = ContextVar("lite_delegate_wishes", default=Wishes())  # noqa: B039 - it is immutable


def current_wishes() -> Wishes:
    """The wishes of the model that is being planned, or restored from a compiled model."""
    return _CURRENT.get()


@contextmanager
def wishing(wishes: Wishes) -> Iterator[None]:
    """In the block a model is planned, or restored, whose user has these wishes."""
    before = _CURRENT.set(wishes)
    try:
        yield
    finally:
        _CURRENT.reset(before)
