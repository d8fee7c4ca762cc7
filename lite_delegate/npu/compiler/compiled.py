"""Compiled: a program of the device with the module that it was made from."""

from __future__ import annotations

from ...basics.data_class import dataclass
from ..device.programs.program import Program
from ..ir.module import Module


@dataclass(frozen=True, slots=True)
class Compiled:
    """The result of compiling a run.

    Attributes:
        program: the program for the device. Its first buffers are the buffers of ``module``.
        module: has the tensors that cross between host and device, and the sources of the constants' contents.
    """

    program: Program
    module: Module
