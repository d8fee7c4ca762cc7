"""Arm's Ethos-U: compiled by Vela, computed on the host by the reference kernels that Vela's programs agree with."""

from .delegate import EthosUDelegate

__all__ = ["EthosUDelegate"]
