"""SignedModel: a planned graph with the signatures of its file."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Self

from ...cache.outcome import CacheOutcome
from ...errors import InputError
from ..planned.origin import Origin
from ..planned.planned_graph import PlannedGraph
from ..planned.signatures import SignatureRunner, runner_of_signature
from ..tensors.given_inputs import Given, Inputs
from ..tensors.results import Results

if TYPE_CHECKING:
    from ..model_file.parts import ModelParts
    from .request import SyncRequest


class SignedModel(PlannedGraph):
    """A planned graph with the signatures of its file, each of which can be called.

    Args:
        parts: of the plain call.
        origin: compiles the other signatures.
    """

    def __init__(self, parts: ModelParts, origin: Origin) -> None:
        super().__init__(parts)
        self._origin = origin

    @property
    def origin(self) -> Origin:
        """The cache, the devices and the signatures that the model was made with."""
        return self._origin

    @property
    def cache_outcome(self) -> CacheOutcome:
        """The outcome of the cache at compilation, with the reason."""
        return self._origin.cache

    @abstractmethod
    def __call__(
        self, inputs: Inputs = None, *, share_inputs: bool = False, share_outputs: bool = False, **named: Given
    ) -> Results:
        """Runs the model once."""

    @abstractmethod
    def create_infer_request(self) -> SyncRequest:
        """Makes a request."""

    @abstractmethod
    def check_open(self) -> None:
        """Raises ModelClosed after ``close``."""

    def infer_new_request(self, inputs: Inputs = None) -> Results:
        """Runs the model once with a new request, as in OpenVINO. ``compiled(...)`` is quicker.

        Args:
            inputs: as ``InferRequest.infer`` takes them, all of them.

        Raises:
            Exception: as ``create_infer_request`` and ``InferRequest.infer``.
        """
        return self.create_infer_request().infer(inputs)

    @property
    def signatures(self) -> tuple[str, ...]:
        """The names of the file's signatures in its order; the first is the plain call, unless another was chosen."""
        return tuple(dict.fromkeys(each.key for each in self._graph.signatures))

    def signature(self, key: str | None = None) -> SignatureRunner:
        """The model as a function with the input and output names of a signature.

        Args:
            key: the signature's name; None: the signature of the plain call.

        Raises:
            Exception: as ``for_signature``.
        """
        model = self.for_signature(key)
        return runner_of_signature(model, key, model)

    def for_signature(self, key: str | None = None) -> Self:
        """The compiled model of a signature: this model, or a model of another part of the file, compiled on first use.

        Args:
            key: the signature's name; None: the signature of the plain call.

        Raises:
            InputError: there is no such signature, or the signature can only be compiled from the file.
            ModelClosed: the model has been closed.
            LiteDelegateError: the part of the file cannot be compiled.
        """
        known = self._graph.signatures
        found = [each for each in known if key in (None, each.key)]
        if any(not each.is_elsewhere for each in found):
            return self
        if not found or key is None:
            names = ", ".join(f"'{name}'" for name in self.signatures) or "none"
            raise InputError(f"The model has no signature '{key or ''}'; it has {names}.")
        if self._origin.signatures is None:
            raise InputError(
                f"Signature '{key}' is another part of the model's file, which this was not compiled from by its "
                "path or bytes; compile that part of it (Core.compile_model of the file, or formats.read_model(path, "
                f"signature={key!r}))."
            )
        self.check_open()
        compiled: Self = self._origin.signatures.model(key)
        return compiled

    def close(self, reason: str = "The compiled model has been closed.") -> None:
        """Closes the models of other signatures."""
        for model in () if self._origin.signatures is None else self._origin.signatures.compiled:
            model.close(reason)
