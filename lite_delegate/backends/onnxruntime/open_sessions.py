"""Open sessions: plans for several shapes share one session. Weights are packed once, and a new shape needs no new
session.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import ref

from ...errors import DelegateBuildError
from ..open_shapes import Family, Fed, General, WrittenRun
from .emitting.emitter import OnnxEmitter
from .emitting.unsigned import wants_unsigned
from .graph import Loaded, SharedSession, loaded
from .sessions.assigned import places_of
from .sessions.layers import WholeModel
from .sessions.session import SessionSettings, session_of


class OpenSession:
    """A model with open dimensions, and its session as long as a run uses it.

    Args:
        settings: of the session.
        base: a run as it was lowered.
        general: the common part of it and the other runs.
    """

    def __init__(self, settings: SessionSettings, base: WrittenRun, general: General) -> None:
        self._model, self._settings = _written(base, general, None, settings), settings
        self._session: ref[Any] | None = None
        self.places: Mapping[str, str] = {}

    def session(self) -> Any:
        """The session.

        Raises:
            DelegateBuildError: ONNX Runtime cannot run the model.
        """
        session = None if self._session is None else self._session()
        if session is None:
            session = session_of(self._model.content, self._model.outside, self._settings)
            self.places = places_of(session, self._settings, self._model.written)
            self._session = ref(session)
        return session


class SharedOpenSession(SharedSession):
    """A run of a model whose plans for other shapes may have the same session.

    The first plan has a session for its shapes alone. With the second there is one for both, and the first goes over.

    Args:
        settings: of the session.
        run: the record of the lowering for the shapes of this plan.
        family: the runs that it can share a session with.
        own: its constants that differ from the family's.
    """

    def __init__(self, settings: SessionSettings, run: WrittenRun, family: Family[OpenSession], own: Fed) -> None:
        super().__init__(WholeModel(b"", {}, {}), settings)
        self._run: WrittenRun | None = run
        self._family: Family[OpenSession] | None = family
        self._own = own
        family.members.add(self)

    def load(self) -> None:
        """Makes the session, or takes the family's.

        Raises:
            DelegateBuildError: ONNX Runtime cannot run the model.
        """
        family = self._family
        assert family is not None
        if family.model is not None and self._shares(family):
            for member in list(family.members):
                member.go_over()
            return
        assert self._run is not None
        self.loaded = loaded(self.made_session(self.settings))

    def _shares(self, family: Family[OpenSession]) -> bool:
        """Takes the family's session; False where ONNX Runtime cannot make it, so that the run has its own session."""
        try:
            self.loaded = self._of(family)
        except DelegateBuildError:
            family.members.discard(self)
            return False
        self._run = None  # what was laid anew for it is the family's
        return True

    def go_over(self) -> None:
        """Goes over to the family's model, if this has a session."""
        family = self._family
        if self.loaded is not None and family is not None:
            now = self._of(family)
            if now.session is not self.loaded.session:
                self.loaded, self._run = now, None

    def _of(self, family: Family[OpenSession]) -> Loaded:
        assert family.model is not None
        session = family.model.session()
        self.places = family.model.places
        return loaded(session, family.general.constants(family.base, self._own))

    def unload(self) -> None:
        """Lets the session go, and the family's weights with its last member."""
        super().unload()
        self._family = self._run = None

    def whole(self) -> WholeModel:
        """The model with the constants and for the shapes of this plan."""
        if self._run is not None:
            return _written(self._run, None, {}, self.settings)
        assert self._family is not None
        return _written(self._family.base, self._family.general, self._own, self.settings)


def _written(base: WrittenRun, general: General | None, constants: Fed | None, settings: SessionSettings) -> WholeModel:
    """A model, and the constants that are not in its bytes.

    Args:
        base: a run as it was lowered.
        general: the common part of it and other runs; None: the run is alone.
        constants: the constants of the run that are written into the model; None: they are inputs.
        settings: of the session.
    """
    emitter = OnnxEmitter("open", is_unsigned=wants_unsigned(settings.provider))
    terms = (General.of(base) if general is None else general).write(base, emitter, constants)
    return WholeModel(emitter.finish(terms), emitter.outside, emitter.written)
