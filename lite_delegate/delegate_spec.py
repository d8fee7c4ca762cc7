"""From a delegate's SPEC, as people type it, to the delegate."""

from __future__ import annotations

import importlib
import os
import sys

from .delegate import Delegate
from .errors import InputError


def resolve_delegate(spec: str) -> Delegate | None:
    """The delegate that a SPEC names: ``none``, ``npu``, ``npu:PROFILE`` or ``package.module:ClassName``.

    Modules are looked for in the working directory, too. None for ``none``.

    Raises:
        InputError: the SPEC names nothing that exists, or something that is no delegate.
    """
    if spec == "none":
        return None
    kind, _, rest = spec.partition(":")
    if kind == "npu":
        from .npu import NPUDelegate

        return NPUDelegate(profile=rest) if rest else NPUDelegate()
    if not kind or not rest:
        raise InputError(f"--delegate must be none, npu, npu:PROFILE or package.module:ClassName, got '{spec}'.")
    return _import_delegate(kind, rest)


def _import_delegate(module_name: str, class_name: str) -> Delegate:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        cls = getattr(importlib.import_module(module_name), class_name)
    except Exception as e:  # importing runs the user's code, which may raise anything
        raise InputError(f"--delegate {module_name}:{class_name}: cannot import it: {type(e).__name__}: {e}.") from e
    if not (isinstance(cls, type) and issubclass(cls, Delegate)):
        raise InputError(f"--delegate {module_name}:{class_name} must be a class derived from lite_delegate.Delegate.")
    try:
        return cls()
    except Exception as e:
        raise InputError(f"--delegate {module_name}:{class_name}: cannot make one: {type(e).__name__}: {e}.") from e
