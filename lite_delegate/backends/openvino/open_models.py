"""Open models: plans for several shapes share one compiled model. Beyond the first shapes, nothing is compiled."""

from __future__ import annotations

from typing import Any
from weakref import ref

from ...errors import DelegateBuildError
from ..open_shapes import Family, Fed, General, WrittenRun
from .emitting.emitter import OpenVINOEmitter
from .models.compiled import CompileSettings, SharedCompiledModel
from .models.written import WrittenModel

ALONE = 2
"""Plans of a model that are compiled for their shapes alone: OpenVINO is 5 to 20% quicker where it knows them."""


class OpenCompiledModel(SharedCompiledModel):
    """A model with open dimensions, compiled as long as a run uses it.

    Args:
        settings: device and properties.
        base: a run as it was lowered.
        general: the common part of it and the other runs.
    """

    def __init__(self, settings: CompileSettings, base: WrittenRun, general: General) -> None:
        super().__init__(_written(base, general, None, settings), settings)
        self._made: ref[Any] | None = None

    def shared(self) -> Any:
        """The compiled model.

        Raises:
            DelegateBuildError: OpenVINO cannot compile it.
        """
        found = None if self._made is None else self._made()
        if found is None:
            self.load()
            found, self.compiled = self.compiled, None
            self._made = ref(found)
        return found


class SharedOpenModel(SharedCompiledModel):
    """A run of a model whose plans for other shapes may have the same compiled model.

    Args:
        settings: device and properties.
        run: the record of the lowering for the shapes of this plan.
        family: the runs that it can share a compiled model with.
        own: its constants that differ from the family's.
    """

    def __init__(self, settings: CompileSettings, run: WrittenRun, family: Family[OpenCompiledModel], own: Fed) -> None:
        super().__init__(WrittenModel(None, ()), settings)
        self._run, self._own = run, own
        self._family: Family[OpenCompiledModel] | None = family
        self._is_shared = False
        family.members.add(self)

    def load(self) -> None:
        """Compiles the model, or takes the family's.

        Raises:
            DelegateBuildError: OpenVINO cannot compile it for the device; the message is its own.
        """
        family = self._family
        assert family is not None
        model = family.model if len(family.members) > ALONE else None
        if model is not None and self._shares(family, model):
            return
        self.written = _written(self._run, General.of(self._run), {}, self.settings)
        super().load()

    def _shares(self, family: Family[OpenCompiledModel], model: OpenCompiledModel) -> bool:
        """Takes the family's compiled model; False where OpenVINO cannot make it."""
        try:
            self.compiled, self.written = model.shared(), model.written
        except DelegateBuildError:
            return False
        self.fed = family.general.constants(family.base, self._own)
        self._run, self._is_shared = family.base, True  # what was laid anew for it is the family's
        return True

    def go_over(self) -> None:
        """Stays: a model compiled for one set of shapes is quicker."""

    def unload(self) -> None:
        """Lets the compiled model go, and the family's weights with its last member."""
        super().unload()
        self._family = None

    def alone(self) -> SharedCompiledModel:
        """The compiled model with the constants of this plan in it."""
        if not self._is_shared:
            return self
        assert self._family is not None
        written = _written(self._family.base, self._family.general, self._own, self.settings)
        prepared = SharedCompiledModel(written, self.settings)
        prepared.load()
        return prepared


def _written(base: WrittenRun, general: General, constants: Fed | None, settings: CompileSettings) -> WrittenModel:
    """OpenVINO's model of the common part of runs."""
    emitter = OpenVINOEmitter(settings.is_exact)
    return emitter.finish("open", general.write(base, emitter, constants))
