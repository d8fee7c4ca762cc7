"""The operators of a file that an external delegate took over, read back from the interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

DELEGATE = "DELEGATE"
"""The name of the operator that stands for operators which a delegate took over."""


def left_operators(interpreter: Any) -> list[tuple[str, str]]:
    """The operators that LiteRT's own kernels run: each operator's name, and the name of its first result.

    The interpreter lists all operators of the file, and behind them one for each part that a delegate took over. Such
    a part is found from its results backwards to its inputs.
    """
    operators: Sequence[Mapping[str, Any]] = interpreter._get_ops_details()  # noqa: SLF001 - the only list that there is
    own = [each for each in operators if each["op_name"] != DELEGATE]
    made_by = {int(result): number for number, each in enumerate(own) for result in each["outputs"]}
    taken: set[int] = set()
    for part in (each for each in operators if each["op_name"] == DELEGATE):
        given, left = set(map(int, part["inputs"])), list(map(int, part["outputs"]))
        while left:
            number = made_by.get(left.pop())
            if number is not None and number not in taken:
                taken.add(number)
                left += [int(x) for x in own[number]["inputs"] if int(x) not in given]
    names = {each["index"]: each["name"] for each in interpreter.get_tensor_details()}
    return [
        (each["op_name"], str(names.get(int(each["outputs"][0]), "")))
        for number, each in enumerate(own)
        if number not in taken and len(each["outputs"])
    ]
