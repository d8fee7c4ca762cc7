"""Faults of a delegate's process as the errors that they were there."""

from __future__ import annotations

from .. import errors
from ..errors import DelegateError, DynamicShapeCode, DynamicShapeError, KernelsNotTaken, LiteDelegateError
from .passing.messages import Fault


def error_of(fault: Fault) -> LiteDelegateError:
    """The error of a fault: of its class where that is one of this package, else a DelegateError that names the class.

    An error that had a cause there has one here; a device that was lost is a DeviceLost.
    """
    found = getattr(errors, fault.kind, None) if fault.is_ours else None
    error: LiteDelegateError
    if found is KernelsNotTaken:
        error = KernelsNotTaken(fault.text, fault.reasons)
    elif found is DynamicShapeError:
        error = DynamicShapeError(fault.text, DynamicShapeCode.UNBOUNDED)
    elif isinstance(found, type) and issubclass(found, LiteDelegateError) and not issubclass(found, ExceptionGroup):
        error = found(fault.text)
    else:
        error = DelegateError(f"{fault.kind}: {fault.text}" if fault.text else fault.kind)
    if len(fault.causes) > 1:
        cause = errors.DeviceLost if "DeviceLost" in fault.causes else DelegateError
        error.__cause__ = cause(fault.causes[1])
        error.__cause__.told_traceback = fault.traceback
    error.told_traceback = fault.traceback
    return error
