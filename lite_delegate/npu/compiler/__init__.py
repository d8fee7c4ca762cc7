"""From a run of kernels to a program of the device."""

from .builder import Builder
from .compile import compile_run
from .compiled import Compiled, Port
from .layout import Layout, LayoutRule
from .lowering import Lowering

__all__ = ["Builder", "Compiled", "Layout", "LayoutRule", "Lowering", "Port", "compile_run"]
