"""Context: where and how a model runs. Names and defaults of the ``mindspore_lite`` package."""

from __future__ import annotations

from ..delegate import Delegate
from .devices import AscendDevice, CpuDevice, GpuDevice, check_type

_TARGETS = ("cpu", "gpu", "ascend")


class Context:
    """Where and how a model runs.

    Besides what ``mindspore_lite.Context`` has: ``set_delegate`` and ``strict``.
    """

    def __init__(self) -> None:
        self._target = ["cpu"]
        self._delegate: Delegate | None = None
        self._strict = False
        self._group_info_file = ""
        self.cpu = CpuDevice()
        self.gpu = GpuDevice()
        self.ascend = AscendDevice()

    @property
    def target(self) -> list[str]:
        """Devices in order of preference: "cpu", "gpu", "ascend"; the CPU is always there as the last resort."""
        return list(self._target)

    @target.setter
    def target(self, target: list[str] | None) -> None:
        if not target:
            self._target = ["cpu"]
            return
        check_type("target", target, list)
        for name in target:
            check_type("target element", name, str)
            if name.lower() not in _TARGETS:
                raise ValueError(f"target elements must be in {list(_TARGETS)}, got {name!r}.")
        self._target = [name.lower() for name in target]

    @property
    def group_info_file(self) -> str:
        """The communication group of a distributed run; kept for scripts that set it, without effect here."""
        return self._group_info_file

    @group_info_file.setter
    def group_info_file(self, group_info_file: str) -> None:
        check_type("group_info_file", group_info_file, str)
        self._group_info_file = group_info_file

    def set_delegate(self, delegate: Delegate | None) -> None:
        """The delegate that is asked for every kernel before the CPU is; None for none.

        Raises:
            TypeError: not a Delegate.
        """
        if delegate is not None:
            check_type("delegate", delegate, Delegate)
        self._delegate = delegate

    @property
    def delegate(self) -> Delegate | None:
        """The delegate that was set."""
        return self._delegate

    @property
    def strict(self) -> bool:
        """True: building a model fails if any kernel would run on the CPU. False, the default: it falls back."""
        return self._strict

    @strict.setter
    def strict(self, strict: bool) -> None:
        check_type("strict", strict, bool)
        self._strict = strict

    def __str__(self) -> str:
        return f"target: {self._target}."
