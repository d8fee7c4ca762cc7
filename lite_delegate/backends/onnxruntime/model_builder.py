"""ONNX models of runs, and the claims for them, before a session exists."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ..lowering import Term
from ..rewriting import Rewrite
from ..run_builder import RunBuilder
from .emitting.attention import fuse_attention
from .emitting.channel_scales import fuse_channel_scales
from .emitting.emitter import OnnxEmitter
from .emitting.moved_integers import move_as_real, wants_parameters
from .emitting.numbers import trust_numbers
from .emitting.padded_pools import pad_apart, pads_with_zeros
from .emitting.slopes import take_slopes_apart
from .emitting.unsigned import wants_unsigned
from .graph import SharedSession
from .open_sessions import OpenSession, SharedOpenSession
from .sessions.layers import WholeModel
from .sessions.properties import CPU_PROVIDER
from .sessions.session import SessionSettings

REWRITES = (fuse_attention, fuse_channel_scales, take_slopes_apart, trust_numbers)
"""Patterns that the CPU provider gets in another form, which it runs faster."""


class OnnxModelBuilder(RunBuilder[OnnxEmitter, OpenSession, SharedSession, SessionSettings]):
    """Makes ONNX models for one delegate."""

    def __init__(self) -> None:
        super().__init__(OnnxEmitter("claims"), OpenSession, SharedOpenSession)

    def emitter(self, name: str, settings: SessionSettings) -> OnnxEmitter:
        """As the provider's kernels want it."""
        return OnnxEmitter(name, is_unsigned=wants_unsigned(settings.provider))

    def forms(self, settings: SessionSettings) -> Sequence[Rewrite]:
        """The form of moved integers that compilers for NPUs take, and pools whose paddings never win."""
        return (*_pools(settings), *((move_as_real,) if wants_parameters(settings.provider) else ()))

    def trial_forms(self, settings: SessionSettings) -> Sequence[Rewrite]:
        """The same forms, also for integers that a kernel by itself moves."""
        moves = (partial(move_as_real, is_alone=True),) if wants_parameters(settings.provider) else ()
        return (*_pools(settings), *moves)

    def rewrites(self, settings: SessionSettings) -> Sequence[Rewrite]:
        """The rewrites for the CPU provider; none for other providers."""
        return REWRITES if settings.provider == CPU_PROVIDER else ()

    def alone(
        self, name: str, emitter: OnnxEmitter, outputs: Sequence[Term], settings: SessionSettings
    ) -> SharedSession:
        """The model's bytes, and the constants that are not in them."""
        return SharedSession(WholeModel(emitter.finish(outputs), emitter.outside, emitter.written), settings)


def _pools(settings: SessionSettings) -> Sequence[Rewrite]:
    return (pad_apart,) if pads_with_zeros(settings.provider) else ()
