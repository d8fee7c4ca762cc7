"""Per-channel parameters: 1-D arrays along the last dim."""

from __future__ import annotations

from ._kernel import UNKNOWN, ArraySpec, KernelInputError


def check_per_channel(x: ArraySpec, **parameters: ArraySpec) -> None:
    """Raises KernelInputError unless every parameter is 1-D and as long as the last dim of ``x``.

    A rank or dim that is not known passes.
    """
    if x.rank == 0:
        raise KernelInputError("input 0 must have a channel dim, got rank 0")
    channels = UNKNOWN if x.shape is None else x.shape[-1]
    for name, spec in parameters.items():
        if spec.shape is None:
            continue
        if len(spec.shape) != 1 or (channels != spec.shape[0] and UNKNOWN not in (channels, spec.shape[0])):
            raise KernelInputError(
                f"{name} must have one element per channel, shape ({_text(channels)},), got {spec.shape}"
            )


def _text(dim: int) -> str:
    return "C" if dim == UNKNOWN else str(dim)
