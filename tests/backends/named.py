"""Delegates of runtimes by the names of their packages, for tests of both."""

from __future__ import annotations

import pytest

from lite_delegate import Delegate
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate


def delegate_of(name: str, threads: int = 1) -> Delegate:
    """The delegate of a package, where that is installed."""
    pytest.importorskip(name, reason=f"the package {name} is not installed")
    return OnnxRuntimeDelegate(threads=threads) if name == "onnxruntime" else OpenVINODelegate(threads=threads)
