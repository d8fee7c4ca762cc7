"""The accelerators that Vela compiles for: family and MACs per cycle."""

from __future__ import annotations

ACCELERATORS = (
    "u55-32",
    "u55-64",
    "u55-128",
    "u55-256",
    "u65-256",
    "u65-512",
    "u85-128",
    "u85-256",
    "u85-512",
    "u85-1024",
    "u85-2048",
)
DEFAULT = "u55-128"
PREFIX = "ethos-"
"""Stands before the accelerator's name in Vela's options."""
