"""Delegates that other packages bring, found by an entry point and imported when their device is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from ...basics.data_class import dataclass
from ...basics.failures import said
from ...delegate import Delegate
from ...errors import DelegateUnavailable, LiteDelegateError
from .delegate_class import make_delegate

GROUP = "lite_delegate.delegates"
"""The entry points of this group are delegates: ``ACME = "acme.delegate:AcmeDelegate"``, or a function's place."""
Factory = Callable[[Mapping[str, object]], Delegate]
"""Makes a delegate with options by name; ``DEVICE_ID`` among them where the device's name has an id."""
Made = Factory | type[Delegate]
"""What delegates are made of: a function, or a class whose constructor has the options as parameters."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the delegate of a device comes from.

    Attributes:
        name: of the device.
        text: the same for people.
        load: gives the factory; what it needs is imported then.
        in_auto: whether AUTO without a list of devices chooses from it, too.
    """

    name: str
    text: str
    load: Callable[[], Factory]
    in_auto: bool = True


def registered(name: str, factory: Made) -> Source:
    """A factory, or a class derived from ``Delegate``, that the user registers."""
    return Source(name, "registered", lambda: _factory(name, factory))


def installed() -> list[Source]:
    """The built-in delegates and those of installed packages, each name once: the built-in one, else the first."""
    from importlib.metadata import entry_points  # who asks for a device that is built in does without

    found = dict(BUILT_IN)
    for each in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        text = "installed" if each.dist is None else f"{each.dist.name} {each.dist.version}"
        found.setdefault(each.name.upper(), Source(each.name, text, _loader(each.name, each.value, each.load)))
    return list(found.values())


def _loader(name: str, place: str, load: Callable[[], object]) -> Callable[[], Factory]:
    def loaded() -> Factory:
        try:
            return _factory(name, load())
        except Exception as e:  # importing runs another package's code, which may raise anything
            raise DelegateUnavailable(f"Device '{name}': cannot import '{place}': {said(e)}.") from e

    return loaded


def _built_in(name: str, module: str, class_name: str, *, in_auto: bool = True) -> Source:
    """A delegate of this package."""

    def load() -> object:
        return getattr(import_module(module), class_name)

    return Source(name, "built in", _loader(name, f"{module}:{class_name}", load), in_auto)


def _factory(name: str, made_of: object) -> Factory:
    """A factory of a class derived from ``Delegate``, or of a function."""
    if isinstance(made_of, type) and issubclass(made_of, Delegate):
        cls = made_of
        return lambda options: make_delegate(cls, f"device {name}", options)
    if not callable(made_of):
        raise TypeError(f"expected a class derived from lite_delegate.Delegate or a function, found {made_of!r}")

    def make(options: Mapping[str, object]) -> Delegate:
        try:
            delegate = made_of(options)
        except LiteDelegateError:
            raise
        except Exception as e:  # it is anybody's code
            raise DelegateUnavailable(f"Device '{name}': its factory failed: {said(e)}.") from e
        if not isinstance(delegate, Delegate):
            raise DelegateUnavailable(f"Device '{name}': its factory must give a Delegate, gave {delegate!r}.")
        return delegate

    return make


BUILT_IN = {
    each.name: each
    for each in (
        _built_in("NPU", "lite_delegate.npu", "NPUDelegate"),
        _built_in("OPENVINO", "lite_delegate.backends.openvino", "OpenVINODelegate", in_auto=False),
        _built_in("ONNXRUNTIME", "lite_delegate.backends.onnxruntime", "OnnxRuntimeDelegate", in_auto=False),
    )
}
"""What is there in a source tree, too, which has no package's metadata.

AUTO's own list has what comes before the CPU by its nature; whether a runtime of the host is faster than the CPU's
kernels, only measuring tells, so it has to be named: ``AUTO:OPENVINO,CPU``.
"""
