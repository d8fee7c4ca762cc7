"""What is made of runs before anything is compiled: claims, and OpenVINO's models."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...delegate import Boundary, DelegateModel, Kernel, SupportResult
from ..lowering import claim
from ..open_shapes import written_run
from ..rewriting import write_run
from .attention import split_attention
from .compiled import CompileSettings, Prepared
from .emitter import OpenVINOEmitter
from .open_models import OpenModels


class Builder:
    """Makes models for one delegate."""

    def __init__(self) -> None:
        self._claims = OpenVINOEmitter()
        self._open = OpenModels()

    def claim(self, kernel: Kernel) -> SupportResult:
        """The lowering's answer."""
        return claim(kernel, self._claims)

    def prepared(
        self,
        name: str,
        run: Sequence[Kernel],
        boundary: Boundary,
        model: DelegateModel,
        is_exact: Callable[[], bool],
        settings: CompileSettings,
    ) -> Prepared:
        """A run as one OpenVINO model; it is compiled when it is loaded.

        Args:
            name: of the model.
            run: kernels of the model.
            boundary: what they read and give.
            model: that they are of.
            is_exact: as for ``OpenVINOEmitter``.
            settings: for this model.

        Raises:
            DelegateBuildError: a kernel cannot be lowered.
        """
        emitter = OpenVINOEmitter(is_exact)
        rewrites = (split_attention,) if model.rewrites else ()
        if model.origin is not None:
            return self._open.prepared(model.origin, written_run(run, boundary, emitter, rewrites), is_exact, settings)
        return Prepared(emitter.finish(name, write_run(run, boundary, emitter, rewrites)), settings)
