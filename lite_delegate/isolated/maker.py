"""The maker of a delegate: a function that another process calls, and the delegate's name before it was called."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from functools import partial

from ..basics.failures import said
from ..delegate import Delegate
from ..devices.registry.delegate_class import make_delegate
from ..devices.registry.delegate_spec import resolve_delegate
from ..errors import InputError


def maker_of(of: str | Callable[[], Delegate | None], options: Mapping[str, object]) -> Callable[[], Delegate | None]:
    """A function that makes the delegate in its process.

    Raises:
        InputError: there are options for a function.
    """
    if isinstance(of, str):
        return partial(resolve_delegate, of, {key: str(value) for key, value in options.items()})
    if isinstance(of, type):
        return partial(make_delegate, of, f"delegate {of.__name__}", options)
    if options:
        raise InputError(f"Options go with a SPEC or a class; got {', '.join(options)} with {of!r}.")
    return of


def pickled(make: Callable[[], Delegate | None], of: object) -> bytes:
    """The bytes of a function for another process.

    Raises:
        InputError: it cannot be pickled.
    """
    try:
        return pickle.dumps(make)
    except (pickle.PicklingError, AttributeError, TypeError) as e:
        name = getattr(of, "__qualname__", repr(of))
        raise InputError(
            f"'{name}' cannot be made in another process, which would have to import it: {said(e)}. Define it in a "
            "module, outside of functions."
        ) from e


def name_of(of: str | Callable[[], Delegate | None]) -> str:
    """The name of a delegate that was never made: its device, or its class."""
    if not isinstance(of, str):
        return str(getattr(getattr(of, "func", of), "name", "isolated"))
    word, _, rest = of.rpartition(":")
    return rest if "." in word else of.partition(":")[0]
