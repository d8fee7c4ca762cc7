"""The conformance suite as pytest items, one per case; loaded by ``lite_delegate_pytest``.

A case passes only if the delegate claims it and is right; what it rejects is skipped, with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..delegate_spec import parse_options
from ..errors import LiteDelegateError
from .case import ConformanceCase
from .report import ConformanceReport
from .results import CaseOutcome, CaseResult, Verdict
from .suite import all_cases, operators_without_cases
from .text import totals_text
from .workers.pool import WorkerPool
from .workers.process import DEFAULT_TIMEOUT

POOL = pytest.StashKey[WorkerPool]()
RESULTS = pytest.StashKey[list[CaseResult]]()
PROPERTIES = ("op_type", "outcome", "verdict", "max_abs", "max_rel", "max_ulp", "snr_db", "code", "failure", "forced")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the suite."""
    group = parser.getgroup("lite_delegate conformance")
    group.addoption(
        "--delegate",
        dest="conformance_delegate",
        default="none",
        metavar="SPEC",
        help="none (the default), npu, npu:PROFILE, npu:FILE.toml, package.module:ClassName, or file.py:ClassName",
    )
    group.addoption(
        "--delegate-option",
        dest="conformance_options",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the delegate; repeatable",
    )
    group.addoption(
        "--conformance-op",
        dest="conformance_ops",
        action="append",
        default=[],
        metavar="NAME",
        help="only this operator; repeatable",
    )
    group.addoption(
        "--conformance-timeout",
        dest="conformance_timeout",
        type=float,
        default=DEFAULT_TIMEOUT,
        metavar="SECONDS",
        help=f"for one case (default {DEFAULT_TIMEOUT:g})",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Makes the pool, which starts its worker with the first case."""
    timeout = config.getoption("conformance_timeout")
    if timeout <= 0:
        raise pytest.UsageError(f"--conformance-timeout must be more than 0, got {timeout:g}")
    try:
        options = parse_options(config.getoption("conformance_options"))
    except LiteDelegateError as e:
        raise pytest.UsageError(str(e)) from e
    config.stash[POOL] = WorkerPool(config.getoption("conformance_delegate"), options=options, jobs=1, timeout=timeout)
    config.stash[RESULTS] = []


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends the worker."""
    if POOL in config.stash:
        config.stash[POOL].close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """This file stands for the suite."""
    return Suite.from_parent(parent, path=file_path) if file_path.resolve() == Path(__file__).resolve() else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The verdicts: one line, or with ``-v`` the whole report."""
    results = config.stash[RESULTS]
    if not results:
        return
    report = ConformanceReport(config.stash[POOL].delegate, tuple(results))
    terminalreporter.section("operator conformance")
    terminalreporter.write_line(report.to_text() if terminalreporter.verbosity > 0 else totals_text(report))


class Suite(pytest.File):
    """All cases, or those of the operators that were asked for."""

    def collect(self) -> Iterator[pytest.Item]:
        """An item per case and, for the whole suite, one that finds operators without cases."""
        ops = self.config.getoption("conformance_ops")
        try:
            cases = list(all_cases(ops))
        except LiteDelegateError as e:
            raise self.CollectError(str(e)) from e
        for case in cases:
            yield CaseItem.from_parent(self, name=f"{case.op_type}-{case.name}", case=case)
        if not ops:
            yield EveryOperator.from_parent(self, name="every_operator_has_cases", cases=cases)


class ConformanceFailure(Exception):
    """A failed case, to be shown without a traceback."""


class ConformanceItem(pytest.Item):
    """An item whose failure needs no traceback."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """The message of a ``ConformanceFailure`` as it is."""
        if isinstance(excinfo.value, ConformanceFailure):
            return str(excinfo.value)
        return str(excinfo.getrepr(style="native"))


class CaseItem(ConformanceItem):
    """One case on the delegate."""

    def __init__(self, *, case: ConformanceCase, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.case = case

    def runtest(self) -> None:
        """Passes when the claim is right, fails when it is not, is skipped when there is none."""
        result = self._result()
        self.config.stash[RESULTS].append(result)
        data = result.to_dict()
        self.user_properties += [(name, str(data[name])) for name in PROPERTIES if data[name] is not None]
        if result.verdict is Verdict.OVER_CLAIM:
            more = f"\n\n{result.traceback}" if result.traceback else ""
            raise ConformanceFailure(f"{result.failure or result.outcome}: {result.detail}{more}")
        if result.outcome is not CaseOutcome.PASSED:
            pytest.skip(_reason(result))

    def _result(self) -> CaseResult:
        try:
            (result,) = self.config.stash[POOL].run([self.case])
        except LiteDelegateError as e:  # there is no delegate, so no case can run
            pytest.exit(str(e), returncode=pytest.ExitCode.USAGE_ERROR)
        return result

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The operator and the case."""
        return self.path, None, f"{self.case.op_type}: {self.case.name}"


class EveryOperator(ConformanceItem):
    """Fails when an operator has a reference kernel and no case."""

    def __init__(self, *, cases: list[ConformanceCase], **arguments: Any) -> None:
        super().__init__(**arguments)
        self.cases = cases

    def runtest(self) -> None:
        """Names the operators."""
        missing = operators_without_cases(self.cases)
        if missing:
            raise ConformanceFailure(f"operators without cases: {', '.join(missing)}")


def _reason(result: CaseResult) -> str:
    if result.outcome is CaseOutcome.OUT_OF_RANGE:
        return "out of range: numbers that the device cannot hold"
    forced = "; under-claim: right when claimed by force" if result.verdict is Verdict.UNDER_CLAIM else ""
    return f"rejected: {result.detail}{forced}"
