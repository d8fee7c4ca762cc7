"""The conformance suite as pytest items, one per case; loaded by ``lite_delegate_pytest``.

A case passes only if the delegate claims it and is right; what it rejects is skipped, with its reason.
"""

from __future__ import annotations

import pickle
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ..devices.registry.delegate_spec import parse_options
from ..errors import LiteDelegateError
from .choosing import PER_OPERATOR, spread
from .judging.case import ConformanceCase
from .known import Known, check_known, read_known, with_known
from .patterns.all import all_patterns
from .reports.report import ConformanceReport
from .reports.results import CaseOutcome, CaseResult, FailureKind, Verdict
from .reports.text import totals_text
from .suite import all_cases, operators_without_cases
from .workers.pool import WorkerPool
from .workers.process import DEFAULT_TIMEOUT
from .workers.serving import Subject

POOL = pytest.StashKey[WorkerPool]()
KNOWN = pytest.StashKey[Known]()
RESULTS = pytest.StashKey[list[tuple[str, CaseResult]]]()
ATTRIBUTE = "lite_delegate_conformance"
"""Where a test report carries its result: pytest-xdist hands such attributes on to the session that sums up."""
FATAL = (FailureKind.CRASHED, FailureKind.TIMED_OUT)
"""Failures that take a process, so that nothing is tried again."""
PROPERTIES = (
    "defect",
    "stage",
    "op_type",
    "outcome",
    "verdict",
    "max_abs",
    "max_rel",
    "max_ulp",
    "snr_db",
    "code",
    "failure",
    "forced",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the suite."""
    group = parser.getgroup("lite_delegate conformance")
    group.addoption(
        "--delegate",
        dest="conformance_delegate",
        default="none",
        metavar="SPEC",
        help="none (the default), npu, npu:PROFILE, another device, package.module:ClassName, or file.py:ClassName",
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
    group.addoption(
        "--conformance-known",
        dest="conformance_known",
        metavar="FILE",
        help='failures that are known: a TOML file of lines "OPERATOR-CASE" = "reason"',
    )
    group.addoption(
        "--conformance-thorough",
        dest="conformance_thorough",
        action="store_true",
        help="look at every case closely, not at a few per operator",
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
    known = config.getoption("conformance_known")
    try:
        config.stash[KNOWN] = read_known(Path(known)) if known else {}
        check_known(config.stash[KNOWN])
    except LiteDelegateError as e:
        raise pytest.UsageError(str(e)) from e
    config.stash[RESULTS] = []
    config.pluginmanager.register(Collector(config.stash[RESULTS]))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends the worker."""
    if POOL in config.stash:
        config.stash[POOL].close()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """This file stands for the suite."""
    return Suite.from_parent(parent, path=file_path) if file_path.resolve() == Path(__file__).resolve() else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The verdicts: one line, or with ``-v`` the whole report."""
    found = config.stash[RESULTS]
    if not found:
        return
    families = {p.family for p in all_patterns()}
    cases = tuple(r for _, r in found if r.op_type not in families)
    patterns = tuple(r for _, r in found if r.op_type in families)
    report = ConformanceReport(found[0][0], cases, patterns=patterns)
    terminalreporter.section("operator conformance")
    terminalreporter.write_line(report.to_text() if terminalreporter.verbosity > 0 else totals_text(report))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Gives the report of a case its result, in a form that goes from a worker of pytest-xdist to its parent."""
    report = yield
    if isinstance(item, CaseItem) and item.result is not None and report.when == "call":
        found = item.config.stash[POOL].delegate, item.result
        setattr(report, ATTRIBUTE, pickle.dumps(found).hex())  # text is what goes between processes unchanged
    return report


class Collector:
    """Collects the results of a session from its reports, including those of pytest-xdist's workers."""

    def __init__(self, results: list[tuple[str, CaseResult]]) -> None:
        self._results = results

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps the result of a case."""
        data = getattr(report, ATTRIBUTE, None)
        if data is not None:
            self._results.append(pickle.loads(bytes.fromhex(data)))


class Suite(pytest.File):
    """All cases, or the cases of selected operators."""

    def collect(self) -> Iterator[pytest.Item]:
        """An item per case and, for the whole suite, one that finds operators without cases."""
        ops = self.config.getoption("conformance_ops")
        try:
            cases = list(all_cases(ops))
        except LiteDelegateError as e:
            raise self.CollectError(str(e)) from e
        subjects: list[Subject] = [*cases, *all_patterns(ops)]
        closely = _closely(subjects, thorough=self.config.getoption("conformance_thorough"))
        for i, case in enumerate(subjects):
            name = f"{case.op_type}-{case.name}"
            yield CaseItem.from_parent(self, name=name, case=case, closely=i in closely)
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
    """One case or pattern on the delegate."""

    def __init__(self, *, case: Subject, closely: bool, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.case = case
        self.closely = closely
        self.result: CaseResult | None = None
        reason = self.config.stash[KNOWN].get(f"{case.op_type}-{case.name}")
        if reason is not None:
            self.add_marker(pytest.mark.xfail(reason=reason, raises=ConformanceFailure, strict=False))

    def runtest(self) -> None:
        """Passes when the claim is right, fails when it is not, is skipped when there is none."""
        self.result = result = self._result()
        data = result.to_dict()
        self.user_properties += [(name, str(data[name])) for name in PROPERTIES if data[name] is not None]
        if result.verdict is Verdict.OVER_CLAIM:
            more = f"\n\n{result.traceback}" if result.traceback else ""
            raise ConformanceFailure(f"{result.failure or result.outcome}: {result.text}{more}")
        if result.outcome is not CaseOutcome.PASSED:
            pytest.skip(_reason(result))

    def _result(self) -> CaseResult:
        try:
            pool = self.config.stash[POOL]
            (result,) = pool.run([self.case], closely=self.closely)
            if result.verdict is Verdict.OVER_CLAIM and result.failure not in FATAL and not self.closely:
                (result,) = pool.run([self.case], force=False, closely=True)  # which tells more
            (result,) = with_known([result], self.config.stash[KNOWN])
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


def _closely(subjects: Sequence[Subject], *, thorough: bool) -> set[int]:
    """Positions of those that are looked at closely: a few of each operator and family, or all."""
    if thorough:
        return set(range(len(subjects)))
    groups: dict[str, list[int]] = {}
    for i, subject in enumerate(subjects):
        groups.setdefault(subject.op_type, []).append(i)
    return {i for positions in groups.values() for i in spread(positions, PER_OPERATOR)}


def _reason(result: CaseResult) -> str:
    if result.outcome is CaseOutcome.OUT_OF_RANGE:
        return "out of range: numbers that the device cannot hold"
    forced = "; under-claim: right when claimed by force" if result.verdict is Verdict.UNDER_CLAIM else ""
    return f"rejected: {result.detail}{forced}"
