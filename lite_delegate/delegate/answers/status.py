"""Status: the codes by which MindSpore Lite's delegates and kernels report the end of a call, and their meaning."""

from __future__ import annotations

from enum import IntEnum

LEAST_UNSIGNED = 0xF0000000
"""The C++ interface has the codes as unsigned numbers: kLiteError is 4294967295, which is -1 in 32 bits."""
WORD = 1 << 32


class Status(IntEnum):
    """The status that a method of a delegate or a kernel may return: RET_OK in place of None, any other code in place
    of raising.

    The names and values are those of MindSpore Lite's ``errorcode.h``.
    """

    RET_OK = 0
    RET_ERROR = -1
    RET_NULL_PTR = -2
    RET_PARAM_INVALID = -3
    RET_NO_CHANGE = -4
    RET_SUCCESS_EXIT = -5
    RET_MEMORY_FAILED = -6
    RET_NOT_SUPPORT = -7
    RET_THREAD_POOL_ERROR = -8
    RET_OUT_OF_TENSOR_RANGE = -100
    RET_INPUT_TENSOR_ERROR = -101
    RET_REENTRANT_ERROR = -102
    RET_GRAPH_FILE_ERR = -200
    RET_NOT_FIND_OP = -300
    RET_INVALID_OP_NAME = -301
    RET_INVALID_OP_ATTR = -302
    RET_OP_EXECUTE_FAILURE = -303
    RET_FORMAT_ERR = -400
    RET_INFER_ERR = -500
    RET_INFER_INVALID = -501
    RET_INPUT_PARAM_INVALID = -600


def fault_of(answer: object) -> str:
    """The fault in the value that a method returned; "" for None and RET_OK, which mean success."""
    if answer is None:
        return ""
    if not isinstance(answer, int) or isinstance(answer, bool):
        return f"returned {answer!r}; expected None, or a Status such as RET_OK"
    code = answer - WORD if LEAST_UNSIGNED <= answer < WORD else int(answer)
    if code == Status.RET_OK:
        return ""
    known = code in Status.__members__.values()
    return f"returned {Status(code).name} ({code})" if known else f"returned {answer}, which is no Status"
