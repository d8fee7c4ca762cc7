"""The calibration of kernels: measured times of the kernels of a compiled model."""

from __future__ import annotations

from ...errors import InputError
from ...partition.placement import KernelTimes
from ...runtime.lifetimes.session import open_session
from ...runtime.planning.calibration.calibration import calibrate
from ...runtime.planning.claims.limits import inferred_for
from ...runtime.settings import Settings
from ..model_file.parts import ModelParts


def calibrated(parts: ModelParts, runs: int, settings: Settings, warnings: list[str]) -> KernelTimes:
    """Times of the kernels for the shapes of a compiled model; see ``CompiledModel.calibrate``."""
    if runs < 1:
        raise InputError(f"runs must be 1 or more, got {runs}.")
    own = parts.scheduled.session
    session = own if own.serves(settings.delegates) else open_session(settings.delegates)
    try:
        inferred, _ = inferred_for(parts.graph, parts.known_shapes(), settings, session, warnings)
    finally:
        if session is not own:
            session.let_go()
    return calibrate(inferred.bind(), inferred.state, settings, runs, warnings)
