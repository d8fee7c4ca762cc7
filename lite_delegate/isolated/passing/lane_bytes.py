"""The bytes by which parent and child take turns at a graph kernel."""

from __future__ import annotations

import struct

RUN = b"r"
"""Run the kernel."""
PROFILED = b"p"
"""Run the kernel and tell of its layers; the answer has them. The simulated time follows, ``READY_US``."""
WELL = b"y"
"""The kernel has run."""
FAILED = b"n"
"""It has failed; ``LENGTH`` and a ``Fault`` follow."""
LENGTH = struct.Struct("<Q")
READY_US = struct.Struct("<d")
FLAGS = 64
"""Bytes at the start of the shared memory: the next two."""
CANCELLED = 0
"""Set by the parent: nobody wants the result."""
LOOKED = 1
"""Set by the child: the kernel has asked whether it is cancelled."""
