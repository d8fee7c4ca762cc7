"""Every exception type that lite_delegate raises on purpose.

Messages follow one shape: who, what was expected, what was found, what to do. For example
``Node 'conv_3' (Conv2DFusion): weight must be 4-D, got shape (16, 27).``
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


def one_full_stop(text: str) -> str:
    """A text that ends in two full stops, with one of them; an ellipsis stays."""
    return text[:-1] if text.endswith("..") and not text.endswith("...") else text


class LiteDelegateError(RuntimeError):
    """Base of every error that lite_delegate raises on purpose.

    A RuntimeError, because that is what the ``mindspore_lite`` package raises and scripts catch.
    """

    told_traceback: str = ""
    """The traceback of the delegate's own calls in another process, where that raised the error."""

    def __str__(self) -> str:
        """The message. One that quotes another, which is a sentence itself, still ends in one full stop."""
        return one_full_stop(super().__str__())


class ModelFormatError(LiteDelegateError):
    """A model file cannot be read: not the format, damaged, or outside what the format allows."""


class GraphError(LiteDelegateError):
    """A graph breaks a rule that every graph has to keep (cycle, value without producer, ...)."""


class ShapeError(LiteDelegateError):
    """Shapes or dtypes do not fit an operator, or cannot be inferred."""


class InputError(LiteDelegateError, ValueError):
    """What the caller passed to ``predict`` or ``resize`` does not fit the model."""


class DelegateClassError(InputError):
    """The class of a delegate cannot be imported, is none, or cannot be made with these options."""


class PropertyError(InputError):
    """A property that there is not, that cannot be set or read there, or a value that it does not take."""


class RequestError(LiteDelegateError):
    """A request was asked for what it does not have, or cannot do now."""


class RequestBusy(RequestError):
    """A request was asked for something while a run of it was under way."""


class RequestCancelled(RequestError):
    """The run of a request was cancelled."""


class CacheMiss(LiteDelegateError):
    """A model had to be in the cache (REQUIRE_CACHED) and is not; the message says why."""


class CallbackError(RequestError):
    """The callback of a run that was done raised something: ``__cause__`` is what."""


class RequestErrors(ExceptionGroup[Exception], RequestError):
    """Runs of a queue failed, or their callbacks did; each error has a note that names the job."""


class UnsupportedOperatorError(LiteDelegateError):
    """Nodes that neither the delegate takes nor a CPU kernel exists for."""


class UnsupportedShapesError(UnsupportedOperatorError, ShapeError):
    """Nodes that nothing can run for these shapes of the model's inputs; for others something may."""


class KernelError(LiteDelegateError):
    """A CPU kernel failed while a model ran."""


class LimitError(LiteDelegateError):
    """A model asks for more memory or more steps than it may take: ``Context.memory_limit``, ``Context.step_limit``."""


class DelegateError(LiteDelegateError):
    """Base of what goes wrong in a delegate."""


class RemoteError(DelegateError):
    """A remote tensor cannot be used so: its device does not run the model, it was released, or has no contexts."""


class DelegateUnavailable(DelegateError):
    """Raised by ``Delegate.init`` when its device is not there: the runtime falls back to the CPU, aloud."""


class DynamicShapeCode(StrEnum):
    """Why a device does not take a model whose dimensions are open, see ``DynamicShapeError``."""

    UNBOUNDED = "UNBOUNDED"
    RANK_UNKNOWN = "RANK_UNKNOWN"
    STATE_AND_BATCH = "STATE_AND_BATCH"
    CONTROL_FLOW = "CONTROL_FLOW"


class DynamicShapeError(DelegateError):
    """A device does not take an input whose dimensions are open; the message has input, dimension and what to do.

    Args:
        message: the text.
        code: which rule it breaks.
    """

    def __init__(self, message: str, code: DynamicShapeCode) -> None:
        super().__init__(message, code)
        self.code = code

    def __str__(self) -> str:
        return f"{self.args[0]}"


class DelegateBuildError(DelegateError):
    """A delegate could not build a graph kernel, or asked for a replacement that would break the graph."""


class KernelsNotTaken(DelegateBuildError):
    """A graph kernel was compiled, but its runtime would run kernels of it on a CPU of its own.

    ``Kernel.prepare`` raises it: the kernels that it names stay off the delegate, and the others are planned anew.

    Args:
        text: for the user.
        reasons: why the runtime does not run a kernel on the device, by the kernel's name.
    """

    def __init__(self, text: str, reasons: Mapping[str, str]) -> None:
        super().__init__(text)
        self.reasons = dict(reasons)


class DelegateExecuteError(DelegateError):
    """A graph kernel failed while a model ran."""


class DeviceLost(DelegateExecuteError):
    """The device went away, and what it held with it. Nothing runs on it until the model is built or resized anew."""


class FallbackError(DelegateError):
    """``Context.strict`` is set and at least one kernel would run on the CPU, or would be allowed to."""


class PlacementError(DelegateError):
    """A node cannot run where the user's plan (``PartitionOptions.affinity``) puts it."""


class ResizeUnsupported(DelegateError):
    """Raised by ``Kernel.resize`` when the kernel cannot follow new shapes: the runtime plans anew."""


class ModelClosed(LiteDelegateError):
    """The model was closed: nothing can be asked of it any more."""


class CacheWarning(UserWarning):
    """The cache cannot be used; the model is compiled all the same."""


class PropertyWarning(UserWarning):
    """A property was set in a way that works and that the user should know better about."""


class DelegateWarning(UserWarning):
    """A delegate could not do what was asked of it and the CPU does it instead.

    Attributes:
        traceback: of what the delegate raised, "" where it raised nothing.
    """

    def __init__(self, text: str, traceback: str = "") -> None:
        super().__init__(one_full_stop(text))
        self.traceback = traceback
