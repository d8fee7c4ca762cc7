"""PickledBuild: the build of a model, which another process repeats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from ..basics.data_class import dataclass
from ..basics.forking import check_pickles
from ..delegate import Delegate
from .context.context import Context
from .model_build import BuildCall

if TYPE_CHECKING:
    from .model_plans import Shapes

Maker = Callable[[], Delegate | None]
NAMED = "make it of a function or a class that has a name in a module"
ADVICE = "give its class __reduce__, or set its remake; or compile by Core, which makes it by name (register_device)"


@dataclass(frozen=True, slots=True, eq=False)
class PickledBuild:
    """The build of a model.

    Attributes:
        call: the model and its shapes.
        context: the context of the model.
        shapes: the shapes that the model was resized to; None where the next prediction may have any shapes.
    """

    call: BuildCall
    context: Context
    shapes: Shapes | None

    def __reduce__(self) -> tuple[Any, ...]:
        """The call, the context and its delegates; a delegate that was made of a SPEC goes as the SPEC.

        Raises:
            TypeError: a delegate or the kernel of a custom operator does not pickle; the message has its name.
        """
        makers = [_maker_of(delegate) for delegate in self.context.delegates]
        for name, custom in self.context.custom_operators.items():
            check_pickles(custom, f"The kernel of custom operator '{name}'", NAMED)
        context = copy(self.context)
        context.set_delegates(())
        return _built, (self.call, context, makers, self.shapes)


def _maker_of(delegate: Delegate) -> Delegate | Maker:
    """A delegate, or the maker of one like it, where the delegate does not pickle."""
    try:
        check_pickles(delegate, f"Delegate '{delegate.name}'", ADVICE)
    except TypeError:
        if delegate.remake is None:
            raise
        return delegate.remake
    return delegate


def _built(
    call: BuildCall, context: Context, makers: Sequence[Delegate | Maker], shapes: Shapes | None
) -> PickledBuild:
    made = [each if isinstance(each, Delegate) else each() for each in makers]
    context.set_delegates([each for each in made if each is not None])
    return PickledBuild(call, context, shapes)
