"""The states of a request: what the variables of its model hold between its runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np
from lite_delegate_kernels import Array

from ...basics.forking import free, free_in_children
from ...errors import InputError
from ...runtime.execution.plan import ExecutionPlan
from ...tensors.tensor import Tensor
from ..tensors.copies import Copy
from ..tensors.snapshot import StateInfo, StateSnapshot, check_signature, states_of

CheckIdle = Callable[[str], None]
"""Raises RequestBusy while a run of the request is under way; it is told what was asked for."""
SharedValues = dict[str, Array]
"""What states hold that several requests share, by name."""
COPIED_IN = "the state's value goes in through a buffer of its own (STATE_BUFFERS separate)"
COPIED_OUT = "the state's new value comes out through a buffer of its own (STATE_BUFFERS separate)"


class RequestStates:
    """The values of all states of one request.

    A run works on ``begin`` and leaves everything as it is; ``prepare`` and ``commit`` put what it gives in place, all
    at once. Values are never written to, so whoever has one (a run, a snapshot, another request) may keep it.

    Args:
        plan: of the model.
        check_idle: of the request.
        shared: a state's new value takes the place of the old one, where nobody else has its memory; else there are
            buffers of its own for what goes in, and for what comes out, and a copy from one to the other.
    """

    def __init__(self, plan: ExecutionPlan, check_idle: CheckIdle, *, shared: bool = False) -> None:
        self._plan = plan
        self._check_idle = check_idle
        self._shared = shared
        self._infos = states_of(plan)
        self._own: tuple[Array, ...] = tuple(_read_only(value.view()) for value in plan.state)
        self._joined: tuple[SharedValues, tuple[str, ...]] | None = None
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``: whoever held the lock in the parent is not here."""
        free(self._lock)

    @property
    def _values(self) -> tuple[Array, ...]:
        if self._joined is None:
            return self._own
        values, names = self._joined
        return tuple(values[name] if name else own for name, own in zip(names, self._own, strict=True))

    @_values.setter
    def _values(self, values: tuple[Array, ...]) -> None:
        self._own = values
        if self._joined is not None:
            self._joined[0].update((name, value) for name, value in zip(self._joined[1], values, strict=True) if name)

    def join(self, values: SharedValues, names: Sequence[str]) -> None:
        """Some of the states are those of other requests too, from now on.

        Args:
            values: by name; what is not there gets the value that the state has here.
            names: of each state; "" for one that is this request's alone.
        """
        for name, value in zip(names, self._values, strict=True):
            if name:
                values.setdefault(name, value)
        self._joined = values, tuple(names)

    @property
    def infos(self) -> tuple[StateInfo, ...]:
        """What the states are, in the order of the model's file."""
        return self._infos

    def begin(self, copies: list[Copy]) -> list[Array]:
        """What a run is to start from. The run has begun already: nobody changes the values any more.

        Args:
            copies: gets those that are made.

        Raises:
            MemoryError: there is no memory for a copy.
        """
        if not self._infos:
            return []
        with self._lock:
            values = self._values
        if self._shared:
            return list(values)
        copies += [Copy(info, v.nbytes, COPIED_IN) for info, v in zip(self._infos, values, strict=True)]
        return [_read_only(np.array(v, order="C")) for v in values]

    def prepare(
        self, after: Sequence[Array], inputs: Sequence[Array], outputs: Sequence[Array], copies: list[Copy]
    ) -> tuple[Array, ...]:
        """What a run left in the variables, in memory that nobody writes to.

        Args:
            after: what the variables hold at the end of the run.
            inputs: the run's, which are the caller's.
            outputs: the run's, which will be the caller's.
            copies: gets those that are made.

        Raises:
            MemoryError: there is no memory for a copy.
        """
        ready: list[Array] = []
        for number, (info, before, value) in enumerate(zip(self._infos, self._values, after, strict=True)):
            if value is before and self._shared:
                ready.append(before)
                continue
            reason = self._why_copied(number, value, (*inputs, *outputs, *ready))
            if reason:
                copies.append(Copy(info, value.nbytes, reason))
            ready.append(_read_only(np.array(value, order="C") if reason else np.asarray(value).view()))
        return tuple(ready)

    def commit(self, ready: tuple[Array, ...]) -> None:
        """Puts all values in place that ``prepare`` gave."""
        self._values = ready

    def states(self) -> list[VariableState]:
        """The states one by one."""
        return [VariableState(self, number) for number in range(len(self._infos))]

    def value(self, number: int) -> Array:
        """A copy of a state's value."""
        self._check_idle("value of a state")
        return np.array(self._values[number])

    def put(self, number: int, value: Array | Tensor) -> None:
        """Changes the value of a state; raises as ``VariableState.value`` does."""
        copied = _checked(self._infos[number], value)
        with self._lock:
            self._check_idle("value of a state")
            self._values = (*self._values[:number], copied, *self._values[number + 1 :])

    def reset(self, number: int | None = None) -> None:
        """Puts the model's initial value in place of one state's, or of those of all."""
        with self._lock:
            self._check_idle("reset of a state")
            initial = tuple(_read_only(value.view()) for value in self._plan.state)
            if number is not None:
                initial = (*self._values[:number], initial[number], *self._values[number + 1 :])
            self._values = initial

    def snapshot(self) -> StateSnapshot:
        """All values, as they are now. Nothing is copied."""
        with self._lock:
            self._check_idle("snapshot")
            return StateSnapshot(self._infos, self._values)

    def restore(self, snapshot: StateSnapshot) -> None:
        """Puts the values of a snapshot in place; raises as ``InferRequest.restore`` does. Nothing is copied."""
        if not isinstance(snapshot, StateSnapshot):
            raise TypeError(f"snapshot must be StateSnapshot, but got {type(snapshot).__name__}.")
        check_signature(snapshot, self._infos)
        with self._lock:
            self._check_idle("restore")
            self._values = tuple(snapshot[info.name] for info in self._infos)

    def _why_copied(self, number: int, value: Array, others: Sequence[Array]) -> str:
        if not self._shared:
            return COPIED_OUT
        if number in self._plan.lent_state:
            return "a graph kernel writes to its memory again"
        if any(np.may_share_memory(value, other) for other in others):
            return "an input, an output or another state has the same memory"
        return ""


class VariableState:
    """A state of a request: the value of one variable of the model, kept from one run to the next.

    Args:
        states: of the request.
        number: which of them.
    """

    __slots__ = ("_number", "_states")

    def __init__(self, states: RequestStates, number: int) -> None:
        self._states = states
        self._number = number

    @property
    def info(self) -> StateInfo:
        """What the state is."""
        return self._states.infos[self._number]

    @property
    def name(self) -> str:
        """The variable's name in the model's file."""
        return self.info.name

    @property
    def value(self) -> Array:
        """What the state holds, as a copy. Setting it takes a copy of an array, or a Tensor, of its type and shape.

        Raises:
            RequestBusy: a run of the request is under way.
            InputError: (set) another element type or shape.
            TypeError: (set) neither an array nor a Tensor.
        """
        return self._states.value(self._number)

    @value.setter
    def value(self, value: Array | Tensor) -> None:
        self._states.put(self._number, value)

    def reset(self) -> None:
        """Goes back to the model's initial value.

        Raises:
            RequestBusy: a run of the request is under way.
        """
        self._states.reset(self._number)

    def __repr__(self) -> str:
        return f"<VariableState {self.info}>"


def _checked(info: StateInfo, value: Array | Tensor) -> Array:
    """A read-only copy of a value for a state; raises InputError where it does not fit."""
    if not isinstance(value, (np.ndarray, Tensor)):
        raise TypeError(f"State '{info.name}': value must be numpy.ndarray or Tensor, but got {type(value).__name__}.")
    array = value if isinstance(value, np.ndarray) else value.data
    if not info.takes(array):
        raise InputError(
            f"State '{info.name}': expected {info.dtype.name} {list(info.shape)}, "
            f"got {array.dtype} {list(array.shape)}; give it an array of that type and shape."
        )
    return _read_only(np.array(array, array.dtype.newbyteorder("="), order="C"))


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
