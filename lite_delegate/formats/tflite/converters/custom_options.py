"""The options of custom operators: bytes, mostly of a flexbuffer."""

from __future__ import annotations

from collections.abc import Mapping

from ....basics.counted import counted
from ....flatbuffer.flexbuffer import Option, decode_options
from ....flatbuffer.problem import FormatProblem
from ..conversion import OperatorConversion
from ..tensors.buffers import Bytes

MOST_OPTION_BYTES = 1 << 20


def option_bytes(options: Bytes) -> bytes:
    """The options of a custom operator.

    Raises:
        FormatProblem: more than are read.
    """
    if options.size > MOST_OPTION_BYTES:
        raise FormatProblem(
            f"expected up to {counted(MOST_OPTION_BYTES, 'byte')}, found {options.size:,}", "custom_options"
        )
    return options.tobytes()


def options_bytes(c: OperatorConversion) -> bytes:
    """The options of the operator; empty where it has none."""
    options = c.operator.custom_options
    return b"" if options is None else option_bytes(options)


def options_of(c: OperatorConversion) -> dict[str, Option]:
    """The options of the operator by name; none where it has none.

    Raises:
        FormatProblem: they are no flexbuffer of a map.
    """
    data = options_bytes(c)
    try:
        return decode_options(data) if data else {}
    except FormatProblem as problem:
        raise problem.within("custom_options") from None


def numbers(c: OperatorConversion) -> dict[str, int | float | bool]:
    """The options that are numbers or truth values; see ``options_of``."""
    return {name: value for name, value in options_of(c).items() if isinstance(value, int | float)}


def integer(options: Mapping[str, Option], name: str, default: int = 0) -> int:
    """An option that is a whole number.

    Raises:
        FormatProblem: it is something else, or has more than 32 bits.
    """
    found = options.get(name, default)
    if not isinstance(found, int) or not -(2**31) <= found < 2**31:
        raise FormatProblem(f"expected a whole number of 32 bits, found {found}", name)
    return int(found)


def integers(options: Mapping[str, Option], name: str) -> list[int]:
    """An option that is a vector of whole numbers; empty where it is left out.

    Raises:
        FormatProblem: it is something else, or one has more than 32 bits.
    """
    found = options.get(name, [])
    if not isinstance(found, list) or any(not -(2**31) <= n < 2**31 for n in found):
        raise FormatProblem(f"expected whole numbers of 32 bits, found {found}", name)
    return found


def number(options: Mapping[str, Option], name: str, default: float = 0.0) -> float:
    """An option that is a number.

    Raises:
        FormatProblem: it is something else.
    """
    found = options.get(name, default)
    if not isinstance(found, int | float):
        raise FormatProblem(f"expected a number, found {found}", name)
    return float(found)
