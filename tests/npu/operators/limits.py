"""Profiles with other limits than the packaged ones, and what is claimed on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lite_delegate.delegate import Kernel, RejectCode, Rejected, Supported
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.operators.claims import claim
from lite_delegate.npu.options import Options
from lite_delegate.npu.profiles import OperatorLimits, Profile, load_profile

UNLIMITED = replace(load_profile("generic"), limits=OperatorLimits())


def limited(**limits: Any) -> Profile:
    """A device with these limits and no other."""
    return replace(UNLIMITED, limits=OperatorLimits(**limits))


def driver(version: str) -> Profile:
    """The generic device with a driver of that version."""
    return replace(load_profile("generic"), driver_version=version)


def code_on(profile: Profile, kernel: Kernel) -> RejectCode | None:
    """The reason against a kernel, None when it is claimed."""
    result = claim(kernel, profile)
    if isinstance(result, Supported):
        return None
    assert isinstance(result, Rejected)
    assert result.reason
    return result.code


def delegate_on(profile: Profile) -> NPUDelegate:
    """A delegate for that device."""
    npu = NPUDelegate()
    npu.options = Options.of(profile)
    return npu
