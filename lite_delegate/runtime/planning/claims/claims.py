"""Claims: the delegate's answer for every kernel."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

from ....basics.counted import counted
from ....basics.data_class import dataclass
from ....basics.failures import Told
from ....basics.unforeseen import FAILURES
from ....delegate import Delegate, Kernel, RejectCode, Rejected, Supported, SupportResult
from ....delegate.calls.progress import progressed
from ...binding.host_kernel import HostKernel
from .affinity import kept_from

Claims = dict[Kernel, SupportResult | None]
NOT_ASKED = (RejectCode.POLICY, RejectCode.NO_DEVICE)
"""Codes of answers that are not the delegate's."""
MOST_NAMES = 3
"""Names of kernels that a warning has."""


def claims_of(
    delegate: Delegate, left: Sequence[Kernel], affinity: Mapping[str, str], *, is_absent: bool, warnings: list[str]
) -> Claims:
    """A delegate's answers for the kernels that are left; it is asked only about undecided kernels.

    Args:
        delegate: is asked, if its device is there.
        left: the kernels.
        affinity: the user's own plan, which decides for some kernels.
        is_absent: whether the delegate's device is not there.
        warnings: gets the warnings for the user.
    """
    claims: Claims = {**held_from(delegate, left, affinity), **of_the_host(left)}
    asked = [k for k in left if k not in claims]
    if is_absent:
        return claims | reject_all(asked, f"the device of delegate '{delegate.name}' is not available")
    return claims | ask(delegate, asked, warnings)


def held_from(delegate: Delegate, kernels: Iterable[Kernel], affinity: Mapping[str, str]) -> dict[Kernel, Rejected]:
    """The kernels that the user's plan keeps from a delegate."""
    return {k: why for k in kernels if (why := kept_from(affinity, k, delegate.name)) is not None}


def of_the_host(kernels: Iterable[Kernel]) -> Claims:
    """Answers for kernels that no delegate is asked for, because the runtime itself runs it."""
    return {k: Rejected(RejectCode.OPERATOR, k.reason) for k in kernels if isinstance(k, HostKernel)}


def ask(delegate: Delegate, kernels: Sequence[Kernel], warnings: list[str]) -> Claims:
    """The delegate's answer for each kernel. A delegate that fails to answer rejects the kernel, with its error as
    reason.

    Args:
        delegate: the delegate to ask.
        kernels: the kernels that it is asked for.
        warnings: gets the warnings for the user: invalid answers, once for all kernels with one cause.
    """
    answers: dict[Kernel, SupportResult | _NoAnswer | None] = _survey(delegate, kernels)
    for number, kernel in enumerate(kernels):
        progressed(number, 2 * len(kernels))  # building is the other half
        if kernel not in answers:
            answers[kernel] = _answer(delegate, kernel)
    causes: dict[Hashable, list[_NoAnswer]] = {}
    for answer in answers.values():
        if isinstance(answer, _NoAnswer):
            causes.setdefault(answer.cause, []).append(answer)
    warnings.extend(map(_warning, causes.values()))
    return {
        kernel: Rejected(RejectCode.COMPILE_FAILED, answer.reason) if isinstance(answer, _NoAnswer) else answer
        for kernel, answer in answers.items()
    }


def reject_all(kernels: Sequence[Kernel], reason: str) -> Claims:
    """Every kernel rejected because the device is not there."""
    return dict.fromkeys(kernels, Rejected(RejectCode.NO_DEVICE, reason))


def nothing_claimed(delegate: str, claims: Claims) -> str:
    """A sentence on a delegate that claims no kernel, with the most common reason; "" otherwise.

    The sentence counts only kernels that the delegate was asked for: not the kernels of the runtime, nor those that the
    user's plan keeps elsewhere. A delegate that failed on each question has its own warning, and gets "" here.
    """
    answers = [answer for kernel, answer in claims.items() if not isinstance(kernel, HostKernel)]
    asked = [answer for answer in answers if getattr(answer, "code", None) not in NOT_ASKED]
    rejected = [answer for answer in asked if isinstance(answer, Rejected)]
    if not asked or len(rejected) < len(asked) or all(each.code is RejectCode.COMPILE_FAILED for each in rejected):
        return ""
    ((code, rule), count), *_ = Counter((each.code, each.rule or each.reason) for each in rejected).most_common(1)
    kernels = "the only kernel" if len(asked) == 1 else f"any of {counted(len(asked), 'kernel')}"
    why = "the reason" if len(asked) == 1 else f"the most common reason, for {count} of them"
    return f"Delegate '{delegate}' does not claim {kernels}; {why}: {code}: {rule}."


def is_rejected(claim: SupportResult | None) -> bool:
    """True if an answer is no: neither a claim nor "unknown"."""
    return isinstance(claim, Rejected)


@dataclass(frozen=True, slots=True, eq=False)
class _NoAnswer:
    """A kernel for which a delegate gave no answer.

    Attributes:
        kernel: the kernel that the delegate was asked for.
        reason: the fault of the answer.
        cause: equal for all kernels that fail for one cause.
        error: the error that was raised, None where the delegate returned an invalid answer.
    """

    kernel: Kernel
    reason: str
    cause: Hashable
    error: Exception | None = None


def _survey(delegate: Delegate, kernels: Sequence[Kernel]) -> dict[Kernel, SupportResult | _NoAnswer | None]:
    """Lets the delegate look at all kernels; no answers, or the same failure for each kernel."""
    if not kernels:
        return {}
    try:
        delegate.survey(kernels)
    except FAILURES as e:
        return {kernel: _raised(delegate, kernel, e) for kernel in kernels}
    return {}


def _raised(delegate: Delegate, kernel: Kernel, error: Exception) -> _NoAnswer:
    reason = f"delegate '{delegate.name}' raised {type(error).__name__} when asked: {error}"
    return _NoAnswer(kernel, reason, (type(error), _place(error)), error)


def _answer(delegate: Delegate, kernel: Kernel) -> SupportResult | _NoAnswer | None:
    try:
        answer = delegate.supports(kernel)
    except FAILURES as e:
        return _raised(delegate, kernel, e)
    if answer is None or isinstance(answer, Supported):
        return answer
    if isinstance(answer, Rejected) and isinstance(answer.code, RejectCode):
        return answer
    found = repr(answer) if not isinstance(answer, Rejected) else f"code {answer.code!r}"
    reason = (
        f"delegate '{delegate.name}' must answer Supported(), Rejected(RejectCode, reason) or None, answered {found}"
    )
    return _NoAnswer(kernel, reason, (type(answer), found))


def _place(error: Exception) -> tuple[str, int | None]:
    """The file and the line that raised it."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return frame.filename, frame.lineno


def _warning(failed: Sequence[_NoAnswer]) -> Told:
    """One warning for all kernels that failed for one cause."""
    names = [f"'{each.kernel.name}' ({each.kernel.type})" for each in failed[:MOST_NAMES]]
    first = failed[0]
    head = (
        f"Kernel {names[0]}"
        if len(failed) == 1
        else f"{counted(len(failed), 'kernel')}, the first are {', '.join(names)}"
    )
    return Told(f"{head}: {first.reason}", first.error)
