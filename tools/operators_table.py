"""Writes the tables of operators from the registries: ``python -m tools.operators_table``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lite_delegate_kernels import ALL_CUSTOM_KERNELS, ALL_KERNELS, STRING

from lite_delegate.basics.files import write_whole
from lite_delegate.conformance import ConformanceCase, all_cases
from lite_delegate.npu.operators.all_operators import ALL_OPERATORS
from lite_delegate.npu.profiles import load_profile, profile_names

from .generated_tables import DOCS, markdown, with_parts

COMMAND = "python -m tools.operators_table"
DOCUMENT, NPU_DOCUMENT = DOCS / "operators.md", DOCS / "npu" / "support.md"
FAMILIES = {
    "float": ("float16", "float32", "float64"),
    "int": ("int8", "int16", "int32", "int64"),
    "uint": ("uint8", "uint16", "uint32", "uint64"),
    "bool": ("bool",),
    "string": (STRING,),
}
HEADS = ("operator", "CPU: types of the first input", "NPU", "cases")
NPU_HEADS = ("operator", "element types", "claimed", "limits", "quantized")
HEAD = f"""# Operators

Written by `{COMMAND}`; a test holds it to the code.

- **CPU**: element types of the first input that the reference kernel takes. `float`, `int` and `uint` stand for all
  widths: 16 to 64, 8 to 64 and 8 to 64 bits. A name with `ai.onnx.`, `tflite.`, `mediapipe.` or `org.openvinotoolkit.`
  in front is a `Custom` node of that type: the `.ms` format has no number for the operator.
- **NPU**: whether the built-in NPU has the operator. [support.md](npu/support.md) has types, conditions and limits.
- **cases**: conformance cases by the source of their expected values: a direct `loop` in the case file, written down by
  `hand`, or another implementation.

[semantics.md](semantics.md) says what operators mean where the format does not.
"""


def operators_table() -> str:
    """The document: a row per operator that the CPU or the NPU has, by name."""
    cases = _by_operator(all_cases())
    dtypes = {kernel.op_type: short_dtypes(kernel.dtypes) for kernel in (*ALL_KERNELS, *ALL_CUSTOM_KERNELS)}
    npu = {operator.op_type for operator in ALL_OPERATORS}
    rows = [
        (op, dtypes.get(op, "no"), "yes" if op in npu else "no", _sources(cases.get(op, ())))
        for op in sorted({*dtypes, *npu})
    ]
    counts = f"{len(dtypes)} operators on the CPU, {len(npu)} on the NPU, {sum(map(len, cases.values()))} cases."
    return f"{HEAD}\n{counts}\n\n{markdown(HEADS, rows)}\n"


def short_dtypes(names: Iterable[str]) -> str:
    """Names of element types, a family's name where all of the family are there."""
    given = set(names)
    words = [family for family, members in FAMILIES.items() if given.issuperset(members)]
    whole = {member for family in words for member in FAMILIES[family]}
    return ", ".join(words + [name for members in FAMILIES.values() for name in members if name in given - whole])


def npu_table() -> str:
    """The table of what the NPU takes: a row per operator, by name."""
    rows = [
        (
            operator.op_type,
            operator.takes,
            operator.condition,
            ", ".join(_limit(limit) for limit in operator.limits),
            "no" if operator.quantized is None else "yes",
        )
        for operator in sorted(ALL_OPERATORS, key=lambda operator: operator.op_type)
    ]
    return markdown(NPU_HEADS, rows)


def with_npu_table(document: str) -> str:
    """``document`` with its table of what the NPU takes as it is now."""
    return with_parts(document, COMMAND, [npu_table()])


def _limit(key: str) -> str:
    """A limit's key, and the packaged profiles that have it, each with its value unless that is just true."""
    values = {name: getattr(load_profile(name).limits, key) for name in profile_names()}
    found = [
        name if value is True else f"{name} {value}" for name, value in values.items() if value not in (None, False, "")
    ]
    return f"`{key}` ({', '.join(found)})" if found else f"`{key}`"


def _by_operator(cases: Iterable[ConformanceCase]) -> dict[str, list[ConformanceCase]]:
    found: dict[str, list[ConformanceCase]] = {}
    for case in cases:
        found.setdefault(case.op_type, []).append(case)
    return found


def _sources(cases: Sequence[ConformanceCase]) -> str:
    return ", ".join(f"{source} {count}" for source, count in Counter(c.source for c in cases).most_common())


if __name__ == "__main__":
    write_whole(DOCUMENT, operators_table().encode())
    write_whole(NPU_DOCUMENT, with_npu_table(NPU_DOCUMENT.read_text(encoding="utf-8")).encode())
