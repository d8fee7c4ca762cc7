"""Asking a delegate: is the device there, and which kernels does it claim?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from ..delegate import Delegate, Kernel, RejectCode, Rejected, SupportResult
from ..errors import DelegateBuildError, DelegateError, DelegateUnavailable, DelegateWarning

Claims = dict[Kernel, SupportResult | None]


def is_available(delegate: Delegate, notes: list[str], *, strict: bool) -> bool:
    """Initialises the delegate. False: its device is not there, which is noted and warned of.

    Raises:
        DelegateUnavailable: the device is not there, and ``strict`` is set.
        DelegateError: initialising failed for another reason.
    """
    try:
        delegate.init()
    except DelegateUnavailable as e:
        if strict:
            raise
        notes.append(f"Delegate '{delegate.name}' is not available, the CPU runs everything: {e}")
        warnings.warn(notes[-1], DelegateWarning, stacklevel=2)
        return False
    except DelegateError:
        raise
    except Exception as e:
        raise DelegateBuildError(f"Delegate '{delegate.name}': init failed: {e}.") from e
    return True


def ask(delegate: Delegate, kernels: Sequence[Kernel]) -> Claims:
    """The delegate's answer for each kernel. A delegate that fails to answer refuses, with what it raised as reason."""
    return {kernel: _answer(delegate, kernel) for kernel in kernels}


def refuse_all(kernels: Sequence[Kernel], reason: str) -> Claims:
    """Every kernel refused because there is no device."""
    return dict.fromkeys(kernels, Rejected(RejectCode.NO_DEVICE, reason))


def _answer(delegate: Delegate, kernel: Kernel) -> SupportResult | None:
    try:
        return delegate.supports(kernel)
    except Exception as e:
        reason = f"delegate '{delegate.name}' raised {type(e).__name__} when asked: {e}"
        warnings.warn(f"Kernel '{kernel.name}' ({kernel.type}): {reason}", DelegateWarning, stacklevel=2)
        return Rejected(RejectCode.COMPILE_FAILED, reason)
