"""The package ``onnx``, which is an extra."""

from __future__ import annotations

import importlib.util

from ....errors import LiteDelegateError


def require_onnx() -> None:
    """Checks that ``onnx`` is installed.

    Raises:
        LiteDelegateError: it is not; the message says how to install it.
    """
    if importlib.util.find_spec("onnx") is None:
        raise LiteDelegateError(
            "Reading ONNX models needs the package 'onnx', which is not installed: pip install 'lite-delegate[onnx]'."
        )
