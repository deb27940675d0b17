"""Saved runs: written as they go, read as far as they are readable, merged, and judged as they
were.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envdoctor.errors import EnvdoctorError, UsageError
from envdoctor.model.report import INCONCLUSIVE, Report
from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import ID, Subject
from envdoctor.model.trace import INTERRUPTED, Outcome, Trace
from envdoctor.reporters import reporter
from envdoctor.rules.engine.examples import (
    compared,
    fact,
    growing,
    instance,
    life_trace,
    raised,
    trace,
    verb,
)
from envdoctor.rules.engine.registry import all_rules
from envdoctor.saved import lines_v1 as lines
from envdoctor.saved.judging import report_again
from envdoctor.saved.reading import read_runs
from envdoctor.saved.writing import RunFile, check_free
from envdoctor.verdict.diagnosis import Examined, Run, RunEvidence, judged, report_on

RUN = Run(7, 3.5, ("envdoctor", "check"), {"system": "Linux", "python": "3.11.7"}, "0.1.0")
CODES = tuple(all_rules())
SURVEY: dict[str, Any] = {
    "found": True,
    "env_class": "sick.Sick",
    "frameworks": {"gymnasium": "1.4.0", "python": "3.11.7"},
    "executable": "py",
}


def survey(**known: Any) -> Trace:
    return trace(fact("survey", {**SURVEY, **known}), name="survey", script="survey")


def closing_badly(manager: str = "direct", error: Any = None, **fields: Any) -> Trace:
    """A life whose close() raised."""
    error = error or raised()
    close = [verb("close", "raised", error=error), instance("close-raised", error=error)]
    return trace(
        verb("make"),
        verb("reset"),
        verb("step:20"),
        *close,
        verb("drop"),
        manager=manager,
        **fields,
    )


def ended(played: Trace) -> Trace:
    return replace(
        played,
        events=(
            *played.events,
            {"event": "scenario", "t": 0.0, "pid": 1, "state": "ended", "dirty": []},
        ),
    )


def seen(
    *traces: Trace, spec: str = "Sick-v0", leak_checked: bool = False, **fields: Any
) -> RunEvidence:
    subject = Subject(spec, ID, spec, directory="/home/ana/lab", kwargs=fields.pop("kwargs", {}))
    all_of_them = tuple(map(ended, (survey(), *traces)))
    return RunEvidence(
        subject,
        all_of_them,
        {"cores": 8, "memory": 2**33},
        {"undefined": []},
        leak_checked=leak_checked,
        seconds=1.5,
        **fields,
    )


SICK = seen(
    closing_badly(),
    *growing(objects=2),
    life_trace("reopen", before={"files": {}}, held={"files": {"/home/ana/x": "1 bytes"}}),
)
OTHER = seen(closing_badly("gymnasium-sync"), spec="Other-v0")


def examined(*all_seen: RunEvidence) -> list[Examined]:
    return [Examined(one, judged(one, all_rules().values())) for one in all_seen]


def live(*all_seen: RunEvidence, run: Run = RUN) -> Report:
    return report_on(run, examined(*all_seen))


def save(
    path: Path, *all_seen: RunEvidence, run: Run = RUN, codes: tuple[str, ...] = CODES
) -> Path:
    recorder = RunFile(path)
    recorder.begin(run, codes)
    for one in all_seen:
        for played in one.traces:
            recorder.trace(one.subject, played)
        recorder.over(one)
    recorder.end(live(*all_seen, run=run))
    return path


def again(*paths: Path, select: tuple[str, ...] = ()) -> Report:
    return report_again(paths, select, (), RUN.command)


def as_json(report: Report) -> str:
    return reporter("json")(replace(report, version="", command=()))


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ana")


def test_judged_again_it_is_the_same(tmp_path: Path) -> None:
    report = live(SICK, OTHER)
    assert {"CLS001", "LEK001"} <= {finding.code for finding in report.findings}
    assert as_json(again(save(tmp_path / "run.jsonl", SICK, OTHER))) == as_json(report)


def test_judged_on_another_machine_homes_are_those_of_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reporters find a checkout that is at the same place below another home."""
    path = save(
        tmp_path / "run.jsonl", seen(closing_badly(error=raised(file="/home/ana/lab/arm.py")))
    )
    monkeypatch.setenv("HOME", "/home/runner")
    assert {finding.location.file for finding in again(path).findings if finding.location} == {
        "/home/runner/lab/arm.py"
    }
    monkeypatch.setenv("HOME", "/")
    assert {finding.location.file for finding in again(path).findings if finding.location} == {
        "~/lab/arm.py"
    }


def test_the_home_is_not_disclosed(tmp_path: Path) -> None:
    text = save(tmp_path / "run.jsonl", SICK).read_text()
    assert "/home/ana" not in text
    assert "~/lab" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"a":"~/x"}', '{"a":"/home/ana/x"}'),
        ('{"a":"~"}', '{"a":"/home/ana"}'),
        ('{"a":"at ~/x:3"}', '{"a":"at /home/ana/x:3"}'),
        ('{"a":"~ 3","b":"x~/y","c":"/a/~/b"}', '{"a":"~ 3","b":"x~/y","c":"/a/~/b"}'),
    ],
)
def test_tilde_is_expanded_at_the_start_of_a_path_only(text: str, shown: str) -> None:
    assert lines.with_home(text, "/home/ana") == shown


@pytest.mark.parametrize(
    ("text", "home", "shown"),
    [
        ("/home/ana/x", "/home/ana", "~/x"),
        ("/home/ana", "/home/ana", "~"),
        ("/home/anabel/x", "/home/ana", "/home/anabel/x"),
        ("/srv/home/ana/x", "/home/ana", "/srv/home/ana/x"),
        ("at '/home/ana/x':3", "/home/ana/", "at '~/x':3"),
        ("file:///home/ana/x", "/home/ana", "file://~/x"),
        (r"first\n/home/ana/x\t/home/ana.", "/home/ana", r"first\n~/x\t~."),
        (r"\u001b[31m/home/ana/x\u001b/home/ana", "/home/ana", r"\u001b[31m~/x\u001b~"),
        ("/x", "/", "/x"),
        ("/x", "", "/x"),
    ],
)
def test_home_is_replaced_as_a_whole_directory_only(text: str, home: str, shown: str) -> None:
    assert lines.without_home(text, home) == shown


def test_only_what_the_run_was_judged_by(tmp_path: Path) -> None:
    path = save(tmp_path / "run.jsonl", SICK, codes=("LEK001",))
    assert {one.code for one in again(path).findings} == {"LEK001"}
    assert {one.code for one in again(path, select=("CLS001",)).findings} == {"CLS001"}


def test_rules_of_a_later_version_are_not_passed_over(tmp_path: Path) -> None:
    report = again(save(tmp_path / "run.jsonl", OTHER, codes=("CLS001", "CLS999")))
    assert [one.code for one in report.skipped if "does not know the rule" in one.reason] == [
        "CLS999"
    ]


def test_a_doctor_that_was_killed(tmp_path: Path) -> None:
    """It leaves all scenarios that were over, and says that there were more to come."""
    path = save(tmp_path / "run.jsonl", SICK, OTHER)
    *kept, _over, _end = path.read_text().splitlines(keepends=True)
    path.write_text("".join(kept))
    report = again(path)
    assert (
        report.incomplete
        == f"run.jsonl ends after {len(SICK.traces) + len(OTHER.traces)} scenarios, before the run"
        " was over"
    )
    assert {one.code for one in report.findings} >= {"CLS001", "LEK001"}
    assert "API010" not in {one.code for one in report.passed if one.subject == "Other-v0"}, (
        "nobody knows what its source says"
    )


def test_a_line_that_was_changed_is_left_out_and_reported(tmp_path: Path) -> None:
    path = save(tmp_path / "run.jsonl", seen(life_trace()))
    first, second, third, life, *rest = path.read_text().splitlines(keepends=True)
    path.write_text("".join([first, second, third, life.replace("finished", "finishes"), *rest]))
    report = again(path)
    assert report.incomplete == "line 4 of run.jsonl is not what was written, and is left out"
    assert report.verdict == INCONCLUSIVE


def test_an_interrupted_run_is_not_complete(tmp_path: Path) -> None:
    path = save(tmp_path / "run.jsonl", seen(Trace(Scenario("life", "make"), Outcome(INTERRUPTED))))
    assert again(path).incomplete


def test_a_newer_format_is_one_sentence(tmp_path: Path) -> None:
    path = save(tmp_path / "run.jsonl", SICK)
    first, *rest = path.read_text().splitlines(keepends=True)
    newer = {**lines.decode(first.rstrip()), lines.MARK: 2, "version": "9.0\x1b[2J"}
    newer.pop("crc", None)
    path.write_text("".join([lines.encode(newer) + "\n", *rest]))
    with pytest.raises(
        UsageError,
        match=(
            r"^run.jsonl was saved by envdoctor 9.0\\x1b\[2J in format 2; this one reads format 1:"
            r" upgrade it$"
        ),
    ):
        again(path)


def test_keys_of_later_versions_do_no_harm(tmp_path: Path) -> None:
    path = save(tmp_path / "run.jsonl", OTHER)
    richer = []
    for text in path.read_text().splitlines():
        line = json.loads(text)
        line.pop("crc")
        for value in (line, line.get("scenario"), line.get("outcome"), line.get("subject")):
            if isinstance(value, dict):
                value["later"] = 1
        richer.append(lines.encode(line) + "\n")
    path.write_text("".join([*richer, lines.encode({"line": "later"}) + "\n"]))
    assert as_json(again(path)) == as_json(live(OTHER))


@pytest.mark.parametrize(
    "text", ["", "\n", "hello", '{"version": 1}\n', '{"envdoctor-run":1}\n', "{\n", "\x00\xff"]
)
def test_other_files_are_not_saved_runs(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.jsonl").write_text(text)
    with pytest.raises(UsageError) as caught:
        again(tmp_path / "run.jsonl")
    assert "\n" not in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(UsageError):
            again(path)


def test_a_slip_of_the_pen_costs_no_file(tmp_path: Path) -> None:
    (tmp_path / "env.py").write_text("import gymnasium\n")
    with pytest.raises(UsageError, match="is not a saved run"):
        check_free(tmp_path / "env.py")
    check_free(save(tmp_path / "run.jsonl", OTHER))
    check_free(tmp_path / "new.jsonl")


def test_a_full_disk_costs_no_run(tmp_path: Path) -> None:
    recorder = RunFile(tmp_path / "run.jsonl")
    recorder.begin(RUN, CODES)
    (tmp_path / "run.jsonl").unlink()
    (tmp_path / "run.jsonl").mkdir()
    recorder.over(OTHER)
    recorder.over(OTHER)
    assert recorder.trouble.endswith("the saved run ends early")


# Several runs


def test_managers_of_two_runs_add_up(tmp_path: Path) -> None:
    one, other = (
        save(tmp_path / name, seen(closing_badly(name))) for name in ("gymnasium-sync", "sb3-dummy")
    )
    assert {
        finding.manager for finding in again(one, other).findings if finding.code == "CLS001"
    } == {"gymnasium-sync", "sb3-dummy"}


def test_the_later_play_counts(tmp_path: Path) -> None:
    sick, healed = (
        save(tmp_path / "a", seen(closing_badly())),
        save(tmp_path / "b", seen(life_trace())),
    )
    assert "CLS001" not in {finding.code for finding in again(sick, healed).findings}
    assert "CLS001" in {finding.code for finding in again(healed, sick).findings}


def test_merging_drops_follow_ups_of_a_replaced_finding(tmp_path: Path) -> None:
    lost = [
        closing_badly(),
        closing_badly(name="acquisitions"),
        trace(name="cured"),
        closing_badly(control=True),
        trace(name="reopen"),
    ]
    runs = read_runs([save(tmp_path / "a", seen(*lost)), save(tmp_path / "b", seen(life_trace()))])
    from envdoctor.saved.merging import merge

    _, both, _ = merge(runs)
    assert [played.scenario.name for played in both["Sick-v0"].traces] == [
        "reopen",
        "survey",
        "life",
    ]


def test_a_leak_check_is_merged_as_a_unit_and_a_quick_one_does_not_replace_a_long_one(
    tmp_path: Path,
) -> None:
    leak_check = save(
        tmp_path / "leak",
        seen(*growing(objects=2), leak_checked=True),
        run=replace(RUN, leak_checked=True),
    )
    check = save(tmp_path / "check", seen(life_trace(), *growing(objects=0)[:3]))
    for order in ((leak_check, check), (check, leak_check)):
        assert "LEK001" in {finding.code for finding in again(*order).findings}, order
    quick = save(tmp_path / "quick", seen(life_trace(), *growing(objects=2)[:5]))
    assert "LEK001" not in {finding.code for finding in again(quick, check).findings}


def test_comparisons_of_other_places_are_kept(tmp_path: Path) -> None:
    def played(manager: str) -> Path:
        replay = compared(
            "replayed",
            name="replay",
            manager=manager,
            start_method=None,
            slot=0,
            seed=1,
            seeds_matter=True,
        )
        return save(
            tmp_path / manager,
            seen(
                life_trace(),
                closing_badly(manager),
                replace(replay, scenario=Scenario("replay", "replay")),
            ),
        )

    report = again(played("gymnasium-sync"), played("sb3-dummy"))
    assert {finding.manager for finding in report.findings if finding.code == "VEC004"} == {
        "gymnasium-sync",
        "sb3-dummy",
    }


def test_runs_in_one_file(tmp_path: Path) -> None:
    one, other = save(tmp_path / "a", SICK), save(tmp_path / "b", OTHER)
    (tmp_path / "both").write_text(one.read_text() + other.read_text())
    assert as_json(again(tmp_path / "both")) == as_json(again(one, other))


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (seen(closing_badly(), kwargs={"size": 3}), "with other arguments"),
        (
            replace(
                SICK, traces=(survey(frameworks={**SURVEY["frameworks"], "gymnasium": "1.3.0"}),)
            ),
            "with gymnasium 1.4.0 and 1.3.0",
        ),
    ],
)
def test_one_name_for_two_environments(tmp_path: Path, other: RunEvidence, sentence: str) -> None:
    paths = save(tmp_path / "a", SICK), save(tmp_path / "b", other)
    with pytest.raises(
        UsageError,
        match=f"^Sick-v0 was examined {sentence} in these runs; judge them one at a time$",
    ):
        again(*paths)


# Whatever happened to the file


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return save(tmp_path_factory.mktemp("whole") / "run.jsonl", SICK, OTHER).read_bytes()


def judge_bytes(path: Path, data: bytes) -> None:
    """A report, or one sentence."""
    path.write_bytes(data)
    try:
        report = again(path, select=("CLS001", "LEK001", "API010", "VEC007"))
        reporter("json")(report)
        reporter("terminal")(report, verbosity=2)
    except EnvdoctorError as error:
        assert "\n" not in str(error)


@settings(deadline=None)
@given(data=st.data())
def test_cut_anywhere(
    data: st.DataObject, whole: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    judge_bytes(
        tmp_path_factory.getbasetemp() / "cut.jsonl", whole[: data.draw(st.integers(0, len(whole)))]
    )


@settings(deadline=None)
@given(data=st.data())
def test_garbled_anywhere(
    data: st.DataObject, whole: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    at, junk = data.draw(st.integers(0, len(whole))), data.draw(st.binary(min_size=1, max_size=9))
    judge_bytes(
        tmp_path_factory.getbasetemp() / "garbled.jsonl",
        whole[:at] + junk + whole[at + len(junk) :],
    )


@settings(deadline=None)
@given(data=st.data())
def test_lines_in_any_order(
    data: st.DataObject, whole: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    texts = whole.splitlines(keepends=True)
    mixed = data.draw(st.lists(st.sampled_from(texts), max_size=40))
    judge_bytes(tmp_path_factory.getbasetemp() / "mixed.jsonl", b"".join(mixed))
    judge_bytes(tmp_path_factory.getbasetemp() / "mixed.jsonl", texts[0] + b"".join(mixed))


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.text(max_size=4),
        st.sampled_from(["trace", "over", "subject", "end", "Sick-v0"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = (
    "line",
    "spec",
    "scenario",
    "outcome",
    "events",
    "aftermath",
    "subject",
    "machine",
    "read",
    "skipped",
    "seconds",
    "complete",
)


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(KEYS), VALUES),
    st.sampled_from(["trace", "over", "subject", "end"]),
)
def test_lines_with_a_right_checksum_and_wrong_values(
    tmp_path_factory: pytest.TempPathFactory, line: dict[str, Any], kind: str
) -> None:
    texts = [
        lines.header(RUN, CODES),
        lines.subject(SICK.subject),
        lines.trace("Sick-v0", closing_badly()),
        {"line": kind, **line},
    ]
    judge_bytes(
        tmp_path_factory.getbasetemp() / "wrong.jsonl",
        "".join(lines.encode(text) + "\n" for text in texts).encode(),
    )
