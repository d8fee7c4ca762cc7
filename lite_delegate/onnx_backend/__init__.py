"""ONNX's own interface to a runtime, ``onnx.backend.base.Backend``, and models written as ONNX files.

The backend needs the extra ``onnx``. Like ``onnxruntime.backend``, the module itself has the functions of a backend,
too: ``BackendTest(lite_delegate.onnx_backend, __name__)`` and ``BackendTest(LiteDelegateBackend, __name__)`` are the
same.
"""

from typing import TYPE_CHECKING

from ..basics.deferred import deferred as _deferred

if TYPE_CHECKING:
    from .backend import (
        LiteDelegateBackend,
        NotImplementedHere,
        PreparedModel,
        is_compatible,
        prepare,
        run_model,
        run_node,
        supports_device,
    )
else:
    __getattr__ = _deferred(
        __name__,
        {
            "LiteDelegateBackend": "backend",
            "NotImplementedHere": "backend",
            "PreparedModel": "backend",
            "is_compatible": "backend",
            "prepare": "backend",
            "run_model": "backend",
            "run_node": "backend",
            "supports_device": "backend",
        },
    )

__all__ = [
    "LiteDelegateBackend",
    "NotImplementedHere",
    "PreparedModel",
    "is_compatible",
    "prepare",
    "run_model",
    "run_node",
    "supports_device",
]
