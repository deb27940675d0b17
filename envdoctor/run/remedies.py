"""Remedies tried: edits are applied to a copy of the user's files, which is played in place of the
original, and the rules judge it. Only what cures its finding, and brings nothing new, becomes code.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path

from envdoctor.analysis.undefined_names import undefined
from envdoctor.frameworks import DEFAULT, profile_of_api
from envdoctor.model.facts import Sources
from envdoctor.model.finding import NOTE, Finding, Location
from envdoctor.model.fixes import ChangedFile, Fix, Tried
from envdoctor.model.remedy import FIRST, LAST, Change, Edit
from envdoctor.remedies.applying import NoPlaceError, changed, changes, check
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.patching import digest
from envdoctor.remedies.source import Source
from envdoctor.rules.engine.judging import Judgement
from envdoctor.rules.engine.registry import Rule
from envdoctor.run.copy_trial import STAYS, UNSEEN, CopyTrial, Where, counted, is_seen_once
from envdoctor.run.own_files import read_file
from envdoctor.run.supervise.session import Session
from envdoctor.verdict.diagnosis import RunEvidence
from envdoctor.verdict.triage import GROWTH

PLAYS = 12  # copies that are played for all remedies of one subject
PARTED = 4  # copies, with which two are begun with
MAX_TRIALS = 5  # sets of edits that are played for one remedy
LATE = "the time for remedies was over"
GONE_BY_ITSELF = "the finding did not come again without it, in the same plays"
SECONDS = 180.0  # after which no further copy is played: what is left says that it was not tried
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
    _is_compared: bool = False  # with a play without an edit
    _read: Source | None = None
    cures: list[Cure] = field(default_factory=list)
    held: tuple[Cure, ...] = ()
    _proof: CopyTrial | None = None

    def __post_init__(self) -> None:
        """Begin the time."""
        self.extend()

    def run(self) -> dict[str, Tried]:
        """Return the result of each remedy, by the fingerprint of its finding."""
        source = self._read = self._source()
        if source is None:
            return {}
        groups = self._grouped()
        done: dict[int, Tried] = {}
        for chosen in self._parted(self._chosen(groups, source), groups):
            done.update(self._try_together(chosen, groups))
        earlier: dict[int, int] = {}  # the number of cures when a remedy was tried alone
        for at, findings in enumerate(groups):
            if at not in done:
                earlier[at] = len(self.cures)
                done[at] = self._try(findings, source)
        stays = [  # growth was tried beside all the rest
            at
            for at, cures in earlier.items()
            if done[at].reason.startswith((STAYS, UNSEEN)) and cures < len(self.cures)
            if not groups[at][0].code.startswith(GROWTH)
        ]
        done |= self._try_again(stays, groups)
        return {
            finding.fingerprint: done[at]
            for at, findings in enumerate(groups)
            for finding in findings
        }

    def _parted(
        self, chosen: dict[int, tuple[Edit, ...]], groups: Sequence[Sequence[Finding]]
    ) -> list[dict[int, tuple[Edit, ...]]]:
        """The edits that are tried together: those for growth after the others, where there are
        copies for both. Cycles take long, and show what other faults hid.
        """
        grow = {at for at in chosen if groups[at][0].code.startswith(GROWTH)}
        others = {at: edits for at, edits in chosen.items() if at not in grow}
        if not grow or len(others) < 2 or self.plays < PARTED:
            return [chosen]
        return [others, {at: chosen[at] for at in chosen if at in grow}]

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
        source, texts = self._read, self._together(chosen)
        if len(chosen) < 2 or self._refusal or source is None or not texts:
            return {}
        self.progress(f"{self.evidence.subject.text} {len(chosen)} remedies")
        findings = [each for at in chosen for each in groups[at]]
        trial, done = self._play(findings, texts, source), dict[int, Tried]()
        if not trial.brings(self.judgement):
            cured = [at for at in chosen if trial.cures(groups[at], self.judgement)]
            if cured:
                self._play_unedited(findings, source)
            cured = [at for at in cured if self._come_again(groups[at])]
            cures = {at: chosen[at] for at in cured}
            chosen = {at: edits for at, edits in chosen.items() if at not in cures}
            if self._together(cures) == texts:
                done = self._hold(cures, groups, trial)
            else:  # another edit of this copy may have helped
                done = self._try_together(cures, groups)
        # Code that raises hides what the rest cures: without it, the rest is seen.
        rest, middle = list(chosen.items()), len(chosen) // 2
        done |= self._try_together(dict(rest[:middle]), groups)
        return done | self._try_together(dict(rest[middle:]), groups)

    def _together(self, chosen: Mapping[int, tuple[Edit, ...]]) -> dict[str, str]:
        """The files with these edits, beside those that cure others; nothing where they do not fit
        together.
        """
        source = self._read
        every = (*self._cured, *(edit for edits in chosen.values() for edit in edits))
        with suppress(NoPlaceError):
            return self._texts(changes(every, source), source) if source else {}
        return {}

    def _hold(
        self,
        cures: Mapping[int, tuple[Edit, ...]],
        groups: Sequence[Sequence[Finding]],
        trial: CopyTrial,
    ) -> dict[int, Tried]:
        """Keep what one copy cured that had these edits, and no others beside those of before."""
        source = self._read
        assert source is not None
        if not self._cured:
            self.held, self._proof = tuple((list(groups[at]), cures[at]) for at in cures), trial
        self._cured += tuple(edit for edits in cures.values() for edit in edits)
        self.cures += [(list(groups[at]), edits) for at, edits in cures.items()]
        return {
            at: Tried(changes(edits, source), True, together=True) for at, edits in cures.items()
        }

    def _try_again(
        self, stays: Sequence[int], groups: Sequence[Sequence[Finding]]
    ) -> dict[int, Tried]:
        """The remedies of findings that stayed, beside what was cured since: what a wrapper does
        not close cannot be closed right.
        """
        source = self._read
        assert source is not None
        if len(stays) < 2:
            again = {at: self._try(groups[at], source) for at in stays}
            return {at: tried for at, tried in again.items() if tried.verified}
        chosen = self._chosen(groups, source)
        return self._try_together({at: chosen[at] for at in stays if at in chosen}, groups)

    def _grouped(self) -> list[list[Finding]]:
        """Findings with the same rule and aim, those of several managers together; worst first."""
        groups: dict[tuple[str, str], list[Finding]] = {}
        for finding in self.judgement.findings:
            if finding.remedy.aim is not None:
                groups.setdefault((finding.code, repr(finding.remedy.aim)), []).append(finding)
        return sorted(groups.values(), key=lambda group: group[0].severity == NOTE)

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
        if not files:
            return None
        home = known.source or Location("", 0)
        name = known.env_class.rpartition(".")[2] or home.function  # where none could be made
        if known.source is not None and home.file not in files:
            name = ""  # a library's, in wrappers of the user's own
        return Source(files, name, home.file, profile_of_api(known.api) or DEFAULT)

    def _paths(self) -> Iterator[str]:
        frames = [
            frame.file
            for finding in self.judgement.findings
            for frame in (
                *getattr(finding.remedy.aim, "places", ()),
                getattr(finding.remedy.aim, "place", None),
                finding.location,
            )
            if frame is not None
        ]
        methods = self.evidence.known.methods.values()
        named = [
            *(module.file for module in self._sources.modules),
            *(place.file for place in (*methods, self.evidence.known.source) if place),
        ]
        for path in filter(None, dict.fromkeys([*named, *frames])):
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
                if together or not self._cured:
                    self._cured += edits
                self.cures.append((list(findings), edits))
                if len(self.cures) == 1:
                    self.held, self._proof = tuple(self.cures), trial
                return Tried(made, True, together=together)
            reason = reason or trial.lacks or trial.stays(findings)
        return Tried(verified=False, reason=reason)

    def _brings(self, trial: CopyTrial, findings: Sequence[Finding], source: Source) -> str:
        """Return what a trial brings that the same plays without an edit do not have, or nothing: a
        copy is also played in ways in which the environment was not.
        """
        reason = trial.brings(self.judgement)
        if reason:
            self._play_unedited(findings, source, briefly=True)
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
            return trial.lacks or trial.stays(findings)
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

    def _play_unedited(
        self, findings: Sequence[Finding], source: Source, *, briefly: bool = False
    ) -> None:
        """See whether findings come again where the same is played without an edit: one that needs
        what an earlier play left in the process would be gone in any copy. `briefly`: also for
        growth, without its cycles, to see what the short plays bring by themselves.
        """
        asked = [each for each in findings if not is_seen_once(each)]
        is_known = all(each.fingerprint in self._comes_again for each in asked)
        if self._is_late or (is_known and (asked or self._is_compared or not briefly)):
            return
        self._is_compared = True
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

    def _play(
        self, findings: Sequence[Finding], texts: dict[str, str], source: Source
    ) -> CopyTrial:
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
        trial = CopyTrial(self.session, evidence, self.rules, self.seed, self.is_over, not texts)
        trial.read = self._undefined({**{p: f.text for p, f in source.files.items()}, **texts})
        trial.play_for(findings)
        trial.judge()
        return trial

    def _undefined(self, texts: dict[str, str]) -> dict[str, object]:
        """Return the input of API010 for the changed files."""
        known = self._known()
        result = [
            asdict(item) for path, text in texts.items() for item in undefined(path, text, known)
        ]
        return {**self.evidence.read, "undefined": result}
