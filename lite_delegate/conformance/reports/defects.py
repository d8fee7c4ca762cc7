"""Defects of delegates by name, and the trial of a case in which they show."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """The trial of the model in which a defect showed."""

    FIRST = "first run"
    BUFFERS = "bound buffers"
    OTHER_DATA = "other data"
    FORKS = "two forks"
    THREADS = "two threads"
    RESIZE = "resize"
    OPEN_BATCH = "open batch"
    STATES = "steps with a state"
    REBUILD = "release and rebuild"


class Defect(StrEnum):
    """The name of a delegate's defect, as far as its results tell."""

    EARLIER_RESULT = "result of an earlier call returned"
    VARYING_RESULT = "results of equal calls differ"
    INPUT_CHANGED = "input changed"
    CONSTANT_CHANGED = "constant changed"
    OUTPUT_REUSED = "output buffer reused while the caller holds it"
    BOUND_DIFFERS = "bound run differs from execute"
    BOUND_TO_CONTENTS = "input read when bound"
    BUFFER_NOT_EXCHANGED = "exchanged buffer not bound"
    FORK_IS_ITSELF = "fork returns itself"
    FORK_NOT_BOUND = "fork not bound to its tensors"
    FORK_SHARES_STATE = "fork shares state"
    THREADS_SHARE_STATE = "threads share state"
    STALE_AFTER_RESIZE = "stale after resize"
    FIXED_BATCH = "batch fixed when built"
    STATE_LOST = "state lost between runs"
    STATE_LOST_BY_FORK = "state lost by a fork"
    STATE_SHARED = "state shared between forks"
    STATE_KEPT = "state kept by the delegate"
    STATE_OF_ANOTHER_MODEL = "state of another model"
    OUTPUT_ORDER = "outputs in wrong order"
    OUTPUT_NOT_SET = "output not set"
    PARTIAL_OUTPUT = "part of an output not computed"
    UNINITIALIZED = "uninitialized memory in an output"
    SWAPPED_SPATIAL = "H and W swapped"
    LAYOUT = "layout not packed"
    PADDING = "padding off by one"
    INTEGER_ROUNDING = "integers rounded wrongly"
    FLOAT16 = "computed in float16"
    FLOAT16_SUM = "summed in float16"
    BFLOAT16 = "computed in bfloat16"
    COARSE = "computed more coarsely than granted"
    ACTIVATION_DROPPED = "activation dropped"
    NODE_DROPPED = "node dropped"
    ATTRIBUTE_IGNORED = "attribute ignored"
    INPUT_IGNORED = "input ignored"
    INPUTS_SWAPPED = "inputs swapped"
    BROADCAST_SIDE = "broadcast from the wrong side"
