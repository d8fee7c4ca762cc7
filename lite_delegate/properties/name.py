"""PropertyName: the name of a property in a list, which says whether it can be set."""

from __future__ import annotations

from .spec import Access, PropertySpec


class PropertyName(str):
    """The name of a property: a text that also has the access to the property.

    Args:
        spec: the property.
        can_be_set: whether the owner of the list can set the property; None: as the property says.
    """

    __slots__ = ("access",)

    access: Access
    """The access to the property for the owner of the list."""

    def __new__(cls, spec: PropertySpec, *, can_be_set: bool | None = None) -> PropertyName:
        made = super().__new__(cls, spec.name)
        made.access = spec.may if can_be_set in (None, True) else Access.RO
        return made

    def __reduce__(self) -> tuple[object, ...]:
        """A name in another process has the access only; the property itself may have functions."""
        return PropertyName, (PropertySpec(str(self), "", access=self.access),)

    @property
    def is_mutable(self) -> bool:
        """Whether the property can be set."""
        return self.access is not Access.RO
