"""DelegateSource: the origin of a device's delegate, which is imported when the device is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from ...basics.data_class import dataclass
from ...basics.failures import said
from ...delegate import Delegate
from ...errors import DelegateUnavailable, LiteDelegateError
from .delegate_class import make_delegate

GROUP = "lite_delegate.delegates"
"""The entry points of this group name a delegate class, ``ACME = "acme.delegate:AcmeDelegate"``, or a function."""
Factory = Callable[[Mapping[str, object]], Delegate]
"""Makes a delegate with options by name; the options have ``DEVICE_ID`` where the device's name has an id."""
Made = Factory | type[Delegate]
"""The maker of delegates: a function, or a class whose constructor has the options as parameters."""


@dataclass(frozen=True, slots=True)
class DelegateSource:
    """The origin of a device's delegate.

    Attributes:
        name: the name of the device.
        text: the origin in words: "built in", "registered", or the distribution.
        load: imports the delegate's package and gives the factory.
        in_auto: whether AUTO without a list of devices may choose the device.
    """

    name: str
    text: str
    load: Callable[[], Factory]
    in_auto: bool = True


def registered(name: str, factory: Made) -> DelegateSource:
    """The source of a delegate whose factory, or class derived from ``Delegate``, the user registers."""
    return DelegateSource(name, "registered", lambda: _factory(name, factory))


def installed() -> list[DelegateSource]:
    """The sources of built-in and installed delegates, each name once: a built-in delegate comes first."""
    from importlib.metadata import entry_points  # a request for a built-in device does without this import

    found = dict(BUILT_IN)
    for each in sorted(entry_points(group=GROUP), key=lambda e: e.name):
        text = "installed" if each.dist is None else f"{each.dist.name} {each.dist.version}"
        found.setdefault(each.name.upper(), DelegateSource(each.name, text, _loader(each.name, each.value, each.load)))
    return list(found.values())


def _loader(name: str, place: str, load: Callable[[], object]) -> Callable[[], Factory]:
    def loaded() -> Factory:
        try:
            return _factory(name, load())
        except Exception as e:  # importing runs another package's code, which may raise anything
            raise DelegateUnavailable(f"Device '{name}': cannot import '{place}': {said(e)}.") from e

    return loaded


def _built_in(name: str, module: str, class_name: str, *, in_auto: bool = True) -> DelegateSource:
    """The source of a delegate of this package."""

    def load() -> object:
        return getattr(import_module(module), class_name)

    return DelegateSource(name, "built in", _loader(name, f"{module}:{class_name}", load), in_auto)


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
        except Exception as e:  # the factory is the user's code, which may raise anything
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
        _built_in("QNN", "lite_delegate.backends.qnn", "QnnDelegate", in_auto=False),
        _built_in("LITERT", "lite_delegate.backends.litert", "LiteRTDelegate", in_auto=False),
        _built_in("ETHOSU", "lite_delegate.backends.ethosu", "EthosUDelegate", in_auto=False),
    )
}
"""The built-in delegates, which a source tree without package metadata has, too.

AUTO's own list has devices that come before the CPU by their nature. Only a measurement tells whether a runtime of the
host is faster than the CPU's kernels, so the user names such a runtime: ``AUTO:OPENVINO,CPU``.
"""
