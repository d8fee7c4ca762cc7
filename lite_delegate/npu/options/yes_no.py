"""Properties that are YES or NO."""

from __future__ import annotations

from ...properties import PropertySpec, YesNo


def yes_no(name: str, effect: str, when: str, *, default: bool = False) -> PropertySpec:
    """A property of devices and compiled models that is YES or NO."""
    return PropertySpec(name, effect, YesNo(), default, scope="dc", when=when, values="YES, NO")
