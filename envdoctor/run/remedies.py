"""Remedies tried: edits are applied to a copy of the user's files, which is played in place of the
original, and the rules judge it. Only what cures its finding, and brings nothing new, becomes code.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from envdoctor.analysis.growth.sides import LONG
from envdoctor.analysis.undefined_names import undefined
from envdoctor.frameworks import DEFAULT, profile_of_api
from envdoctor.model.evidence import Growing, PlayedScenario, read_evidence
from envdoctor.model.facts import Described, Sources, Survey
from envdoctor.model.finding import NOTE, Finding, Location
from envdoctor.model.fixes import ChangedFile, Fix, Tried
from envdoctor.model.remedy import FIRST, LAST, Change, Edit
from envdoctor.model.scenario import DIRECT, FAILING_RESET, Scenario
from envdoctor.model.trace import EXITED, FINISHED, INTERRUPTED, LOST, SIGNALLED, Trace
from envdoctor.model.traits import WHOLE_EPISODES
from envdoctor.plan import scenarios as planning
from envdoctor.plan import slow_calls
from envdoctor.plan.comparisons import played_again
from envdoctor.plan.episodes import steps_followed
from envdoctor.plan.leak_check import check_leaks
from envdoctor.remedies.applying import NoPlaceError, changed, changes, check
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.patching import digest
from envdoctor.remedies.source import File, Source
from envdoctor.rules.engine.judging import Judgement
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.evidence.copies import still_refused
from envdoctor.run.hidden_growth import stems_from_original
from envdoctor.run.own_files import read_file
from envdoctor.run.places import NONE, Where, counted, grouped, is_seen_once, managers_of, place_of
from envdoctor.run.supervise.session import Session
from envdoctor.verdict.diagnosis import RunEvidence, judged

PLAYS = 12  # copies that are played for all remedies of one subject
MAX_TRIALS = 5  # sets of edits that are played for one remedy
LEAK = "leak"  # the scenario of repeated cycles
LATE = "the time for remedies was over"
STAYS = "the finding would stay"
GONE_BY_ITSELF = "the finding did not come again without it, in the same plays"
SECONDS = 180.0  # after which no further copy is played: what is left says that it was not tried
IN_A_ROW = 2  # whole episodes of one instance, in which growth at their ends is tried
INSTALLED = ("/site-packages/", "/dist-packages/")  # whose source is not the user's

Cure = tuple[list[Finding], tuple[Edit, ...]]


@dataclass
class Trials:
    """Tries the remedies of one subject in a session of their own. `evidence` was gathered of it
    with the seed, `rules` judge it; nothing more is played once `is_over` says so. `plays` is how
    many copies are played at most: a number, so that a busy machine tries as much as an idle one.
    `cures` are the findings that were cured so far, with the edits that did it; `held` are
    those that one copy cured, with no other edit in it.
    """

    session: Session
    evidence: RunEvidence
    rules: tuple[Rule, ...]
    judgement: Judgement
    progress: Callable[[str], None]
    plays: int = PLAYS
    seed: int = 0
    is_over: Callable[[], bool] = lambda: False
    seconds: float = SECONDS
    _deadline: float = field(init=False)
    _number: int = 0
    _cured: tuple[Edit, ...] = ()  # in one copy, with nothing new
    _unedited: Counter[Where] = field(default_factory=Counter)  # findings without an edit
    _comes_again: dict[str, bool] = field(default_factory=dict)  # without an edit, by fingerprint
    _read: Source | None = None
    cures: list[Cure] = field(default_factory=list)
    held: tuple[Cure, ...] = ()
    _proof: _Trial | None = None

    def __post_init__(self) -> None:
        """Begin the time."""
        self.extend()

    def run(self) -> dict[str, Tried]:
        """Return the result of each remedy, by the fingerprint of its finding."""
        source = self._read = self._source()
        if source is None:
            return {}
        groups = grouped(self.judgement.findings)
        done = self._try_together(self._chosen(groups, source), groups)
        earlier: dict[int, int] = {}  # the number of cures when a remedy was tried alone
        for at, findings in enumerate(groups):
            if at not in done:
                earlier[at] = len(self.cures)
                done[at] = self._try(findings, source)
        stays = [at for at, cures in earlier.items() if done[at].reason == STAYS]
        done |= self._try_again([at for at in stays if earlier[at] < len(self.cures)], groups)
        return {
            finding.fingerprint: done[at]
            for at, findings in enumerate(groups)
            for finding in findings
        }

    @property
    def _refusal(self) -> str:
        """The reason why no copy is played any more, or nothing."""
        if self._is_late or not self.plays:
            return LATE
        if self._number >= self.plays:
            return f"{self.plays} copies were played for other remedies before"
        return ""

    @property
    def _is_late(self) -> bool:
        return time.monotonic() >= self._deadline or self.is_over()

    def _chosen(
        self, groups: Sequence[Sequence[Finding]], source: Source
    ) -> dict[int, tuple[Edit, ...]]:
        """The first edits of each remedy that fit beside those of the others."""
        chosen: dict[int, tuple[Edit, ...]] = {}
        for at, findings in enumerate(groups):
            for edits in self._candidates(findings):
                every = (*(edit for item in chosen.values() for edit in item), *edits)
                try:
                    self._texts(changes(every, source), source)
                except NoPlaceError:
                    continue
                chosen[at] = edits
                break
        return chosen

    def _try_together(
        self, chosen: dict[int, tuple[Edit, ...]], groups: Sequence[Sequence[Finding]]
    ) -> dict[int, Tried]:
        """The remedies of several groups in one copy, beside those that cure others: what is cured
        there needs no play of its own. Of those that are not, and of all where something new comes,
        one half is tried, and then the other one beside what that cured: two that are well apart
        may bring it together.
        """
        source = self._read
        if len(chosen) < 2 or self._refusal or source is None:
            return {}
        every = (*self._cured, *(edit for edits in chosen.values() for edit in edits))
        try:
            texts = self._texts(changes(every, source), source)
        except NoPlaceError:
            return {}
        self.progress(f"{self.evidence.subject.text} {len(chosen)} remedies")
        findings = [each for at in chosen for each in groups[at]]
        trial, done = self._play(findings, texts, source), dict[int, Tried]()
        if not trial.brings(self.judgement):
            cured = [at for at in chosen if trial.cures(groups[at], self.judgement)]
            if cured:
                self._play_unedited(findings, source)
            cured = [at for at in cured if self._come_again(groups[at])]
            alone = not self._cured
            self._cured += tuple(edit for at in cured for edit in chosen[at])
            self.cures += [(list(groups[at]), chosen[at]) for at in cured]
            if alone and len(cured) == len(chosen):
                self.held, self._proof = tuple(self.cures), trial
            done = {at: Tried(changes(chosen[at], source), True, together=True) for at in cured}
            chosen = {at: edits for at, edits in chosen.items() if at not in done}
        # Code that raises hides what the rest cures: without it, the rest is seen.
        rest, middle = list(chosen.items()), len(chosen) // 2
        done |= self._try_together(dict(rest[:middle]), groups)
        return done | self._try_together(dict(rest[middle:]), groups)

    def _try_again(
        self, stays: Sequence[int], groups: Sequence[Sequence[Finding]]
    ) -> dict[int, Tried]:
        """The remedies of findings that stayed, beside what was cured since: what a wrapper does
        not close cannot be closed right.
        """
        source = self._read
        assert source is not None
        if len(stays) < 2:
            return {at: self._try(groups[at], source) for at in stays}
        chosen = self._chosen(groups, source)
        return self._try_together({at: chosen[at] for at in stays if at in chosen}, groups)

    def _source(self) -> Source | None:
        """The user's own source, as far as it can be read."""
        known = self.evidence.known
        files = {}
        for path in self._paths():
            try:
                file = read_file(path)
                _ = file.tree
            except (OSError, SyntaxError, ValueError, RecursionError):
                continue
            files[path] = file
        home = known.source or Location("", 0)
        if not files or (known.source is not None and home.file not in files):
            return None
        name = known.env_class.rpartition(".")[2] or home.function  # where none could be made
        return Source(files, name, home.file, profile_of_api(known.api) or DEFAULT)

    def _paths(self) -> Iterator[str]:
        frames = [
            frame.file
            for finding in self.judgement.findings
            for frame in (
                *getattr(finding.remedy.aim, "places", ()),
                getattr(finding.remedy.aim, "place", None),
            )
            if frame is not None
        ]
        methods = self.evidence.known.methods.values()
        named = [
            *(module.file for module in self._sources.modules),
            *(place.file for place in (*methods, self.evidence.known.source) if place),
        ]
        for path in dict.fromkeys([*named, *frames]):
            if not any(part in path for part in INSTALLED):
                yield path

    def _known(self) -> set[str]:
        """The names that the loaded modules have."""
        own = self._sources
        return {*own.builtins, *(name for module in own.modules for name in module.names)}

    @property
    def _sources(self) -> Sources:
        """The modules that hold the subject's own code."""
        texts = (trace.fact(Sources) for trace in self.evidence.traces)
        return next(filter(None, texts), Sources())

    def _candidates(self, findings: Sequence[Finding]) -> Iterator[tuple[Edit, ...]]:
        aim = findings[0].remedy.aim
        assert aim is not None
        assert self._read is not None
        return islice(candidates(aim, self._read), MAX_TRIALS)

    def _try(self, findings: Sequence[Finding], source: Source) -> Tried:
        """Try one remedy, alone."""
        reason, tried = "no code is known for its source", False
        for edits in self._candidates(findings):
            refused = self._refusal
            if refused:
                return Tried(verified=False if tried else None, reason=reason if tried else refused)
            try:
                made = changes(edits, source)
                texts, together = self._beside_cured(edits, source)
            except NoPlaceError as error:
                reason = str(error)
                continue
            self.progress(f"{self.evidence.subject.text} remedy of {findings[0].code}")
            trial, tried = self._play(findings, texts, source), True
            reason = self._brings(trial, findings, source)
            if not reason and trial.cures(findings, self.judgement):
                self._play_unedited(findings, source)
                if not self._come_again(findings):
                    late = any(each.fingerprint not in self._comes_again for each in findings)
                    return Tried(
                        verified=None if late else False, reason=LATE if late else GONE_BY_ITSELF
                    )
                self._cured = (*self._cured, *edits) if together else self._cured
                self.cures.append((list(findings), edits))
                if len(self.cures) == 1:
                    self.held, self._proof = tuple(self.cures), trial
                return Tried(made, True, together=together)
            reason = reason or trial.lacks or STAYS
        return Tried(verified=False, reason=reason)

    def _brings(self, trial: _Trial, findings: Sequence[Finding], source: Source) -> str:
        """Return what a trial brings that the same plays without an edit do not have, or nothing: a
        copy is also played in ways in which the environment was not.
        """
        reason = trial.brings(self.judgement)
        if reason:
            self._play_unedited(findings, source)
            reason = trial.brings(self.judgement, self._unedited)
        return reason

    def extend(self) -> None:
        """Give what is played from here on its own time."""
        self._deadline = time.monotonic() + self.seconds

    def holds(self, findings: Sequence[Finding], edits: Sequence[Edit]) -> str:
        """The reason why not all of these findings are gone in one copy with these edits, with
        nothing new; or nothing. Raises NoPlaceError.
        """
        source = self._read
        if source is None or self._is_late:
            return LATE
        texts = self._texts(changes(edits, source), source)
        self.progress(f"{self.evidence.subject.text} all remedies in one copy")
        trial = self._play(findings, texts, source)
        if reason := self._brings(trial, findings, source):
            return reason
        if not trial.cures(findings, self.judgement):
            return trial.lacks or STAYS
        self._proof = trial
        return ""

    def is_gone(self, finding: Finding) -> bool:
        """Return True where a finding was gone in the last copy that cured what it was for."""
        return self._proof is not None and self._proof.cures([finding], self.judgement)

    def repeats(self, edits: Iterable[Edit]) -> bool:
        """Return True where these edits add a line to close() that the file has already."""
        files = self._read.files if self._read else {}
        for edit in edits:
            lines = {line.strip() for line in edit.lines if line.strip().endswith(")")}
            if edit.method == "close" and edit.position in (FIRST, LAST) and edit.file in files:
                return not lines.isdisjoint(line.strip() for line in files[edit.file].lines)
        return False

    def fix(self, edits: Sequence[Edit]) -> Fix:
        """The files with these edits, as they were played. Raises NoPlaceError."""
        source = self._read
        assert source is not None
        made = changes(edits, source)
        texts = self._texts(made, source)
        return Fix(
            made,
            tuple(
                ChangedFile(path, digest(source.files[path].data), digest(text.encode("utf-8")))
                for path, text in texts.items()
            ),
        )

    def _play_unedited(self, findings: Sequence[Finding], source: Source) -> None:
        """See whether findings come again where the same is played without an edit: one that needs
        what an earlier play left in the process would be gone in any copy.
        """
        asked = [each for each in findings if not is_seen_once(each)]
        if all(each.fingerprint in self._comes_again for each in asked) or self._is_late:
            return
        self.progress(f"{self.evidence.subject.text} without remedies")
        unedited = self._play(asked, {}, source)
        self._unedited |= counted(unedited.after.findings)
        sees = unedited.sees(asked)
        self._comes_again.update({each.fingerprint: each in sees for each in asked})

    def _come_again(self, findings: Iterable[Finding]) -> bool:
        return all(
            is_seen_once(each) or self._comes_again.get(each.fingerprint, False)
            for each in findings
        )

    def _beside_cured(self, edits: tuple[Edit, ...], source: Source) -> tuple[dict[str, str], bool]:
        """The files with some edits and, where they fit, with the remedies that cure others: what
        is ill in other ways takes longer to play, and hides more. Whether they fit. Raises
        NoPlaceError.
        """
        if self._cured:
            with suppress(NoPlaceError):
                return self._texts(changes((*self._cured, *edits), source), source), True
        return self._texts(changes(edits, source), source), False

    def _texts(self, made: Sequence[Change], source: Source) -> dict[str, str]:
        """The changed files. Raises NoPlaceError."""
        texts = {}
        for path in dict.fromkeys(change.file for change in made):
            file = source.files[path]
            texts[path] = changed(file, [change for change in made if change.file == path])
            check(file, texts[path], self._known())
        return texts

    def _play(self, findings: Sequence[Finding], texts: dict[str, str], source: Source) -> _Trial:
        """The play of changed files, or of none, judged."""
        self._number += bool(texts)
        folder = self.session.directory / f"copy{self._number}"
        folder.mkdir(parents=True, exist_ok=True)
        copies = {}
        for number, (path, text) in enumerate(texts.items()):
            copy = folder / f"{number}-{Path(path).name}"
            copy.write_text(text, encoding="utf-8")
            copies[path] = str(copy)
        subject = replace(self.evidence.subject, copies=copies)
        evidence = replace(self.evidence, subject=subject)
        self.session.renew()
        trial = _Trial(self.session, evidence, self.rules, self.seed, self.is_over, not texts)
        trial.read = self._undefined({**{p: f.text for p, f in source.files.items()}, **texts})
        trial.files, trial.texts = source.files, texts
        trial.play_for(findings)
        trial.judge()
        return trial

    def _undefined(self, texts: dict[str, str]) -> dict[str, Any]:
        """Return the input of API010 for the changed files."""
        known = self._known()
        result = [
            asdict(item) for path, text in texts.items() for item in undefined(path, text, known)
        ]
        return {**self.evidence.read, "undefined": result}


@dataclass
class _Trial:
    """One play of a copy."""

    session: Session
    evidence: RunEvidence
    rules: tuple[Rule, ...]
    seed: int = 0
    is_over: Callable[[], bool] = lambda: False
    unedited: bool = False
    read: dict[str, Any] = field(default_factory=dict)
    files: Mapping[str, File] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    episode: int = 0  # steps, where a finding was made in whole episodes
    traces: list[Trace] = field(default_factory=list)
    after: Judgement = field(default_factory=Judgement)

    def play(self, scenario: Scenario) -> Trace:
        """Play one scenario with the copy."""
        if planning.wants_fresh(scenario, self.traces):
            self.session.renew()
        spaces = self.session.directory / "spaces.pkl"
        trace = self.session.play(self.evidence.subject, scenario, self.seed, spaces)
        self.traces.append(trace)
        return trace

    def play_for(self, findings: Sequence[Finding]) -> None:
        """The plain life, what the findings' rules need, the other short scenarios, and the places
        in which the findings were made.
        """
        codes = {finding.code for finding in findings}
        rules = [rule for rule in self.rules if rule.code in codes]
        asked = {name for rule in rules for name in (*rule.needs, *dict(rule.looks_at))}
        asked |= {read_evidence(PlayedScenario, each.evidence).scenario for each in findings}
        sensors = {sensor for rule in rules for sensor in rule.sensors}
        survey = self.play(planning.survey_of_copy(asked, sensors)).fact(Survey)
        if survey is None or not survey.is_found:
            return
        described = self.play(planning.PLAIN).fact(Described)
        if described is None:
            return
        if any(name.startswith(LEAK) for name in asked):
            self._check_leaks(findings, bool(described.render_mode))
        for scenario in planning.proving(described, asked):
            if self._stops:
                return
            self.play(scenario)
        for scenario in planning.failing(self.traces) if FAILING_RESET in asked else ():
            self.play(scenario)
        for place in managers_of(findings):
            self.play(planning.vector_life(*place))
        places = {(DIRECT, None), *managers_of(findings)}
        for scenario in played_again(rules, places, self.evidence.traces, self.traces):
            if self._stops:
                return
            self.play(scenario)

    @property
    def _stops(self) -> bool:
        goes_on = (FINISHED, EXITED, SIGNALLED) if self.unedited else (FINISHED,)
        return self.is_over() or self.traces[-1].outcome.kind not in goes_on

    def _check_leaks(self, findings: Sequence[Finding], renders: bool) -> None:
        """Growth; where one of the findings was made in whole episodes, with several of them in a
        row: who trains closes an instance after thousands.
        """
        if any(read_evidence(Growing, finding.evidence).side == LONG for finding in findings):
            self.episode = steps_followed(self.evidence.traces)
        row = IN_A_ROW if self.episode else 1
        effort = slow_calls.effort_of_trial(self.evidence.traces)
        check_leaks(self.play, effort, renders, self.traces, episode=self.episode, in_a_row=row)

    @property
    def lacks(self) -> str:
        """The reason why a scenario in which the findings were made was not played, or nothing."""
        run = any(trace.scenario.traits.growth == WHOLE_EPISODES for trace in self.traces)
        return (
            "the time did not suffice to try it in whole episodes"
            if self.episode and not run
            else ""
        )

    def judge(self) -> None:
        """Let the rules judge what was played; managers are compared with their controls."""
        controls = [
            trace
            for trace in self.evidence.traces
            if trace.scenario.control and trace.scenario.place in self._places
        ]
        observations = replace(self.evidence, traces=(*self.traces, *controls), read=self.read)
        self.after = judged(observations, self.rules)

    @property
    def _places(self) -> set[tuple[str, str | None]]:
        return {trace.scenario.place for trace in self.traces}

    def brings(self, before: Judgement, unedited: Counter[Where] = NONE) -> str:
        """Return the findings that are new, or more than they were; empty if all is well. Notes do
        not withhold a cure where they are on unusual uses, or could not be made before; nor does
        growth where that had not passed, of a line that is as it was.
        """
        earlier, passed = counted(before.findings) | unedited, set(map(place_of, before.passed))
        known = {*passed, *map(place_of, before.findings)}
        worse = [
            finding
            for finding in self.after.findings
            if (place_of(finding) in passed or not self._stems_from_original(finding))
            and (finding.severity != NOTE or self._was_judged(finding, known))
        ]
        for where, number in counted(worse).items():
            if number > earlier[where]:
                first = next(
                    finding for finding in self.after.findings if place_of(finding) == where
                )
                return f"it would bring {first.code}: {first.message}"
        return ""

    def _was_judged(self, finding: Finding, known: Container[Where]) -> bool:
        """Return True where a rule of usual uses judged its place before."""
        rare = {rule.code for rule in self.rules if rule.rare_use}
        return finding.code not in rare and place_of(finding) in known

    def _stems_from_original(self, finding: Finding) -> bool:
        return stems_from_original(finding, self.files, self.texts)

    def sees(self, findings: Sequence[Finding]) -> list[Finding]:
        """Those of the findings whose rule makes one in the same place; those of a place that is
        not played count as seen, also where a hang or a death ended the plays before it.
        """
        now, wanted = counted(self.after.findings), {(DIRECT, None), *managers_of(findings)}
        if any(trace.outcome.kind not in (FINISHED, INTERRUPTED, LOST) for trace in self.traces):
            wanted &= self._places
        return [
            each for each in findings if now[place_of(each)] or place_of(each)[1:] not in wanted
        ]

    def cures(self, findings: Sequence[Finding], before: Judgement) -> bool:
        """Return True if these findings are gone: their rule passes where they were made, or makes
        fewer of them. A place that was not played, though it should have been, is not cured.
        """
        if self.lacks or still_refused(findings, self.traces):
            return False
        passed = set(map(place_of, self.after.passed))
        left = {finding.fingerprint for finding in self.after.findings}
        earlier, now = counted(before.findings), counted(self.after.findings)
        wanted = {(DIRECT, None), *managers_of(findings)}
        for finding in findings:
            where = place_of(finding)
            fewer = 0 < now[where] < earlier[where] and finding.fingerprint not in left
            if where[1:] in wanted and not (where in passed or fewer):
                return False
        return True
