"""Asking a delegate: is the device there, and which kernels does it claim?"""

from __future__ import annotations

from collections.abc import Sequence

from ...delegate import Delegate, Kernel, RejectCode, Rejected, Supported, SupportResult
from ...errors import DelegateBuildError, DelegateError, DelegateUnavailable

Claims = dict[Kernel, SupportResult | None]


def initialize(delegate: Delegate) -> DelegateUnavailable | None:
    """Initializes the delegate. Gives the error that says so if its device is not there.

    Raises:
        DelegateError: initializing failed for another reason.
    """
    try:
        delegate.init()
    except DelegateUnavailable as e:
        return e
    except DelegateError:
        raise
    except Exception as e:
        raise DelegateBuildError(f"Delegate '{delegate.name}': init failed: {e}.") from e
    return None


def ask(delegate: Delegate, kernels: Sequence[Kernel], warnings: list[str]) -> Claims:
    """The delegate's answer for each kernel. A delegate that fails to answer rejects, with what it raised as reason.

    Args:
        delegate: is asked.
        kernels: what it is asked for.
        warnings: gets what the user is to be warned of: answers that are none.
    """
    return {kernel: _answer(delegate, kernel, warnings) for kernel in kernels}


def reject_all(kernels: Sequence[Kernel], reason: str) -> Claims:
    """Every kernel rejected because there is no device."""
    return dict.fromkeys(kernels, Rejected(RejectCode.NO_DEVICE, reason))


def is_rejected(claim: SupportResult | None) -> bool:
    """Whether an answer is no: neither a claim nor "unknown"."""
    return isinstance(claim, Rejected)


def _answer(delegate: Delegate, kernel: Kernel, warnings: list[str]) -> SupportResult | None:
    try:
        answer = delegate.supports(kernel)
    except Exception as e:
        return _no_answer(kernel, warnings, f"delegate '{delegate.name}' raised {type(e).__name__} when asked: {e}")
    if answer is None or isinstance(answer, Supported):
        return answer
    if isinstance(answer, Rejected) and isinstance(answer.code, RejectCode):
        return answer
    found = repr(answer) if not isinstance(answer, Rejected) else f"code {answer.code!r}"
    return _no_answer(
        kernel,
        warnings,
        f"delegate '{delegate.name}' must answer Supported(), Rejected(RejectCode, reason) or None, answered {found}",
    )


def _no_answer(kernel: Kernel, warnings: list[str], reason: str) -> Rejected:
    warnings.append(f"Kernel '{kernel.name}' ({kernel.type}): {reason}")
    return Rejected(RejectCode.COMPILE_FAILED, reason)
