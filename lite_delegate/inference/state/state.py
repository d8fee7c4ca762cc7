"""The states of a request: the values of its model's variables between runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import NoReturn, SupportsIndex

import numpy as np
from lite_delegate_kernels import Array

from ...basics.forking import free, free_in_children, stays_here
from ...basics.words.one_line import OneLine
from ...errors import InputError
from ...runtime.execution.plan import ExecutionPlan
from ...tensors.tensor import Tensor
from ..tensors.copies import Copy
from ..tensors.snapshot import StateInfo, StateSnapshot, check_signature, states_of

CheckIdle = Callable[[str], None]
"""Raises RequestBusy during a run of the request; its argument names the operation."""
SharedValues = dict[str, Array]
"""The values of states that several requests share, by name."""
COPIED_IN = "the state's value goes in through a buffer of its own (STATE_BUFFERS separate)"
COPIED_OUT = "the state's new value comes out through a buffer of its own (STATE_BUFFERS separate)"


class RequestStates:
    """The values of all states of one request.

    A run starts from the values of ``begin`` and changes no state; ``prepare`` and ``commit`` set the new values, all
    at once. Arrays of values are never written to, so runs, snapshots and other requests may share them.

    Args:
        plan: of the model.
        check_idle: of the request.
        shared: whether a state takes over the memory of its new value, where no other array has it; otherwise a state
            has separate buffers for its old and its new value, and each value is copied.
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
        """See ``forking``: a thread that holds the lock in the parent process does not exist in the child process."""
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
        """Shares states with other requests.

        Args:
            values: of the shared states, by name; a missing value is set to the value of this request.
            names: the shared name of each state; "" for a state that is not shared.
        """
        for name, value in zip(names, self._values, strict=True):
            if name:
                values.setdefault(name, value)
        self._joined = values, tuple(names)

    @property
    def infos(self) -> tuple[StateInfo, ...]:
        """Names, types and shapes of the states, in the order of the model's file."""
        return self._infos

    def begin(self, copies: list[Copy]) -> list[Array]:
        """The values that a run starts from. The run is under way, so no other thread changes the values.

        Args:
            copies: gets the copies that are made.

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
        """The new values of the states, in memory that is never written to.

        Args:
            after: the values of the variables at the end of the run.
            inputs: of the run, in memory of the caller.
            outputs: of the run, which the caller will get.
            copies: gets the copies that are made.

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
        """Sets all states to the values of ``prepare``."""
        self._values = ready

    def states(self) -> list[VariableState]:
        """The states one by one."""
        return [VariableState(self, number) for number in range(len(self._infos))]

    def value(self, number: int) -> Array:
        """A copy of a state's value."""
        self._check_idle("value of a state")
        return np.array(self._values[number])

    def put(self, number: int, value: Array | Tensor) -> None:
        """Sets the value of a state; raises as ``VariableState.value``."""
        copied = _checked(self._infos[number], value)
        with self._lock:
            self._check_idle("value of a state")
            self._values = (*self._values[:number], copied, *self._values[number + 1 :])

    def reset(self, number: int | None = None) -> None:
        """Resets one state, or all states, to the model's initial values."""
        with self._lock:
            self._check_idle("reset of a state")
            initial = tuple(_read_only(value.view()) for value in self._plan.state)
            if number is not None:
                initial = (*self._values[:number], initial[number], *self._values[number + 1 :])
            self._values = initial

    def snapshot(self) -> StateSnapshot:
        """A snapshot of the present values, without copies."""
        with self._lock:
            self._check_idle("snapshot")
            return StateSnapshot(self._infos, self._values)

    def restore(self, snapshot: StateSnapshot) -> None:
        """Sets all states to a snapshot, without copies; raises as ``InferRequest.restore``."""
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


class VariableState(OneLine):
    """A state of a request: the value of one variable of the model, kept from one run to the next.

    Args:
        states: of the request.
        number: the index of the state.
    """

    __slots__ = ("_number", "_states")

    def __init__(self, states: RequestStates, number: int) -> None:
        self._states = states
        self._number = number

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Rejected: a state belongs to its request."""
        stays_here(self, "pickle its value, or a snapshot() of its request")

    @property
    def info(self) -> StateInfo:
        """Name, type and shape of the state."""
        return self._states.infos[self._number]

    @property
    def name(self) -> str:
        """The variable's name in the model's file."""
        return self.info.name

    @property
    def value(self) -> Array:
        """A copy of the state's value. The setter copies an array, or a Tensor, of the state's type and shape.

        Raises:
            RequestBusy: a run of the request is under way.
            InputError: (set) the element type or the shape differs.
            TypeError: (set) the value is neither an array nor a Tensor.
        """
        return self._states.value(self._number)

    @value.setter
    def value(self, value: Array | Tensor) -> None:
        self._states.put(self._number, value)

    def reset(self) -> None:
        """Resets the state to the model's initial value.

        Raises:
            RequestBusy: a run of the request is under way.
        """
        self._states.reset(self._number)

    def _line(self) -> str:
        return str(self.info)


def _checked(info: StateInfo, value: Array | Tensor) -> Array:
    """A read-only copy of a value for a state; raises InputError for a value that does not fit."""
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
