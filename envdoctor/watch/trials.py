"""Cures of a training script, tried: the training runs once more on a copy of its files, is watched
and judged. What becomes code took its findings away, with the same exit code, instances and steps;
without the changes they came again.
"""

from __future__ import annotations

import builtins
import math
import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from envdoctor.errors import UsageError
from envdoctor.model.environment_aims import CloseAtExit, CopyReturned, SeedWhenGiven
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.fixes import ChangedFile, Fix, FixedFinding, Tried
from envdoctor.model.remedy import Aim, Change
from envdoctor.model.training import Training
from envdoctor.model.training_aims import (
    BindLate,
    CloseMade,
    CopyBound,
    DeleteFolder,
    DrawOwn,
    EndEpisode,
    EndGivenUp,
    EndOnce,
    EnterContext,
    EvaluateOnly,
    GiveArgument,
    GiveSeed,
    JoinFirst,
    KeepOptions,
    LeaveWait,
    MakeHosted,
    MakeNothing,
    MakeOnce,
    MendFailure,
    OwnFiles,
    OwnSeeds,
    PlayFirst,
    RegisterWithout,
    ResetOnce,
    SeedActions,
    SeedOnce,
    SeedOther,
    SeedWorkers,
    SetBackAtEnd,
    SetBelow,
    SpreadSeeds,
)
from envdoctor.remedies.applying import NoPlaceError, changed, changes, check, merged
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.patching import digest
from envdoctor.remedies.source import File, Source
from envdoctor.rules.engine.judging import Judgement
from envdoctor.run.own_files import copy_folder, read_file, refusal
from envdoctor.run.supervise.run_directory import RunDirectory
from envdoctor.verdict.remedies import kept, kept_fix
from envdoctor.watch import reporting
from envdoctor.watch.command import RunTerms, watch

RUNS = 4  # of the training, for all of its cures, and one more without them
TIMES, LEAST = 3.0, 30.0  # of the seconds that the training took; seconds
UNKNOWN = "no code is known for its source"
STAYS = "the finding would stay"
INTERRUPTED = "it was interrupted"
STEPS, STEP = "steps", "step"
OTHERS = "the training would make other instances, or take other steps"
LATER = 2.0  # seconds
KILLED, EARLIER = -signal.SIGKILL, 0.75  # of the seconds after which it was killed
MENDS = (MendFailure,)  # the training goes on where it ended before
RESEEDS = (  # other seeds, or settings: episodes of other lengths
    BindLate,
    DrawOwn,
    CopyBound,
    CopyReturned,
    EndEpisode,
    EvaluateOnly,
    GiveArgument,
    GiveSeed,
    KeepOptions,
    MakeHosted,
    MakeNothing,
    MakeOnce,
    OwnSeeds,
    PlayFirst,
    ResetOnce,
    SeedActions,
    SeedOnce,
    SeedOther,
    SeedWhenGiven,
    SeedWorkers,
    SetBelow,
    SpreadSeeds,
)
ENDS = (CloseAtExit, CloseMade, EndGivenUp, EndOnce, EnterContext, JoinFirst, LeaveWait)
CURES = (*ENDS, DeleteFolder, OwnFiles, RegisterWithout, SetBackAtEnd, *MENDS, *RESEEDS)
OLDER, MAX_MODULES = ("arguments", "values"), 1000
NAMED = re.compile(r"""["'](\w+):\w+["']""")  # "arm:Arm"
NOT_A_SCRIPT = "only a training that is started as `python SCRIPT.py` is tried on a copy"
ENDED = {*(-sign for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)), 130, 143}

Changes = tuple[Change, ...]
Play = Callable[[Mapping[str, str]], Training]


@dataclass
class TrainingTrials:
    """Tries the cures of one training. `play` runs it again with changed files, {path: text}; only
    files below `roots` are changed.
    """

    training: Training
    judgement: Judgement
    source: Source
    roots: Sequence[str]
    play: Play
    _runs: int = 0
    _is_over: bool = False
    _free: frozenset[tuple[str, str, str]] = frozenset()  # counts that differ by themselves
    _stay: frozenset[str] = frozenset()  # the fingerprints of findings that the last run had again
    _reasons: dict[str, str] = field(default_factory=dict)  # by fingerprint

    def run(self) -> dict[str, object]:
        """Try all cures. The remedies and the fix that holds, as a run keeps them."""
        groups: dict[str, list[Finding]] = {}  # findings of several lines may share a fingerprint
        for finding in sorted(self.judgement.findings, key=lambda each: each.severity == NOTE):
            if isinstance(finding.remedy.aim, CURES):
                groups.setdefault(finding.fingerprint, []).append(finding)
        made = {name: lines for name in groups if (lines := self._changes(name, groups[name]))}
        held = self._hold(made, groups) if made and self._repeats(made, groups) else ()
        tried = {
            name: Tried(made[name], True, together=len(held) > 1)
            if name in held
            else Tried(verified=False, reason=self._reasons.get(name, UNKNOWN))
            for name in groups
        }
        fixed = merge(held, made, self.source.files)
        return {**kept(tried), **kept_fix(self._fix(fixed, groups, tried))}

    def _changes(self, name: str, findings: Sequence[Finding]) -> Changes:
        """The changes for all lines of a finding; nothing where those of one cannot be made."""
        aims = dict.fromkeys(each.remedy.aim for each in findings if each.remedy.aim)
        try:
            every = [change for aim in aims for change in self._of_aim(aim)]
            return merged(every, self.source.files)
        except NoPlaceError as error:
            self._reasons[name] = str(error)
            return ()

    def _of_aim(self, aim: Aim) -> Changes:
        """The changes of the first edits that can be made. Raises NoPlaceError without any."""
        reason = UNKNOWN
        for edits in candidates(aim, self.source):
            reason = next(filter(None, (refusal(edit.file, self.roots) for edit in edits)), "")
            try:
                made = changes(edits, self.source)
                self._texts(made)
            except NoPlaceError as error:
                reason = str(error)
            if not reason:
                return made
        raise NoPlaceError(reason)

    def _hold(
        self, made: Mapping[str, Changes], groups: Mapping[str, Sequence[Finding]]
    ) -> tuple[str, ...]:
        """The fingerprints of findings that changes cure which were tried together."""
        every = tuple(made)
        if not every or self._tries(every, made, groups):
            return every
        cured = tuple(name for name in every if name not in self._stay)
        if 0 < len(cured) < len(every) and self._tries(cured, made, groups):
            return cured
        held: tuple[str, ...] = ()
        for name in every if len(every) > 1 else ():
            if self._tries((*held, name), made, groups):
                held = (*held, name)
        return held

    def _tries(
        self,
        names: Sequence[str],
        made: Mapping[str, Changes],
        groups: Mapping[str, Sequence[Finding]],
    ) -> bool:
        """Return True where the training runs as before, without these findings."""
        findings = [finding for name in names for finding in groups[name]]
        try:
            reason = self._reason(findings, self._texts(merge(names, made, self.source.files)))
        except NoPlaceError as error:
            reason = str(error)
        self._reasons[names[-1]] = reason
        return not reason

    def _reason(self, findings: Sequence[Finding], texts: Mapping[str, str]) -> str:
        """The reason why these texts are not a cure, or nothing."""
        if self._is_over or self._runs == RUNS:
            return INTERRUPTED if self._is_over else f"the training ran {RUNS} times before"
        self._runs += 1
        after, aims = self._play(texts), [each.remedy.aim for each in findings]
        free = self._free | free_counts(aims, self.training, after)
        judgement = reporting.judgement_on(after)
        reason = differs(self.training, after, free, any(map(_goes_on, aims)))
        reason = reason or stays(findings, self.judgement, judgement)
        codes = left_in(findings, self.judgement, judgement) if reason == STAYS else ()
        self._stay = frozenset(each.fingerprint for each in findings if each.code in codes)
        self._reasons.update(dict.fromkeys(self._stay, STAYS))
        return reason

    def _play(self, texts: Mapping[str, str]) -> Training:
        after = self.play(texts)
        self._is_over = was_stopped(self.training, after)
        return after

    def _repeats(self, names: Iterable[str], groups: Mapping[str, Sequence[Finding]]) -> bool:
        """Run the training on a copy without changes. Return True where it has the findings again,
        in one process or more: without that, one that comes by chance would be gone by chance.
        Steps that are other ones than in the first run, as where nothing is seeded, may be other
        ones in the rest.
        """
        again = self._play({})
        counts, before = _counts(again), _counts(self.training)
        self._free = frozenset(
            key for key in {*counts, *before} if counts[key] != before[key] and key[-1] == STEPS
        )
        now = Counter(each.code for each in reporting.judgement_on(again).findings)
        wanted = Counter(groups[name][0].code for name in names)
        reason = differs(self.training, again, self._free)
        if not reason and any(now[code] < number for code, number in wanted.items()):
            reason = "the finding did not come again"
        self._reasons.update(dict.fromkeys(names, reason and f"without the change, {reason}"))
        return not reason

    def _texts(self, made: Changes) -> dict[str, str]:
        """The changed files. Raises NoPlaceError."""
        texts = {}
        for path in dict.fromkeys(change.file for change in made):
            file = self.source.files[path]
            texts[path] = changed(file, [change for change in made if change.file == path])
            check(file, texts[path], dir(builtins))
        return texts

    def _fix(
        self, made: Changes, groups: Mapping[str, Sequence[Finding]], tried: Mapping[str, Tried]
    ) -> Fix:
        files = self.source.files
        named = [
            FixedFinding(findings[0].code, name, tried[name].reason)
            for name, findings in groups.items()
        ]
        return Fix(
            made,
            tuple(
                ChangedFile(path, digest(files[path].data), digest(text.encode("utf-8")))
                for path, text in self._texts(made).items()
            ),
            tuple(each for each in named if tried[each.fingerprint].verified),
            tuple(each for each in named if not tried[each.fingerprint].verified),
        )


def merge(names: Iterable[str], made: Mapping[str, Changes], files: Mapping[str, File]) -> Changes:
    """The changes for several findings. Raises NoPlaceError."""
    return merged((change for name in names for change in made[name]), files)


def differs(
    before: Training,
    after: Training,
    free: Collection[tuple[str, str, str]] = (),
    goes_on: bool = False,
) -> str:
    """Name what is not as it was in a training, or nothing; `free` counts may differ. Episodes may
    end at other steps, where nothing is seeded. One that `goes_on` where it failed ends well, with
    more steps; one that was interrupted is so again, unless it has ended.
    """
    if was_stopped(before, after):
        return INTERRUPTED
    if after.seconds > limit_of(before):
        return f"the training would take more than {limit_of(before):.0f} s"
    is_killed = before.code == after.code == KILLED
    may_end_well = goes_on or before.code in ENDED or before.interrupted > 0 or is_killed
    may_fail = before.interrupted or before.code in ENDED or not goes_on
    if not (after.code == before.code and may_fail) and not (after.code == 0 and may_end_well):
        return f"the training would end with exit code {after.code}"
    if may_end_well:
        return "" if _reaches(before, after, goes_on) else OTHERS
    earlier, now = _counts(before), _counts(after)
    if any(earlier[key] != now[key] for key in {*earlier, *now}.difference(free)):
        return OTHERS
    return ""


def _reaches(before: Training, after: Training, goes_on: bool) -> bool:
    """Return True where a training of another length has environments of the same classes, and
    steps them: as often at least, where it goes on.
    """
    earlier, now = before.total(STEP), after.total(STEP)
    kinds = {each.class_name for each in before.created_here}  # of __mp_main__, where it is spawned
    has_all = kinds <= {each.class_name for each in after.created_here}
    return has_all and (now >= earlier if goes_on else now > 0 or not earlier)


def was_stopped(before: Training, after: Training) -> bool:
    """Return True where a person ended a trial: not as, and when, the training was interrupted."""
    is_other = after.code in ENDED and after.code != before.code
    return is_other or 0 < after.interrupted < interrupt_of(before)


def interrupt_of(training: Training) -> float:
    """The seconds after which a further run gets Ctrl-C, where the training got it: a little later,
    for what stood still to be seen again on a machine that is slower by then.
    """
    return training.interrupted + LATER if training.interrupted else math.inf


def kill_of(training: Training, judgement: Judgement) -> float:
    """The seconds after which a further run of a training that was killed is killed, where its
    workers are to end by themselves then: before its memory may run out again.
    """
    asked = any(ends_with_parent(each.remedy.aim) for each in judgement.findings)
    if not asked or training.code != KILLED:
        return math.inf
    return min(EARLIER * training.seconds, LEAST)


def ends_with_parent(aim: Aim | None) -> bool:
    """Return True for workers that end where their trainer is gone."""
    return isinstance(aim, EndOnce) and aim.kind == "parent"


def limit_of(training: Training) -> float:
    """The seconds that each further run of a training has."""
    return max(LEAST, TIMES * training.seconds)


def _counts(training: Training) -> Counter[tuple[str, str, str]]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for each in training.created_here:
        counts[each.type, each.by, "made"] += each.made
        counts[each.type, each.by, STEPS] += each.step.ended
    return counts


def free_counts(
    aims: Iterable[Aim | None], before: Training, after: Training
) -> frozenset[tuple[str, str, str]]:
    """The counts that differ because of what is cured: steps, where seeds are other ones; and
    instances in place of copies, where each factory makes its own; and one in place of many.
    """
    earlier, now = _counts(before), _counts(after)
    keys, free = frozenset((*earlier, *now)), frozenset[tuple[str, str, str]]()
    for aim in aims:
        if isinstance(aim, RESEEDS):
            free |= {key for key in keys if key[-1] == STEPS}
        if isinstance(aim, BindLate | MakeHosted) and _made(after) > _made(before):
            free = keys
        if isinstance(aim, MakeNothing | MakeOnce):
            free |= {key for key in keys if 0 < now[key] < earlier[key]}
    return free


def _made(training: Training) -> int:
    return sum(each.made for each in training.created_here)


def stays(findings: Sequence[Finding], before: Judgement, after: Judgement) -> str:
    """The reason why findings are not gone, or what else came; nothing where all is well. A note on
    what is closed now was true before: that it is made for each episode is seen where it is closed.
    """
    earlier = Counter(each.code for each in before.findings)
    now = Counter(each.code for each in after.findings)
    closed = {each.key for each in findings if isinstance(each.remedy.aim, CloseMade)}
    for each in after.findings:
        is_shown = each.severity == NOTE and each.key in closed
        if now[each.code] > earlier[each.code] and not is_shown:
            return f"it would bring {each.code}: {each.message}"
    return STAYS if left_in(findings, before, after) else ""


def left_in(findings: Sequence[Finding], before: Judgement, after: Judgement) -> frozenset[str]:
    """The codes of findings that are not gone. A rule that was not judged shows nothing, but where
    the training goes on, or is killed: its failure is a finding of itself, whether environments are
    known or not.
    """
    earlier = Counter(each.code for each in before.findings)
    now = Counter(each.code for each in after.findings)
    passed = {each.code for each in after.passed}
    alone = (each for each in findings if _is_own_proof(each.remedy.aim))
    passed |= {each.code for each in alone} - now.keys()
    gone = Counter(each.code for each in findings)
    fewer = {code for code, number in gone.items() if 0 < now[code] <= earlier[code] - number}
    return frozenset(gone.keys() - (passed | fewer)) | _come_again(findings, before, after)


def _come_again(findings: Sequence[Finding], before: Judgement, after: Judgement) -> frozenset[str]:
    """The codes of findings that are there as often as before, where another one of their code is
    gone. Case: processes that end, and leave descriptors.
    """
    earlier, now = (Counter(map(_kind, each.findings)) for each in (before, after))
    wanted = Counter(map(_kind, findings))
    return frozenset(kind[0] for kind, n in wanted.items() if now[kind] > max(0, earlier[kind] - n))


def _kind(finding: Finding) -> tuple[str, tuple[str, ...] | None]:
    return finding.code, finding.key


def _mends_crash(finding: Finding) -> bool:
    """Return True for a crash that is tried: it comes of how threads take turns, so that a training
    without it plays on.
    """
    aim = finding.remedy.aim
    return isinstance(aim, MendFailure) and aim.kind == "thread"


def _goes_on(aim: Aim | None) -> bool:
    """Return True where the training goes on where it ended before."""
    return isinstance(aim, MENDS) or (isinstance(aim, EndEpisode) and aim.failed)


def _is_own_proof(aim: Aim | None) -> bool:
    return _goes_on(aim) or isinstance(aim, EnterContext | SeedActions) or ends_with_parent(aim)


def place_of_script(command: Sequence[str]) -> int | None:
    """The word of a command that is its script; None where Python does not start one."""
    if not os.path.basename(command[0]).startswith(("python", "pypy")) or "-m" in command:
        return None
    return next((at for at, word in enumerate(command) if word.endswith(".py")), None)


def cures(
    roots: Sequence[str], say: Callable[[str], None]
) -> Callable[[Training, Judgement], Mapping[str, object]]:
    """Make the function that tries the cures of a training that ended."""

    def tried(training: Training, judgement: Judgement) -> Mapping[str, object]:
        at = place_of_script(training.command)
        script = os.path.realpath(training.command[at]) if at is not None else ""

        def play(texts: Mapping[str, str]) -> Training:
            say(f"the training runs again, on a copy of {os.path.basename(script)}")
            assert at is not None
            return _trial_of(training, at, script, texts, kill_of(training, judgement))

        source = _source(script, judgement)
        reason = "" if at is not None else NOT_A_SCRIPT
        is_ended = training.code < 0 or training.code in ENDED
        is_ended = is_ended and kill_of(training, judgement) == math.inf
        is_ended = is_ended and not any(map(_mends_crash, judgement.findings))
        if is_ended and not training.interrupted and training.standstill is None:
            reason = f"the training ended with exit code {training.code}"
        if reason:
            say(f"no code is tried: {reason}")
            source = Source({}, "", "")
        return TrainingTrials(training, judgement, source, roots, play).run()

    return tried


def _source(script: str, judgement: Judgement) -> Source:
    """The script and the modules below its folder that findings name: those are what a copy has."""
    folder = Path(script).parent
    aims = [finding.remedy.aim for finding in judgement.findings]
    named = (getattr(aim, name, None) for aim in aims for name in ("place", "other"))
    files: dict[str, File] = {}
    for path in (script, *(place.file for place in filter(None, named)), *_modules(script, aims)):
        is_below = Path(os.path.realpath(path)).is_relative_to(folder)
        if path not in files and is_below and not refusal(path, (str(folder),)):
            with suppress(OSError, SyntaxError, ValueError):
                files[path] = read_file(path)
    return Source(files, "", script)


def _modules(script: str, aims: Iterable[Aim | None]) -> Iterator[str]:
    """The modules beside a script that it names with a class, where an id is to be registered; and
    those below its folder that define a class which does not follow the interface of today.
    """
    failures = [aim for aim in aims if isinstance(aim, MendFailure)]
    if any(aim.kind == "id" for aim in failures):
        for module in sorted(set(NAMED.findall(Path(script).read_text(encoding="utf-8")))):
            path = Path(script).with_name(f"{module}.py")
            if path.is_file():
                yield str(path)
    names = {aim.name for aim in failures if aim.kind in OLDER and aim.name}
    for path in islice(Path(script).parent.rglob("*.py"), MAX_MODULES) if names else ():
        with suppress(OSError, SyntaxError, ValueError):
            if names & read_file(str(path)).classes.keys():
                yield str(path)


def _starts_files(training: Training, script: str, texts: Mapping[str, str]) -> bool:
    """Return True for a training in the folder of its script that starts a program of it which is
    changed, by a name without a folder: the copy has to be the one that is started.
    """
    names = {os.path.basename(path) for path in texts} - {os.path.basename(script)}
    words = {word for process in training.processes for word in process.command.split()}
    return os.path.realpath(os.curdir) == os.path.dirname(script) and not names.isdisjoint(words)


def _trial_of(
    training: Training, at: int, script: str, texts: Mapping[str, str], kill: float
) -> Training:
    """Run the training with changed files: in a folder that has all else of the script's by links,
    since Python takes modules from the script's folder, and scripts their data. Nothing of it is
    left. Raises UsageError where it cannot be started.
    """
    folder = RunDirectory()
    try:
        copy = folder.path / "copy"
        copy.mkdir()
        new = {os.path.realpath(path): text for path, text in texts.items()}
        new.setdefault(script, Path(script).read_text(encoding="utf-8"))
        copy_folder(Path(script).parent, copy, new)
        command = list(training.command)
        command[at] = str(copy / os.path.basename(script))
        seconds, interrupt = limit_of(training), interrupt_of(training)
        folder_of_copy = str(copy) if _starts_files(training, script, texts) else None
        terms = RunTerms(
            alone=True, seconds=seconds, interrupt=interrupt, kill=kill, directory=folder_of_copy
        )
        return watch(tuple(command), (), holders=False, terms=terms)
    except OSError as error:
        raise UsageError(f"the training cannot be run on a copy: {error.strerror}") from error
    finally:
        folder.close()
