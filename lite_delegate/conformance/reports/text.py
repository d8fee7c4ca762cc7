"""A conformance report for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...basics.counted import counted
from ...reporting.figures import decibel_text, error_text, ulp_text
from ...reporting.styles import Style, style_of_verdict
from ...reporting.terminal import answered, page, painted, table, table_of, wrapped
from .results import USABLE, CaseOutcome, CaseResult, ConformanceData, OperatorResult, Verdict

HEADS = (
    "operator",
    "verdict",
    "cases",
    "passed",
    "over",
    "rejected",
    "under",
    "abs",
    "rel",
    "ULP",
    "dB",
)
PATTERN_HEADS = ("pattern", "verdict", "patterns", "passed", "over", "rejected")
LEGEND = "over, under: over- and under-claims; abs, rel, ULP: largest errors; dB: lowest signal-to-noise ratio"
MAX_REASON = 70
MOST_REASONS, MOST_OPERATORS = 20, 4


def conformance_text(report: ConformanceData) -> str:
    """The totals, a row per operator, then what is over-claimed, under-claimed and rejected."""
    parts = (
        _operators(report),
        _patterns(report),
        _not_usable(report),
        _rejected(report),
        _by_reason(report),
        _under_claims(report),
        _over_claims(report),
        _known(report),
        *report.notes,
    )
    return answered(
        f"{_verdict(report)}\n{totals_text(report)}",
        "\n\n".join(part for part in parts if part),
        wrapped(_advice(report)),
    )


def _verdict(report: ConformanceData) -> str:
    if not report.is_conformant:
        return painted("Some claims are wrong, or operators have no case.", Style.BAD)
    return painted("Every claim is right.", Style.GOOD) if report.judged else "No claim was judged."


def _advice(report: ConformanceData) -> str:
    """What to do next; "" where every claim is right."""
    wrong = next((r for r in report.all if r.verdict is Verdict.OVER_CLAIM and not r.known), None)
    if wrong is None:
        return ""
    option = "--op" if wrong in report.results else "--pattern"
    return f"next: {option} {wrong.op_type} --thorough --save DIR looks closer at the first fault, and saves it small."


def _operators(report: ConformanceData) -> str:
    """A row for each operator; of many operators, the honest ones that pass all their cases are one row."""
    operators = report.operators()
    if not operators:
        return ""
    good = [o for o in operators if o.verdict is Verdict.HONEST and o.passed == o.cases]
    if page().full or len(operators) <= page().lines or len(good) < 2:
        return f"{_table(operators)}\n{LEGEND}"
    left = [o for o in operators if o not in good]
    cases = counted(sum(o.cases for o in good), "case")
    note = wrapped(f"{len(good)} more are honest and pass all of their {cases}; --full shows them.")
    return "\n".join([*([_table(left)] if left else []), note, LEGEND])


def _table(operators: Sequence[OperatorResult]) -> str:
    return table(HEADS, [_row(o) for o in operators], right=HEADS[2:], styles=_styles(operators))


def _styles(judged: Sequence[OperatorResult]) -> dict[str, list[Style | None]]:
    return {"verdict": [style_of_verdict(each.verdict) for each in judged]}


def _row(o: OperatorResult) -> tuple[str, ...]:
    counts = (o.cases, o.passed, o.wrong + o.failed, o.rejected, o.under_claimed)
    return (o.op_type, o.verdict, *map(str, counts), *_numbers(o))


def _numbers(o: OperatorResult) -> tuple[str, ...]:
    return error_text(o.max_abs), error_text(o.max_rel), ulp_text(o.max_ulp), decibel_text(o.snr_db)


def _over_claims(report: ConformanceData) -> str:
    lines = [
        f"{r.outcome}: {r.op_type} {r.name}: {r.text}" + (f"\n  saved in {r.saved}" if r.saved else "")
        for r in report.all
        if r.verdict is Verdict.OVER_CLAIM and not r.known
    ]
    if report.without_cases:
        lines.append(f"no cases: {', '.join(report.without_cases)}")
    return "\n".join(lines)


def _patterns(report: ConformanceData) -> str:
    families = report.families()
    if not families:
        return ""
    heads = (*PATTERN_HEADS, *HEADS[-4:])
    return table(heads, [_family_row(f) for f in families], right=heads[2:], styles=_styles(families))


def _not_usable(report: ConformanceData) -> str:
    """The patterns that are right, and of which rounding leaves too little."""
    lines = [f"{r.op_type} {r.name}: {decibel_text(r.snr_db)} dB" for r in report.not_usable]
    head = f"passed, since rounding explains the difference, and not usable: below {USABLE.snr_db:g} dB"
    return "\n".join([f"{head}:", *lines]) if lines else ""


def _family_row(f: OperatorResult) -> tuple[str, ...]:
    return (f.op_type, f.verdict, *map(str, (f.cases, f.passed, f.wrong + f.failed, f.rejected)), *_numbers(f))


def _known(report: ConformanceData) -> str:
    lines = [f"known failure: {r.op_type} {r.name}: {r.known} ({r.text})" for r in report.all if r.known]
    lines += [f"known failure that fails no more: {case_id}" for case_id in report.unexpected]
    return "\n".join(lines)


def _under_claims(report: ConformanceData) -> str:
    found = [r for r in report.results if r.verdict is Verdict.UNDER_CLAIM]
    return _grouped("under-claims: rejected, and right when claimed by force", found)


def _rejected(report: ConformanceData) -> str:
    found = [r for r in report.results if r.verdict is Verdict.REJECTED]
    return _grouped("rejected", found)


def _by_reason(report: ConformanceData) -> str:
    """The most frequent reasons of all rejected cases."""
    found = report.reasons()
    if not found:
        return ""
    shown, left = found[:MOST_REASONS], found[MOST_REASONS:]
    columns = {
        "cases": [str(each.cases) for each in shown],
        "under": [str(each.under_claimed) for each in shown],
        "code": [str(each.code or "") for each in shown],
        "reason": [each.reason for each in shown],
        "operators": [_some(each.operators) for each in shown],
    }
    styles = {"code": [Style.REFUSAL] * len(shown)}
    rows = table_of(columns, wrap=("reason", "operators"), right=("cases", "under"), styles=styles)
    rest = f"\nand {len(left)} more reasons, of {counted(sum(each.cases for each in left), 'case')}" if left else ""
    return f"rejected, by reason:\n{rows}{rest}"


def _some(operators: Sequence[str]) -> str:
    more = len(operators) - MOST_OPERATORS
    return ", ".join(operators[:MOST_OPERATORS]) + (f" and {more} more" if more > 0 else "")


def _grouped(head: str, results: Sequence[CaseResult]) -> str:
    """The number of cases of each operator that are rejected for each code, with the most frequent reason."""
    reasons: dict[tuple[str, str], Counter[str]] = {}
    for r in results:
        reasons.setdefault((r.op_type, str(r.code or "")), Counter())[r.detail] += 1
    rows = [(op, str(c.total()), _most_frequent(c)) for (op, _), c in sorted(reasons.items())]
    return (
        f"{head}:\n{table(('operator', 'cases', 'reason'), rows, right=('cases',), wrap=('reason',))}" if rows else ""
    )


def _most_frequent(reasons: Counter[str]) -> str:
    first = reasons.most_common(1)[0][0]
    short = first if len(first) <= MAX_REASON else f"{first[: MAX_REASON - 3]}..."
    return short if len(reasons) == 1 else f"{short} (and {len(reasons) - 1} more)"


def totals_text(report: ConformanceData) -> str:
    """The number of cases with each outcome, and of operators with each verdict."""
    operators = report.operators()
    totals = Counter(r.outcome for r in report.results)
    verdicts = Counter(o.verdict for o in operators)
    cases = ", ".join(f"{totals[o]} {o.value}" for o in CaseOutcome)
    judged = ", ".join(f"{verdicts[v]} {v.value}" for v in Verdict if verdicts[v])
    head = (
        f"delegate {report.delegate}: {counted(len(report.results), 'case')} of "
        f"{counted(len(operators), 'operator')}: {cases}"
    )
    operators_line = f"\noperators: {judged}" if operators else ""
    return f"{head}{operators_line}{_pattern_totals(report)}"


def _pattern_totals(report: ConformanceData) -> str:
    if not report.patterns:
        return ""
    totals = Counter(r.outcome for r in report.patterns)
    return f"\npatterns: {len(report.patterns)}: " + ", ".join(f"{totals[o]} {o.value}" for o in CaseOutcome)
