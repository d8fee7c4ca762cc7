"""Calls of a delegate's own methods, which may say how they ended by the original's codes, see ``Status``."""

from __future__ import annotations

from collections.abc import Callable

from ...basics.unforeseen import FAILURES
from ...errors import DelegateBuildError, DelegateError, DelegateUnavailable, ResizeUnsupported
from ..answers.status import Status, fault_of
from ..delegate import Delegate
from ..kernel import Kernel
from ..model import DelegateModel, building


def initialize(delegate: Delegate) -> None:
    """Calls ``Delegate.init``, and raises the error of a returned code.

    Raises:
        DelegateUnavailable: it returned RET_NOT_SUPPORT, or raised DelegateUnavailable.
        DelegateBuildError: it returned another code than RET_OK.
        Exception: what it raises.
    """
    answer: object = delegate.init()  # type: ignore[func-returns-value]
    fault = fault_of(answer)
    if not fault:
        return
    text = f"Delegate '{delegate.name}': init {fault}."
    raise DelegateUnavailable(text) if Status.RET_NOT_SUPPORT.name in fault else DelegateBuildError(text)


def build(delegate: Delegate, model: DelegateModel) -> None:
    """Calls ``Delegate.build``, and raises the error of a returned code.

    Raises:
        DelegateBuildError: it returned another code than RET_OK.
        Exception: what it raises.
    """
    with building(model):
        answer: object = delegate.build(model)  # type: ignore[func-returns-value]
    if fault := fault_of(answer):
        raise DelegateBuildError(f"build {fault}")


def prepare(kernel: Kernel, method: Callable[[], object]) -> None:
    """Calls ``Kernel.prepare`` or ``rehearse``, and raises the error of a returned code.

    Raises:
        DelegateBuildError: it returned another code than RET_OK.
        Exception: what it raises.
    """
    if fault := fault_of(method()):
        raise DelegateBuildError(f"prepare of '{kernel.name}' ({kernel.type}) {fault}")


def resize(kernel: Kernel) -> None:
    """``Kernel.resize``, with the codes that it may return.

    Raises:
        ResizeUnsupported: the kernel cannot follow: it raised this, or returned RET_NOT_SUPPORT.
        DelegateError: it raised something else, or returned another code than RET_OK.
    """
    what = f"Graph kernel '{kernel.name}' ({kernel.type}): resize"
    try:
        answer: object = kernel.resize()  # type: ignore[func-returns-value]
    except ResizeUnsupported:
        raise
    except FAILURES as e:  # a delegate's own code may raise anything
        raise DelegateError(f"{what} failed: {type(e).__name__}: {e}") from e
    if fault := fault_of(answer):
        text = f"{what} {fault}"
        raise ResizeUnsupported(text) if Status.RET_NOT_SUPPORT.name in fault else DelegateError(text)
