"""Conditions on which a remedy that was tried on a copy counts as a cure."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from envdoctor.frameworks import DEFAULT
from envdoctor.model.environment_aims import CopyWhole, Import, Release
from envdoctor.model.errors import Frame
from envdoctor.model.events import Event
from envdoctor.model.failure_aims import KeepArguments
from envdoctor.model.finding import Finding, Location, Passed, Remedy, Skipped
from envdoctor.model.fixes import Tried
from envdoctor.model.remedy import LAST, Edit
from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import FILE, Subject
from envdoctor.model.trace import FINISHED, INTERRUPTED, SIGNALLED, TIMED_OUT, Outcome, Trace
from envdoctor.plan.scenarios import vector_life
from envdoctor.remedies.source import File, Source
from envdoctor.rules.close.cls007_close_leaves_threads import close_leaves_threads
from envdoctor.rules.engine.examples import fact, raised, trace, verb
from envdoctor.rules.engine.judging import Judgement
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.reuse.rus005_handle_rebuilt_every_reset import handle_rebuilt_every_reset
from envdoctor.run.copy_trial import MAX_PLACES, NONE, STAYS, CopyTrial, Where, _places
from envdoctor.run.remedies import PLAYS, Trials
from envdoctor.run.supervise.session import Session
from envdoctor.verdict.diagnosis import RunEvidence
from envdoctor.verdict.remedies import with_code

SUBJECT = Subject("arm.py", FILE)
ASYNC = ("gymnasium-async", "fork")


def finding(place: tuple[str, str | None] = ("direct", None), message: str = "m") -> Finding:
    return Finding("CLS001", "n", "error", message, Remedy("r"), "arm.py", *place)


def passed(place: tuple[str, str | None] = ("direct", None)) -> Passed:
    return Passed("CLS001", "arm.py", *place)


def trial(*traces: Trace, after: Judgement) -> CopyTrial:
    made = CopyTrial(cast("Session", None), RunEvidence(SUBJECT, ()), ())
    made.traces, made.after = list(traces), after
    return made


def life(place: tuple[str, str | None] = ("direct", None), kind: str = FINISHED) -> Trace:
    return Trace(Scenario("life", "make close", *place), Outcome(kind))


@pytest.mark.parametrize(
    ("after", "cured"),
    [
        (Judgement(passed=(passed(),)), True),
        (Judgement(), False),
        (Judgement(findings=(finding(),)), False),
    ],
)
def test_a_rule_has_to_pass(after: Judgement, cured: bool) -> None:
    before = Judgement(findings=(finding(),))
    assert trial(life(), after=after).cures(before.findings, before) is cured


def test_a_place_that_was_not_played_is_not_cured() -> None:
    before = Judgement(findings=(finding(ASYNC),))
    stopped = trial(life(kind=INTERRUPTED), after=Judgement(passed=(passed(),)))
    assert not stopped.cures(before.findings, before)
    played = trial(life(), life(ASYNC), after=Judgement(passed=(passed(), passed(ASYNC))))
    assert played.cures(before.findings, before)


def test_finding_that_could_not_be_judged_is_not_said_to_stay() -> None:
    again = trial(life(), after=Judgement(findings=(finding(),)))
    assert again.stays([finding()]) == STAYS
    reason = "12 of 20 cycles were played"
    unjudged = trial(life(), after=Judgement(skipped=(Skipped("CLS001", "", "direct", reason),)))
    assert not unjudged.cures([finding()], Judgement(findings=(finding(),)))
    assert unjudged.stays([finding()]) == (
        f"whether the finding would be gone is not known: {reason}"
    )


def test_rest_that_bears_another_name_is_not_cured() -> None:
    keys = {name: finding().but(key=(name,)) for name in ("server", "weather.thread", "weather")}
    before = Judgement(findings=(keys["server"], keys["weather.thread"]))
    rest = trial(life(), after=Judgement(findings=(keys["weather.thread"],)))
    assert rest.cures([keys["server"]], before)
    assert not rest.cures([keys["weather.thread"]], before)
    renamed = trial(life(), after=Judgement(findings=(keys["weather"],)))
    assert not renamed.cures([keys["weather.thread"]], before)


SYNC = ("gymnasium-sync", None)


def calls(*raising: str) -> Trace:
    """The life of a vectorizer, in which these calls raise."""
    verbs = ("make", "reset", "close")
    states = {verb: "raised" if verb in raising else "ended" for verb in verbs}
    events = tuple(verb(name, states[name]) for name in verbs)
    return Trace(vector_life(*SYNC), Outcome(FINISHED), events)


@pytest.mark.parametrize(
    ("raised", "now", "judged", "cured"),
    [
        (("reset",), ("reset",), close_leaves_threads, True),
        (("reset", "close"), ("reset",), close_leaves_threads, True),
        (("reset",), ("reset", "close"), close_leaves_threads, False),
        (("close",), ("reset",), close_leaves_threads, False),
        (("reset",), (), close_leaves_threads, False),
        (("reset",), ("reset",), handle_rebuilt_every_reset, False),
    ],
)
def test_place_in_which_the_same_call_still_raises_is_read_as_far(
    raised: tuple[str, ...], now: tuple[str, ...], judged: Rule, cured: bool
) -> None:
    before = Judgement(findings=(finding(SYNC).but(code=judged.code),))
    made = trial(calls(*now), after=Judgement())
    made.rules, made.evidence = (judged,), RunEvidence(SUBJECT, (calls(*raised),))
    assert made.cures(before.findings, before) is cured


def test_difference_of_a_copy_is_not_cured_where_no_copy_can_be_made() -> None:
    copying = finding().but(remedy=Remedy("r", aim=CopyWhole()))
    after = Judgement(passed=(passed(),))
    for failed, cured in ((None, True), ("TypeError: cannot pickle 'MjSim' object", False)):
        copied = trace(fact("copied", {"failed": failed}), name="copied")
        assert trial(life(), copied, after=after).cures([copying], Judgement((copying,))) is cured


@pytest.mark.parametrize(
    ("copied", "cured"),
    [
        ([fact("copied", {"failed": None})], True),
        ([fact("copied", {"failed": "AttributeError: steps"}), fact("continued-copy", {})], True),
        ([fact("copied", {"failed": "TypeError: cannot pickle 'MjSim' object"})], False),
        ([], False),
    ],
    ids=["it goes on", "it begins again", "it is refused", "it was not played"],
)
def test_instance_that_could_not_be_copied_is_cured_where_it_can(
    copied: list[Event], cured: bool
) -> None:
    aim = KeepArguments(Frame("arm.py", 3))
    refused = finding().but(remedy=Remedy("r", aim=aim))
    begins_again = Judgement(findings=(finding(),))
    copy_trial = trial(life(), trace(*copied, name="copied"), after=begins_again)
    assert copy_trial.cures([refused], Judgement((refused,))) is cured


def test_note_withholds_a_cure_only_where_its_rule_has_passed_before() -> None:
    note = finding().but(code="REG006", severity="note")
    made = trial(life(), after=Judgement(findings=(note,)))
    could = Judgement(passed=(Passed("REG006", "arm.py", "direct"),))
    assert made.brings(could) == "it would bring REG006: m"
    assert made.brings(Judgement()) == ""
    worse = trial(life(), after=Judgement(findings=(note.but(severity="warning"),)))
    assert worse.brings(Judgement()) == "it would bring REG006: m"


GREW_NOT = Judgement(passed=(Passed("LEK001", "arm.py", "direct"),))
LINE = "        self.log.append(1)"


@pytest.mark.parametrize(
    ("code", "file", "line", "before", "brings"),
    [
        ("LEK001", "arm.py", 4, Judgement(), False),  # the line moved
        ("LEK001", "/lib/logging.py", 9, Judgement(), False),
        ("LEK001", "arm.py", 2, Judgement(), True),  # what the copy got
        ("LEK001", "arm.py", 9, Judgement(), True),  # no line of it
        ("LEK001", "", 0, Judgement(), True),
        ("CLS001", "arm.py", 4, Judgement(), True),
        ("LEK001", "arm.py", 4, GREW_NOT, True),
    ],
)
def test_growth_that_was_hidden_before_withholds_no_cure(
    code: str, file: str, line: int, before: Judgement, brings: bool, tmp_path: Path
) -> None:
    original, copy = tmp_path / "arm.py", tmp_path / "0-arm.py"
    original.write_text(f"class Arm:\n    def step(self):\n{LINE}\n")
    copy.write_text(f"class Arm:\n    kept = []\n    def step(self):\n{LINE}\n")
    place = Location(str(tmp_path / file), line) if file else None
    seen = finding().but(code=code, location=place)
    made = trial(life(), after=Judgement(findings=(seen,)))
    subject = replace(SUBJECT, copies={str(original): str(copy)})
    made.evidence = replace(made.evidence, subject=subject)
    assert bool(made.brings(before)) is brings


@pytest.mark.parametrize(
    ("line", "message", "brings"),
    [
        (4, "reset() raises RuntimeError: it ended with exit code 3, in 2 calls", False),
        (4, "reset() raises OSError: no such device, in 2 calls", True),  # another one
        (2, "reset() raises RuntimeError: it ended with exit code 3, in 2 calls", True),
    ],
    ids=["a line of the cure raises it", "another error", "it was raised before"],
)
def test_error_that_a_call_raises_in_place_of_a_hang_withholds_no_cure(
    line: int, message: str, brings: bool, tmp_path: Path
) -> None:
    original, copy = tmp_path / "arm.py", tmp_path / "0-arm.py"
    original.write_text("def reset(self):\n    raise RuntimeError(3)\n    wait()\n")
    copy.write_text(
        "def reset(self):\n    raise RuntimeError(3)\n    if ended():\n        raise Lost(3)\n"
    )
    error = raised("RuntimeError", "it ended with exit code 3", str(original), line, "reset")
    failed = trace(verb("reset", "raised", error=error))
    made = trial(failed, after=Judgement(findings=(finding(message=message),)))
    subject = replace(SUBJECT, copies={str(original): str(copy)})
    made.evidence = replace(made.evidence, subject=subject)
    assert bool(made.brings(Judgement())) is brings


FLOAT = verb("step:20", "raised", error=raised("TypeError", "only 0-dimensional arrays"))


@pytest.mark.parametrize(
    ("earlier", "now", "brings"),
    [
        (trace(verb("step:20")), trace(FLOAT), True),
        (trace(FLOAT), trace(FLOAT), False),  # it raised before
        (trace(verb("step:20", "began"), outcome=TIMED_OUT, verb="step:20"), trace(FLOAT), False),
        (trace(verb("step:20")), trace(FLOAT, name="reopen"), False),
        (trace(verb("step:20")), trace(verb("step:20")), False),
    ],
    ids=["a call raises", "it raised before", "it hung before", "of a closed one", "all is well"],
)
def test_cure_with_which_a_plain_call_raises_is_refused(
    earlier: Trace, now: Trace, brings: bool
) -> None:
    """Case: float(reward), of which a checker reported no more than before."""
    made = trial(now, after=Judgement())
    made.evidence = replace(made.evidence, traces=(earlier,))
    said = "with it, step() raises TypeError: only 0-dimensional arrays"
    assert made.brings(Judgement()) == (said if brings else "")


def growing(kept: str = "reset", **per_operation: float) -> Finding:
    evidence = {"per_operation": per_operation}
    return finding().but(code="LEK008", key=("one instance", kept), evidence=evidence)


@pytest.mark.parametrize(
    ("now", "is_new"),
    [
        (growing(reset=2), False),
        (growing("episode", episode=2), False),
        (growing("cycle", cycle=1), False),
        (growing(reset=3), True),
        (growing("step", step=1), True),
        (growing("env.OPEN", reset=2), True),
        (growing(reset=2).but(code="LEK005"), True),
        (growing(reset=2).but(manager="a"), True),
    ],
)
def test_growth_that_another_side_of_a_life_shows_is_not_new(now: Finding, is_new: bool) -> None:
    """Case: files of reset() that an instance in whole episodes shows, once threads end."""
    before = Judgement(findings=(growing(reset=2),))
    after = trial(life(), after=Judgement(findings=(growing(reset=2), now)))
    assert bool(after.brings(before)) is is_new


def test_growth_that_could_not_be_judged_before_is_shown_and_not_brought() -> None:
    after = trial(life(), after=Judgement(findings=(growing(reset=2),)))
    assert after.brings(Judgement()) == "it would show LEK008: m"
    judged_before = Judgement(passed=(Passed("LEK008", "arm.py", "direct"),))
    assert after.brings(judged_before) == "it would bring LEK008: m"


def test_more_places_than_are_tried_go_by_the_first_ones() -> None:
    places = [("a", None), ("b", None), ("c", None)]
    before = Judgement(findings=tuple(map(finding, places)))
    assert len(places) > MAX_PLACES
    first = tuple(map(passed, places[:MAX_PLACES]))
    assert trial(after=Judgement(passed=first)).cures(before.findings, before)
    assert not trial(after=Judgement(passed=first[1:])).cures(before.findings, before)


def test_first_places_of_each_rule_are_played() -> None:
    """Case: temporary files of workers that are forked and spawned, beside threads of others."""
    places = [("sync", None), ("async", "fork"), ("async", "spawn")]
    files, threads = map(finding, places[1:]), finding(places[0]).but(code="CLS007")
    assert _places([threads, *files]) == places


@pytest.mark.parametrize(
    ("kind", "unedited", "stops"),
    [
        (FINISHED, False, False),
        (SIGNALLED, False, True),
        (SIGNALLED, True, False),
        (TIMED_OUT, True, True),
    ],
)
def test_play_without_an_edit_goes_on_after_a_death(kind: str, unedited: bool, stops: bool) -> None:
    """Case: softgym, where a life ends the process, and two at once are compared after that."""
    made = trial(life(kind=kind), after=Judgement())
    made.unedited = unedited
    assert made._stops is stops


class _Recorder:
    """A session that notes with which seed it is asked to play."""

    def __init__(self, directory: Any) -> None:
        self.directory = directory
        self.seeds: list[int] = []

    def renew(self) -> None:
        pass

    def play(self, _subject: Subject, scenario: Scenario, seed: int, _spaces: Any) -> Trace:
        self.seeds.append(seed)
        return Trace(scenario, Outcome(FINISHED))


def test_the_copy_is_played_with_the_same_seed(tmp_path: Any) -> None:
    session = _Recorder(tmp_path)
    CopyTrial(cast("Session", session), RunEvidence(SUBJECT, ()), (), seed=7).play_for([finding()])
    assert session.seeds == [7]


class _Hanging(_Recorder):
    """A session in which step() of a closed instance hangs."""

    def play(self, subject: Subject, scenario: Scenario, seed: int, spaces: Any) -> Trace:
        super().play(subject, scenario, seed, spaces)
        events = tuple(fact(name, {"found": True} if name == "survey" else {}) for name in KNOWN)
        kind = TIMED_OUT if scenario.traits.reopens else FINISHED
        return Trace(scenario, Outcome(kind), events=events)


KNOWN = ("survey", "described")


def test_place_of_a_finding_is_played_before_a_closed_instance_that_may_hang(tmp_path: Any) -> None:
    session = _Hanging(tmp_path)
    made = CopyTrial(cast("Session", session), RunEvidence(SUBJECT, ()), ())
    made.play_for([finding(ASYNC)])
    played = [trace.scenario.place for trace in made.traces]
    closed = [trace.scenario.traits.reopens for trace in made.traces]
    assert ASYNC in played
    assert closed.index(True) > played.index(ASYNC)


def test_without_time_nothing_is_played_and_the_reason_is_known(tmp_path: Path) -> None:
    path = str(tmp_path / "arm.py")
    source = Source({path: File(path, "class Arm:\n    pass\n")}, "Arm", path, DEFAULT)
    trials = Trials(
        cast("Session", None), RunEvidence(SUBJECT, ()), (), Judgement(), lambda _: None, plays=0
    )
    trials._read = source
    aimed = finding().but(remedy=Remedy("r", aim=Import(path, "import shutil")))
    assert trials._try([aimed], source) == Tried(reason="the time for remedies was over")


def test_copies_are_counted_and_not_timed(tmp_path: Path) -> None:
    path = str(tmp_path / "arm.py")
    source = Source({path: File(path, "class Arm:\n    pass\n")}, "Arm", path, DEFAULT)
    trials = Trials(
        cast("Session", None), RunEvidence(SUBJECT, ()), (), Judgement(), lambda _: None, plays=2
    )
    trials._read, trials._number = source, 2
    aimed = finding().but(remedy=Remedy("r", aim=Import(path, "import shutil")))
    reason = "2 copies were played for other remedies before"
    assert trials._try([aimed], source) == Tried(reason=reason)


@pytest.mark.parametrize(
    ("tried", "text"),
    [
        (Tried(reason="time was over"), "r. Code for it was not tried: time was over."),
        (Tried(verified=False, reason="the finding would stay"), "r"),
        (
            Tried(verified=True),
            "r. Verified on a copy: this finding is gone, and nothing new came.",
        ),
    ],
)
def test_a_remedy_says_whether_it_was_tried(tried: Tried, text: str) -> None:
    aimed = finding().but(remedy=Remedy("r:", aim=Release("file", ())))
    told = with_code(aimed, {aimed.fingerprint: tried})
    assert told.remedy.text.rstrip(":") == text


class _Played:
    """A copy that was played: it brings something where it has the `bad` text, and cures the
    findings whose statements it has, without those that `need` another statement. A finding of
    CLS009 comes in each play, also without an edit.
    """

    lacks = ""
    after = Judgement(findings=(finding().but(code="CLS009"),))
    quarrel = ("import quarrel_a", "import quarrel_b")  # well apart

    def __init__(self, text: str, needs: dict[str, str]) -> None:
        self.text, self.needs = text, needs

    def brings(self, _before: Judgement, unedited: Counter[Where] = NONE) -> str:
        if "import odd" in self.text and not unedited["CLS009", "direct", None]:
            return "it would bring CLS009"
        quarrels = all(statement in self.text for statement in self.quarrel)
        return "it would bring CLS002" if "import bad" in self.text or quarrels else ""

    def stays(self, _findings: Any) -> str:
        return STAYS

    def sees(self, findings: Any) -> list[Finding]:
        return [each for each in findings if "fleeting" not in each.message]

    def cures(self, findings: Any, _before: Judgement) -> bool:
        statement = findings[0].remedy.aim.statement
        return statement in self.text and self.needs.get(statement, "") in self.text


class _Trials(Trials):
    """Trials whose copies are judged by their text."""

    needs: dict[str, str]
    texts: list[str]

    def _play(self, _findings: Any, texts: dict[str, str], _source: Source) -> Any:
        if not texts:
            return _Played("", self.needs)
        self._number += 1
        self.texts.append(next(iter(texts.values())))
        return _Played(self.texts[-1], self.needs)


def tried(
    path: Path,
    *modules: str,
    needs: dict[str, str] | None = None,
    family: str = "CLS",
    plays: int = PLAYS,
) -> _Trials:
    """Remedies that import these modules, tried; `trials.outcome` by module."""
    path.write_text("class Arm:\n    pass\n")
    findings = tuple(
        finding(message=module).but(
            code=f"{family}00{at}", remedy=Remedy("r", aim=Import(str(path), f"import {module}"))
        )
        for at, module in enumerate(modules)
    )
    trials = _Trials(
        cast("Session", None),
        RunEvidence(SUBJECT, ()),
        (),
        Judgement(findings),
        lambda _: None,
        plays,
    )
    trials.needs, trials.texts = needs or {}, []
    source = Source({str(path): File(str(path), path.read_text())}, "Arm", str(path), DEFAULT)
    trials._source = lambda: source  # type: ignore[method-assign]
    outcome = trials.run()
    trials.outcome = {  # type: ignore[attr-defined]
        module: outcome[each.fingerprint] for module, each in zip(modules, findings, strict=True)
    }
    return trials


def test_remedies_are_tried_in_halves_where_together_they_bring_something(tmp_path: Path) -> None:
    trials = tried(tmp_path / "arm.py", "glob", "shlex", "bad", "shutil")
    verified = {module: one.verified for module, one in trials.outcome.items()}  # type: ignore[attr-defined]
    assert verified == {"glob": True, "shlex": True, "bad": False, "shutil": True}
    assert [text.count("import") for text in trials.texts] == [4, 2, 4, 3, 3]


def test_remedy_that_is_left_is_tried_beside_those_that_cure(tmp_path: Path) -> None:
    trials = tried(tmp_path / "arm.py", "glob", "shlex", needs={"import shlex": "import never"})
    assert len(trials.texts) == 3
    assert all("import glob" in text for text in trials.texts)
    assert trials.outcome["shlex"].reason == "the finding would stay"  # type: ignore[attr-defined]
    assert not trials.outcome["glob"].together  # type: ignore[attr-defined]


@pytest.mark.parametrize("waiting", [("glob",), ("glob", "shlex")])
def test_remedy_that_needs_a_later_one_is_tried_again(
    waiting: tuple[str, ...], tmp_path: Path
) -> None:
    needs = {f"import {module}": "import wave" for module in waiting}
    trials = tried(tmp_path / "arm.py", *waiting, "bad", "wave", needs=needs)
    verified = {module: each.verified for module, each in trials.outcome.items()}  # type: ignore[attr-defined]
    assert verified == {**dict.fromkeys(waiting, True), "bad": False, "wave": True}


def test_remedy_for_growth_is_tried_once(tmp_path: Path) -> None:
    needs = {"import glob": "import never"}
    trials = tried(tmp_path / "arm.py", "glob", "bad", "wave", needs=needs, family="LEK")
    assert [text.count("import") for text in trials.texts] == [3, 2, 1, 1, 1]


def test_reason_of_a_first_trial_stays_where_no_copy_is_left(tmp_path: Path) -> None:
    needs = {"import glob": "import wave"}
    trials = tried(tmp_path / "arm.py", "glob", "bad", "wave", needs=needs, plays=5)
    assert len(trials.texts) == 5
    assert trials.outcome["glob"].reason == "the finding would stay"  # type: ignore[attr-defined]


def test_cure_that_another_edit_of_its_copy_made_is_none(tmp_path: Path) -> None:
    """Case: a wrapper that closes what it wraps, where only another edit mends what that leaves."""
    needs = {"import glob": "import shlex", "import shlex": "import never"}
    trials = tried(tmp_path / "arm.py", "glob", "shlex", "wave", "shutil", needs=needs)
    verified = {module: each.verified for module, each in trials.outcome.items()}  # type: ignore[attr-defined]
    assert verified == {"glob": False, "shlex": False, "wave": True, "shutil": True}
    assert {len(findings) for findings, _ in trials.held} == {1}
    assert [text.count("import") for text in trials.texts] == [4, 3, 2, 3, 3]


def test_remedies_that_work_alone_and_not_together_are_not_both_shown(tmp_path: Path) -> None:
    trials = tried(tmp_path / "arm.py", "quarrel_a", "glob", "quarrel_b", "shlex")
    verified = {module: each.verified for module, each in trials.outcome.items()}  # type: ignore[attr-defined]
    assert verified == {"quarrel_a": True, "glob": True, "quarrel_b": False, "shlex": True}


def test_finding_of_an_unedited_play_is_not_brought_by_a_remedy(tmp_path: Path) -> None:
    trials = tried(tmp_path / "arm.py", "odd")
    assert trials.outcome["odd"].verified  # type: ignore[attr-defined]


def test_finding_that_disappears_without_a_remedy_is_not_cured(tmp_path: Path) -> None:
    trials = tried(tmp_path / "arm.py", "glob", "fleeting")
    told = trials.outcome  # type: ignore[attr-defined]
    assert {module: one.verified for module, one in told.items()} == {
        "glob": True,
        "fleeting": False,
    }
    assert told["fleeting"].reason == "the finding did not come again without it, in the same plays"


def test_finding_comes_again_where_its_rule_makes_one_in_the_same_place() -> None:
    unedited = trial(life(), after=Judgement(findings=(finding(message="other words"),)))
    assert unedited.sees([finding()]) == [finding()]
    assert unedited.sees([finding(ASYNC)]) == []


@pytest.mark.parametrize("kind", [TIMED_OUT, SIGNALLED])
def test_end_that_came_again_speaks_for_the_places_that_it_kept_from_being_played(
    kind: str,
) -> None:
    again = Judgement(findings=(finding(),))
    ended = trial(life(kind=kind), after=again)
    assert ended.sees([finding(), finding(ASYNC)]) == [finding(), finding(ASYNC)]
    stopped = trial(life(kind=INTERRUPTED), after=again)
    assert stopped.sees([finding(), finding(ASYNC)]) == [finding()]
    played = trial(life(), life(ASYNC, TIMED_OUT), after=Judgement())
    assert played.sees([finding(), finding(ASYNC)]) == []


@pytest.mark.parametrize(("plays", "copies"), [(4, [{1, 3}, {0, 2}]), (3, [{0, 1, 2, 3}])])
def test_growth_is_tried_after_the_others_where_copies_are_left(
    plays: int, copies: list[set[int]]
) -> None:
    groups = [[finding().but(code=code)] for code in ("LEK005", "CLS006", "LEK006", "PRC002")]
    trials = Trials(
        cast("Session", None), RunEvidence(SUBJECT, ()), (), Judgement(), lambda _: None, plays
    )
    chosen = dict.fromkeys(range(4), (Edit("arm.py", LAST, ("end()",)),))
    assert [set(each) for each in trials._parted(chosen, groups)] == copies
    assert trials._parted(dict.fromkeys((1,), ()), groups) == [{1: ()}]
