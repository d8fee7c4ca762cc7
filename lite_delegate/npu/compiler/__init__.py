"""From a run of kernels to a program of the device."""

from .builder import Builder
from .lowering import Lowering
from .module import Module, Port

__all__ = ["Builder", "Lowering", "Module", "Port"]
