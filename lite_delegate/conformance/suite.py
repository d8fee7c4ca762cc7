"""The packaged cases, and the operators without cases."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from lite_delegate_kernels import ALL_CUSTOM_KERNELS, ALL_KERNELS

from ..errors import LiteDelegateError
from ..ir.operator_names import near_operator
from . import cases as case_package
from .judging.case import ConformanceCase


def all_cases(op_types: Iterable[str] = ()) -> Iterator[ConformanceCase]:
    """The packaged cases, of all operators or of the named ones, in a fixed order.

    Raises:
        LiteDelegateError: an operator that has no cases.
    """
    wanted = set(op_types)
    found: set[str] = set()
    for module in case_modules():
        if wanted and wanted.isdisjoint(operators_of(module) or wanted):
            continue
        for case in _cases_of(module):
            found.add(case.op_type)
            if not wanted or case.op_type in wanted:
                yield case
    if wanted - found:
        known = sorted(_operators())
        missing = sorted(wanted - found)
        hints = filter(None, (near_operator(name, known) for name in missing))
        hint = next(hints, f"; there are: {', '.join(known)}.")
        raise LiteDelegateError(f"No conformance cases for {', '.join(missing)}{hint}")


@cache
def _cases_of(module: str) -> tuple[ConformanceCase, ...]:
    """The cases of a file, made once: what is expected is computed by loops."""
    return tuple(_case_file(module).cases())


def _case_file(module: str) -> Any:
    return importlib.import_module(f"{case_package.__name__}.{module}")


def case_modules() -> list[str]:
    """The names of the case files, sorted."""
    return sorted(m.name for m in pkgutil.iter_modules(case_package.__path__) if m.name.startswith("case_"))


def operators_of(module: str) -> frozenset[str]:
    """The operators that a case file has cases of: the operator it is named after, or its ``OPERATORS``; may be
    empty.
    """
    named = _operators_by_file().get(module.removeprefix("case_").replace("_", ""))
    if named is not None:
        return frozenset({named})
    stated: frozenset[str] = getattr(_case_file(module), "OPERATORS", frozenset())
    return stated


@cache
def _operators_by_file() -> Mapping[str, str]:
    return {_squashed(op_type): op_type for op_type in _operators()}


def _squashed(op_type: str) -> str:
    """The operator as file names have it: ``ai.onnx.Det`` is ``onnxdet``."""
    return op_type.removeprefix("ai.").replace(".", "").replace("_", "").lower()


def operators_without_cases(cases: Iterable[ConformanceCase]) -> tuple[str, ...]:
    """The operators that have a reference kernel and none of these cases, by name."""
    return tuple(sorted(_operators() - {c.op_type for c in cases}))


def _operators() -> set[str]:
    """All operators that have a reference kernel."""
    return {kernel.op_type for kernel in (*ALL_KERNELS, *ALL_CUSTOM_KERNELS)}
