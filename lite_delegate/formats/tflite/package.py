"""The package ``tflite``, an extra that knows the schema of TensorFlow Lite files."""

from __future__ import annotations

import importlib.util

from ...errors import LiteDelegateError


def require_tflite() -> None:
    """Checks that ``tflite`` is installed.

    Raises:
        LiteDelegateError: it is not; the message says how to install it.
    """
    if importlib.util.find_spec("tflite") is None:
        raise LiteDelegateError(
            "TensorFlow Lite models need the package 'tflite', which is not installed: "
            "pip install 'lite-delegate[tflite]'."
        )
