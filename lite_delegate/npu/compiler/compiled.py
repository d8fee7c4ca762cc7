"""Compiled: a program of the device with the module that it was made from."""

from __future__ import annotations

from ...basics.data_class import dataclass
from ..device.programs.program import Program
from ..ir.module import Module


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of compiling a run.

    Attributes:
        program: for the device. Its first buffers are those of ``module``.
        module: what crosses between host and device, and where the contents of constants come from.
    """

    program: Program
    module: Module
