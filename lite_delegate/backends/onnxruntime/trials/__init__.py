"""Kernels compiled on trial in a process of their own, so that a delegate claims what its provider really takes."""

from .trials import ProviderTrials

__all__ = ["ProviderTrials"]
