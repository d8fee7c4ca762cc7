"""PropertyName: the name of a property in a list, which says whether it can be set."""

from __future__ import annotations

from .spec import Access, PropertySpec


class PropertyName(str):
    """The name of a property; a text that also knows what may be done with it.

    Args:
        spec: the property.
        can_be_set: whether it can be set where it is listed; None: as the property says.
    """

    __slots__ = ("access",)

    access: Access
    """What may be done with it where it is listed."""

    def __new__(cls, spec: PropertySpec, *, can_be_set: bool | None = None) -> PropertyName:
        made = super().__new__(cls, spec.name)
        made.access = spec.may if can_be_set in (None, True) else Access.RO
        return made

    @property
    def is_mutable(self) -> bool:
        """Whether it can be set."""
        return self.access is not Access.RO
