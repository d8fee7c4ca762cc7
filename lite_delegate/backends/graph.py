"""RuntimeGraph: the common part of graph kernels around a runtime's models."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Generic, Protocol, Self, TypeVar

from ..delegate import BoundKernel, LayerTime, tell_layers
from ..errors import DelegateBuildError, DelegateExecuteError
from ..tensors.tensor import Array, Tensor


class Counting(Protocol):
    """Settings that say whether runs measure their layers."""

    @property
    def counts_layers(self) -> bool:
        """Whether the runtime measures its layers."""


class SharedModel(Protocol):
    """The model that the graph kernels of one run share: a session, or a compiled model."""

    @property
    def settings(self) -> Counting:
        """The settings that the session or compiled model is made with."""

    def load(self) -> None:
        """Makes the session, or compiles the model."""

    def unload(self) -> None:
        """Lets the session or compiled model go."""

    def made_shapes(self, count: int) -> Iterable[tuple[int, Sequence[object]]]:
        """The positions of the outputs that the runtime computes, and their shapes in the runtime.

        Dimensions that it leaves open are no integers.
        """


RunFunction = Callable[[], object]
SharedT = TypeVar("SharedT", bound=SharedModel)


class RuntimeGraph(BoundKernel, Generic[SharedT]):
    """A graph kernel that runs a model which a runtime made of a run.

    Args:
        name: the name of the graph kernel.
        inputs: the inputs of the run.
        outputs: the outputs of the run.
        shared: the runtime's model, which all forks share.

    Attributes:
        runtime: the runtime's name, for messages.
        kind: the type of the graph kernels.
    """

    has_own_threads = True
    runtime: ClassVar[str]
    kind: ClassVar[str]

    def __init__(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor], shared: SharedT) -> None:
        super().__init__(name, self.kind, inputs, outputs)
        self.shared = shared

    def prepare(self) -> None:
        """Makes the shared model: packs weights, or compiles it.

        Raises:
            DelegateBuildError: the runtime cannot, or has made a model whose outputs have other shapes than the plan's.
        """
        self.shared.load()
        for position, found in self.shared.made_shapes(len(self.outputs)):
            planned = tuple(self.outputs[position].shape)
            if not _agrees(planned, found):
                raise DelegateBuildError(
                    f"{self.runtime} has compiled '{self.name}' wrongly: output '{self.outputs[position].name}' has "
                    f"shape {tuple(found)} instead of {planned}."
                )

    @abstractmethod
    def bound(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> RunFunction:
        """The call that runs the model over these buffers. Binding and call may raise any exception."""

    @abstractmethod
    def layers(self, inputs: Sequence[Array]) -> Sequence[LayerTime]:
        """The times of the layers in the last run, which read these inputs. May raise any exception."""

    @abstractmethod
    def unbind(self) -> None:
        """Lets buffers go: after a failure the next run has a binding of its own."""

    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> RunFunction:
        """The call that runs the model over these buffers, without copying inputs or outputs.

        Raises:
            DelegateExecuteError: the runtime failed, now or in the run; the message is its own.
        """
        try:
            run = self.bound(inputs, outputs)
        except Exception as e:  # runtimes and their plugins raise what they like
            raise self._failed(e) from e

        def guarded() -> None:
            try:
                run()
            except Exception as e:
                raise self._failed(e) from e

        def counted() -> None:
            guarded()
            try:
                layers = self.layers(inputs)
            except Exception as e:
                raise self._failed(e) from e
            tell_layers(self.name, layers)

        return counted if self.shared.settings.counts_layers else guarded

    def said(self, error: Exception) -> str:
        """The runtime's message about an error."""
        return str(error)

    def _failed(self, error: Exception) -> DelegateExecuteError:
        self.unbind()
        return DelegateExecuteError(f"{self.runtime} failed in '{self.name}': {self.said(error)}")

    def fork(self, inputs: Sequence[Tensor | None], outputs: Sequence[Tensor]) -> Self:
        """A graph kernel that shares the model."""
        return type(self)(self.name, [t for t in inputs if t is not None], outputs, self.shared)

    def release(self) -> None:
        """Lets the shared model go."""
        self.unbind()
        self.shared.unload()


def _agrees(planned: Sequence[int], found: Sequence[object]) -> bool:
    """Whether a shape may be the planned shape."""
    pairs = zip(planned, found, strict=False)
    return len(planned) == len(found) and all(not isinstance(dim, int) or dim == want for want, dim in pairs)
