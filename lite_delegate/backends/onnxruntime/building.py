"""What is made of runs before there is a session: claims, and ONNX models."""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Boundary, DelegateModel, Kernel, SupportResult
from ..lowering import claim
from ..open_shapes import written_run
from ..rewriting import write_run
from .attention import fuse_attention
from .channel_scales import fuse_channel_scales
from .emitter import OnnxEmitter
from .graph import Prepared
from .layers import WholeModel
from .numbers import trust_numbers
from .open_sessions import OpenSessions
from .properties import CPU_PROVIDER
from .session import SessionSettings
from .slopes import take_slopes_apart
from .unsigned import wants_unsigned

REWRITES = (fuse_attention, fuse_channel_scales, take_slopes_apart, trust_numbers)
"""What is handed to the CPU provider in another form, since it runs that faster."""


class Builder:
    """Makes models for one delegate."""

    def __init__(self) -> None:
        self._claims = OnnxEmitter("claims")
        self._open = OpenSessions()

    def claim(self, kernel: Kernel) -> SupportResult:
        """The lowering's answer."""
        return claim(kernel, self._claims)

    def prepared(
        self, name: str, run: Sequence[Kernel], boundary: Boundary, model: DelegateModel, settings: SessionSettings
    ) -> Prepared:
        """A run as one ONNX model; its session is made when it is loaded.

        Args:
            name: of the model.
            run: kernels of the model.
            boundary: what they read and give.
            model: that they are of.
            settings: the delegate's.

        Raises:
            DelegateBuildError: a kernel cannot be lowered.
        """
        emitter = OnnxEmitter(name, is_unsigned=wants_unsigned(settings.provider))
        rewrites = REWRITES if model.rewrites and settings.provider == CPU_PROVIDER else ()
        settings = settings.for_run(is_whole=len(run) == len(model), threads=model.threads)
        if model.origin is not None:
            return self._open.prepared(model.origin, written_run(run, boundary, emitter, rewrites), settings)
        written = emitter.finish(write_run(run, boundary, emitter, rewrites))
        return Prepared(WholeModel(written, emitter.outside, emitter.written), settings)
