"""Compiled models in files: exported whole, imported without compiling, and checked before they are."""

from typing import TYPE_CHECKING

from ...basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .compatibility import Compatibility, FileVerdict, check_compatibility
    from .files import Content, content_of
    from .header import device_of
else:
    __getattr__ = _deferred(
        __name__,
        {
            "Compatibility": "compatibility",
            "FileVerdict": "compatibility",
            "check_compatibility": "compatibility",
            "Content": "files",
            "content_of": "files",
            "device_of": "header",
        },
    )

__all__ = ["Compatibility", "Content", "FileVerdict", "check_compatibility", "content_of", "device_of"]
