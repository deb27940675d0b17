"""The lines of the terminal's screen, as values. terminal.py draws them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from envdoctor.model.actions import TOOLS
from envdoctor.model.finding import (
    ENVIRONMENT,
    ERROR,
    HIGH,
    INTERACTION,
    MANAGER,
    NOTE,
    OPEN,
    UNKNOWN,
    WARNING,
    WRAPPER,
    Finding,
)
from envdoctor.model.records import VerbRecord
from envdoctor.model.report import INCONCLUSIVE, Report, SubjectReport
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.reporters._condition import CLEAR, UNJUDGED, condition
from envdoctor.reporters._costs import drawn, one_worker, worker_costs
from envdoctor.reporters._faults import faults
from envdoctor.reporters._folding import (
    SAME_CODE,
    Case,
    by_family,
    by_reason,
    cases,
    name_places,
    repeated_code,
    skipped_here,
    where_skipped,
    worker_numbers,
)
from envdoctor.reporters._growth import growth
from envdoctor.reporters._instances import identities
from envdoctor.reporters._lines import GAP, Grid, Line, line
from envdoctor.reporters._particulars import episodes, not_looked_at, played_actions
from envdoctor.reporters._showing import bounded, evidence_lines
from envdoctor.reporters._storages import storages
from envdoctor.reporters._summary import STYLES, counts, summary
from envdoctor.reporters._training import training
from envdoctor.reporters._verdict import number, verdict_line

LONGEST_VERBS = 2  # named for each scenario
HEADINGS = ("ms", "share", "played", "mostly in")


def times(report: Report) -> Iterator[Line | Grid]:
    """A table of what was played, in milliseconds as the doctor waited for it, and the rest of
    the run as its last row.
    """
    groups: dict[tuple[str, str, bool], list[Trace]] = {}
    for _, trace in report.traces:
        scenario = trace.scenario
        groups.setdefault(
            (scenario.name, name_places([scenario.place]), scenario.control), []
        ).append(trace)
    spent = {key: sum(trace.outcome.seconds for trace in traces) for key, traces in groups.items()}
    longest = sorted(spent, key=lambda key: -spent[key])
    rows = [
        _row(spent[key], report.seconds, _name(*key, len(groups[key])), _mostly(groups[key]))
        for key in longest
    ]
    waited = sum(spent.values())
    # Subjects that were examined side by side were waited for at the same time: then no
    # rest remains.
    rest = (
        [_row(report.seconds - waited, report.seconds, "starting, judging, ending", "")]
        if waited <= report.seconds
        else []
    )
    yield line("Where the time went")
    yield Grid(HEADINGS, tuple(rows + rest), frozenset((0, 1)), wraps=frozenset((2, 3)))
    yield GAP


def _row(seconds: float, total: float, name: str, mostly: str) -> tuple[tuple[str, str], ...]:
    share = f"{seconds / total:.0%}" if total else ""
    return ((f"{seconds * 1000:,.0f}", ""), (share, ""), (name, ""), (mostly, "dim"))


def _name(scenario: str, place: str, control: bool, trace: int) -> str:
    times_played = f" x{trace}" if trace > 1 else ""
    return f"{scenario} [{place}{', control' if control else ''}]{times_played}"


def _mostly(traces: Iterable[Trace]) -> str:
    """`make 150, close 20`; what is not in verbs went into readings between them."""
    verbs: Counter[str] = Counter()
    for trace in traces:
        for event in trace.records(VerbRecord):
            verbs[verb_name(event.verb)] += round(event.seconds * 1e6)
    return ", ".join(
        f"{name} {micros / 1000:,.0f}"
        for name, micros in verbs.most_common(LONGEST_VERBS)
        if micros >= 1000
    )


LABEL = 15  # columns that the labels of a finding take
MAX_REASONS = 6
MAX_NAMED = 6  # checks named for one such reason

FAULTS = {
    ENVIRONMENT: "the environment",
    WRAPPER: "a wrapper around the environment",
    MANAGER: "the vectorizer: a null environment shows the same",
    INTERACTION: "this combination: each works without the other",
    UNKNOWN: "unknown",
}

# state: unicode, ASCII, style
GLYPHS = {
    ERROR: ("✗", "x", "bold red"),
    WARNING: ("!", "!", "bold yellow"),
    UNJUDGED: ("?", "?", "bold yellow"),
    CLEAR: ("✓", "ok", "bold green"),
}


def screen(
    report: Report, verbosity: int, unicode: bool, interactive: bool = False, directory: str = ""
) -> Iterator[Line | Grid]:
    """The whole screen at a verbosity from -2 (nothing) over 0 (normal) and 1 (everything) to 2
    (and where the time went). On an `interactive` one, the last lines are those that a person reads
    first: what was found, and what to do next.
    """
    if verbosity <= -2:
        return
    if verbosity >= 0:
        for subject in report.subjects:
            yield from _subject(subject, report, verbosity, unicode)
        yield GAP
        for subject in report.subjects:
            yield from faults(subject.faults)
    yield from _findings(report)
    if verbosity >= 1:
        yield from _accepted(report)
        yield from identities(report)
        yield from _scenarios(report)
    if verbosity >= 2:
        yield from times(report)
    if verbosity >= 0:
        if interactive and verbosity == 0 and report.verdict != INCONCLUSIVE:
            yield from counts(report)
        else:
            yield from _passed(report, verbosity)
            yield from _skipped(report, verbosity)
        yield from _services(report)
        yield from _stale(report, verbosity)
        yield GAP
        yield from summary(report, directory) if interactive else _verdict(report)


def _subject(
    subject: SubjectReport, report: Report, verbosity: int, unicode: bool
) -> Iterator[Line | Grid]:
    fine, plain, style = GLYPHS[condition(subject, report)]
    mark = fine if unicode else plain
    source = f"{subject.source.file}:{subject.source.line}" if subject.source else ""
    trace = name_places(subject.managers, worker_numbers(report)) or "not played"
    particulars = "".join(
        f" | {part}"
        for part in (subject.env_class, source, trace, f"{subject.seconds:.1f} s")
        if part
    )
    yield line((f"{mark} ", style), (subject.spec, "bold"), particulars, hang=len(mark) + 1)
    tools = subject.actions is not None and subject.actions.kind == TOOLS
    lacks = [name for name in subject.lacks if not tools or name != "close"]
    if lacks:
        yield line(f"  It has no {', '.join(lacks)}.")
    if tools:
        yield line("  Nothing calls a close() of it.")
    if verbosity >= 1 and subject.frameworks:
        yield line(
            "  With ",
            ", ".join(f"{name} {version}" for name, version in sorted(subject.frameworks.items())),
        )
    if verbosity >= 1 and subject.probes:
        ways = "; ".join(f"{number} {way}" for way, number in subject.probes)
        yield line("  Processes: ", ways, ".", hang=4)
    yield from one_worker(subject.worker_costs)
    if verbosity >= 1:
        yield from worker_costs(subject.worker_costs)
    if subject.actions:
        yield line("  Actions: ", played_actions(subject.actions), ".", hang=4)
    text = episodes(subject.episodes)
    if text:
        yield line("  Whole episodes: ", text, ".", hang=4)
    if subject.drawing:
        yield line("  Drawing: ", drawn(subject.drawing), ".", hang=4)
    yield from training(subject.training)
    yield from growth(subject.command or subject.spec, subject.growth, unicode)
    yield from storages(subject.storages, unicode)


def _findings(report: Report) -> Iterator[Line]:
    workers = worker_numbers(report)
    shown = cases(finding for finding in report.findings if finding.status == OPEN)
    repeated = repeated_code(shown)
    for case in shown:
        where = name_places(case.places, workers)
        who = f"{case.first.subject} [{where}]" if where else case.first.subject
        same = repeated.get(case.first.fingerprint, "")
        if case.first.severity == NOTE:
            yield from _note(case.first, who, same)
        else:
            yield from _case(case, who, same)
        yield GAP


def _note(note: Finding, who: str, same: str) -> Iterator[Line]:
    yield line(
        ("note ", STYLES[NOTE]),
        (note.code, "bold"),
        " ",
        (who, "bold"),
        ": ",
        bounded(note.message),
    )
    yield from _remedy(note, "  ", same)


def _case(case: Case, who: str, same: str) -> Iterator[Line]:
    first = case.first
    yield line(
        (f"{first.severity} ", STYLES[first.severity]), (first.code, "bold"), f" {first.name}"
    )
    yield line("  ", (who, "bold"), ": ", bounded(first.message))
    if first.location:
        function = f" in {first.location.function}" if first.location.function else ""
        yield _labelled("where", f"{first.location.file}:{first.location.line}{function}")
    proof = evidence_lines(first.evidence)
    if proof and len(case.places) > 1:
        proof.insert(0, f"in {name_places([(first.manager, first.start_method)])}:")
    for at, text in enumerate(proof):
        yield _labelled("" if at else "evidence", text)
    for at, text in enumerate(whose_fault(case)):
        yield _labelled("" if at else "cause", text)
    for at, text in enumerate(
        dict.fromkeys(finding.status_reason for finding in case.findings if finding.status_reason)
    ):
        yield _labelled("" if at else "why it fails", text)
    yield from _remedy(first, "  remedy".ljust(LABEL), same)


def whose_fault(case: Case) -> Iterator[str]:
    """A line for each blame, with its places where there are several."""
    sure = "" if case.first.confidence == HIGH else f" (confidence: {case.first.confidence})"
    for blame, places in case.blames.items():
        where = f"in {name_places(places)}: " if len(case.blames) > 1 else ""
        yield where + fault(case.first, blame) + sure


def fault(finding: Finding, blame: str) -> str:
    """The cause, in words."""
    if blame == ENVIRONMENT and finding.of_function:
        return "the function"
    return FAULTS.get(blame, blame)


def _labelled(label: str, text: str) -> Line:
    # Lines of a stack come indented; they are for pasting and for editors that jump to them.
    return Line(
        ((f"  {label}".ljust(LABEL), "dim"), (text, "")), hang=LABEL, verbatim=text.startswith("  ")
    )


def _remedy(finding: Finding, label: str, same: str) -> Iterator[Line]:
    """Yield the remedy; `same` is the rule that shows the same code already."""
    yield line((label, "dim"), bounded(finding.remedy.text), hang=len(label))
    if same:
        yield line(" " * len(label), SAME_CODE.format(code=same), hang=len(label))
        return
    commands = [text for command in finding.remedy.commands for text in command.splitlines()]
    if commands:
        yield GAP
    for text in commands:
        yield Line(((" " * 6 + text, ""),), verbatim=True)


def _passed(report: Report, verbosity: int) -> Iterator[Line]:
    skipped = report.skipped if verbosity >= 1 else skipped_here(report)
    unjudged = sum(bool(skipped.code) for skipped in skipped)
    opened = [finding for finding in report.findings if finding.status == OPEN]
    failed = _checks(finding for finding in opened if finding.severity != NOTE)
    noted = _checks(opened) - failed
    known = _checks(report.findings) - failed - noted
    if report.passed or unjudged:
        parts = [f"{len(report.passed)} passed", f"{len(failed)} failed"]
        parts += [f"{len(noted)} noted"] if noted else []
        parts += [f"{len(known)} suppressed"] if known else []
        parts.append(f"{unjudged} not judged")
        families = by_family(passed.code for passed in report.passed)
        yield line(f"checks: {', '.join(parts)}", f"; passed: {families}" if families else "")
    if verbosity >= 1:
        places: dict[tuple[str, str, str | None], list[str]] = {}
        for passed in report.passed:
            places.setdefault((passed.subject, passed.manager, passed.start_method), []).append(
                passed.code
            )
        for (subject, manager, method), codes in places.items():
            yield line(
                f"  {subject} [{name_places([(manager, method)])}]: {' '.join(sorted(codes))}",
                hang=4,
            )


def _checks(findings: Iterable[Finding]) -> set[tuple[str, str, str, str | None]]:
    """The rules that found something, each in its places."""
    return {
        (finding.code, finding.subject, finding.manager, finding.start_method)
        for finding in findings
    }


def _skipped(report: Report, verbosity: int) -> Iterator[Line]:
    reasons = by_reason(report.skipped if verbosity >= 1 else skipped_here(report))
    shown = reasons if verbosity >= 1 else reasons[:MAX_REASONS]
    for reason, whats in shown:
        named = whats if verbosity >= 1 else whats[:MAX_NAMED]
        more = f" and {len(whats) - len(named)} more" if len(whats) > len(named) else ""
        yield line(
            f"not judged: {', '.join(named)}{more}{where_skipped(report.skipped, reason)}: ",
            bounded(reason),
        )
    if len(reasons) > len(shown):
        yield line(
            f"not judged: more, for {number(len(reasons) - len(shown), 'other reason')}, shown"
            " with -v"
        )


def _services(report: Report) -> Iterator[Line]:
    """Return what environments leave in services, which is not looked at."""
    for subject in report.subjects:
        unseen = not_looked_at(subject.spec, subject.services)
        if unseen:
            yield line("not judged: ", bounded(unseen))


def _accepted(report: Report) -> Iterator[Line]:
    for finding in report.findings:
        if finding.status != OPEN:
            why = f" ({finding.status_reason})" if finding.status_reason else ""
            where = name_places([(finding.manager, finding.start_method)])
            yield line(
                f"{finding.status}{why}: {finding.code} {finding.subject} [{where}]: ",
                bounded(finding.message),
            )
    yield GAP


def _stale(report: Report, verbosity: int) -> Iterator[Line]:
    """Yield decisions that match nothing any more."""
    if verbosity >= 1:
        yield from (line("stale: ", bounded(sentence)) for sentence in report.stale)
    elif report.stale:
        yield line(
            f"stale: {number(len(report.stale), 'setting')} that"
            f" {'matches' if len(report.stale) == 1 else 'match'} nothing, shown with -v"
        )


def _scenarios(report: Report) -> Iterator[Line]:
    for spec, trace in report.traces:
        scenario, outcome = trace.scenario, trace.outcome
        what = "the null environment" if scenario.control else spec
        ended = outcome.kind + (
            f" in {outcome.verb}" if outcome.verb and outcome.kind != FINISHED else ""
        )
        where = name_places([scenario.place], worker_numbers(report))
        yield line(
            f"{outcome.seconds:6.1f} s  {ended:9}  ",
            f"{what} [{where}] {scenario.name}: {scenario.script}",
            hang=21,
        )
    yield GAP


def _verdict(report: Report) -> Iterator[Line]:
    style = {"failed": "bold red", "passed": "bold green"}.get(report.verdict_word, "bold yellow")
    yield line((verdict_line(report), style))
    worst = cases(finding for finding in report.findings if finding.status == OPEN)
    if worst:
        yield line(
            f"`envdoctor explain {worst[0].first.code}` says why it matters and how to fix it."
        )
