"""Delegates without a device: they claim kernels by name and run them on the host."""

from __future__ import annotations

from collections.abc import Sequence

from ..delegate import Boundary, Delegate, DelegateModel, Kernel, RejectCode, Rejected, Supported, SupportResult


class GroupKernel(Kernel):
    """A graph kernel that runs the kernels it stands for, one after another.

    Attributes:
        kernels: those that it stands for.
        prepared: how often it was prepared.
    """

    def __init__(self, name: str, boundary: Boundary, kernels: Sequence[Kernel]) -> None:
        super().__init__(name, "Group", boundary.inputs, boundary.outputs)
        self.kernels = tuple(kernels)
        self.prepared = 0

    def prepare(self) -> None:
        """Counts."""
        self.prepared += 1

    def execute(self) -> None:
        """Runs the kernels."""
        for kernel in self.kernels:
            kernel.execute()


class NamedDelegate(Delegate):
    """Claims the kernels whose names it is given (None: all), and states so in ``supports``.

    Attributes:
        names: of the kernels that it claims.
        inits: how often it was initialized.
        made: the graph kernels that it made, the latest last.
    """

    name = "named"

    def __init__(self, names: Sequence[str] | None = None) -> None:
        self.names = names
        self.inits = 0
        self.made: list[GroupKernel] = []

    def init(self) -> None:
        """Counts."""
        self.inits += 1

    def supports(self, kernel: Kernel) -> SupportResult | None:
        """Claims by name."""
        if self.names is None or kernel.name in self.names:
            return Supported()
        return Rejected(RejectCode.OPERATOR, f"'{kernel.name}' is not in the list")

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """A ``GroupKernel``, named ``Group0``, ``Group1`` and so on."""
        kernel = GroupKernel(f"Group{len(self.made)}", model.boundary_of(run), run)
        self.made.append(kernel)
        return kernel


class WalkingDelegate(NamedDelegate):
    """The delegate in MindSpore Lite's way, without stating claims: walks the kernels, replaces runs, flushes the
    last.
    """

    name = "walking"

    def supports(self, kernel: Kernel) -> SupportResult | None:
        """Nothing, so the order is left alone."""
        return None

    def build(self, model: DelegateModel) -> None:
        """Replaces each stretch of kernels whose names it was given."""
        i, start = 0, None
        while i < len(model):
            primitive = model.primitive(model[i])
            claimed = primitive is not None and (self.names is None or model[i].name in self.names)
            if claimed and start is None:
                start = i
            elif not claimed and start is not None:
                i = self._flush(model, start, i)
                start = None
            i += 1
        if start is not None:
            self._flush(model, start, len(model))

    def _flush(self, model: DelegateModel, start: int, stop: int) -> int:
        return model.replace(start, stop, self.create_graph_kernel(model[start:stop], model))
