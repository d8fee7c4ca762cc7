"""Witness: a wrapper of a delegate that notes its claims, and can force claims."""

from __future__ import annotations

from ...delegate import Delegate, DelegateModel, Kernel, Rejected, Supported, SupportResult
from ...delegate.calls import calls


class Witness(Delegate):
    """Passes every call on to a delegate.

    Args:
        delegate: the delegate.
        force: claim every kernel, whatever the delegate says; it still makes the graph kernels.

    Attributes:
        claims: whether the delegate claimed the kernel it was asked about last.
        rejection: what it said if it rejected that one, else None.
    """

    def __init__(self, delegate: Delegate, *, force: bool = False) -> None:
        self.name = delegate.name
        self.storage_dtype = delegate.storage_dtype
        self.special_values = delegate.special_values
        self.infinite_results = delegate.infinite_results
        self.quantized_steps = delegate.quantized_steps
        self.claims = False
        self.rejection: Rejected | None = None
        self._delegate = delegate
        self._force = force

    def init(self) -> None:
        calls.initialize(self._delegate)

    def close(self) -> None:
        self._delegate.close()

    def version(self) -> str:
        return self._delegate.version()

    def supports(self, kernel: Kernel) -> SupportResult | None:
        if self._force:
            return Supported()
        answer = self._delegate.supports(kernel)
        self.claims = isinstance(answer, Supported)
        self.rejection = answer if isinstance(answer, Rejected) else None
        return answer

    def build(self, model: DelegateModel) -> None:
        calls.build(self._delegate, model)


def why_not_forceable(delegate: Delegate) -> str:
    """The reason why claims cannot be forced on a delegate; "" when they can."""
    if delegate.overrides_build:
        return "the delegate overrides build"
    if type(delegate).create_graph_kernel is Delegate.create_graph_kernel:
        return "the delegate has no create_graph_kernel"
    return ""
