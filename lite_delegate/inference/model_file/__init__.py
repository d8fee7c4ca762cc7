"""Compiled models in files: exported whole, imported without compiling, and checked before they are."""

from .compatibility import Compatibility, Verdict, check_compatibility
from .header import device_of

__all__ = ["Compatibility", "Verdict", "check_compatibility", "device_of"]
