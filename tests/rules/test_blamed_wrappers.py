"""A wrapper's fault is told of the wrapper's class, not of the environment's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.model.facts import Known, WrapperClass
from envdoctor.model.facts.survey import Lines
from envdoctor.model.finding import ENVIRONMENT, WRAPPER, Finding, Location
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import (
    fact,
    growing,
    held_in,
    life_trace,
    played_block,
    raised,
    trace,
    verb,
)
from envdoctor.rules.engine.judging import judge
from envdoctor.rules.engine.registry import all_rules

FILE, OUTER = "/home/me/sick.py", "/home/me/outer.py"
RECORDS = WrapperClass(
    "outer.Records",
    Location(OUTER, 10, "Records"),
    {"step": Location(OUTER, 15, "Records.step")},
    (Lines(OUTER, 12, 13), Lines(OUTER, 15, 20)),
)
SURVEY = Known(
    is_found=True, env_class="sick.Arm", source=Location(FILE, 3, "Arm"), wrappers=(RECORDS,)
)
MIB = 2**20


def told(code: str, *traces: Trace) -> Finding:
    """The only finding of a rule."""
    findings = judge("sick.py:make", SURVEY, traces, all_rules().values()).findings
    (finding,) = [finding for finding in findings if finding.code == code]
    return finding


def life(**survivors: Any) -> Trace:
    """A life whose instance outlived its last reference."""
    known = {"life": 0, "closed": True, "dropped": 1, "collected": 0, "bytes": 2 * MIB}
    readings = life_trace(before={}, dropped={}, collected={}).of("reading")
    verbs = (verb(name) for name in ("make", "reset", "step", "close", "drop"))
    return trace(*verbs, *readings, fact("survivors", {**known, **survivors}))


def plain(name: str) -> Trace:
    """A scenario of one life in which nothing is found."""
    verbs = ("make", "reset", "step:20", "close", "drop")
    return trace(*(verb(each, at=at) for at, each in enumerate(verbs)), name=name)


def test_cycle_of_a_wrapper_is_the_wrappers() -> None:
    finding = told("CLS013", life(cycle={"name": "outer.Records", "chain": "outer.Records.me"}))
    assert "keeps the closed Records and 2.0 MiB" in finding.message
    assert "Records.close()" in finding.remedy.text
    assert (finding.blame, finding.location) == (WRAPPER, RECORDS.source)


@pytest.mark.parametrize(
    ("name", "file"), [("sick.Arm", FILE), ("sick.Log", FILE), ("torch.Tape", "/lib/torch.py")]
)
def test_cycle_of_any_other_object_is_the_environments(name: str, file: str) -> None:
    source = {"file": file, "line": 1, "function": ""}
    finding = told("CLS013", life(cycle={"name": name, "source": source}))
    assert "keeps the closed Arm and 2.0 MiB" in finding.message
    assert (finding.blame, finding.location) == (ENVIRONMENT, SURVEY.source)


def test_cycle_of_an_object_of_the_wrappers_file_is_the_wrappers() -> None:
    source = {"file": OUTER, "line": 70, "function": "Video"}
    finding = told("CLS013", life(cycle={"name": "outer.Video", "source": source}))
    assert finding.blame == WRAPPER


def test_wrapper_that_its_own_module_keeps_is_named() -> None:
    kept = {"name": "outer.Records", "chain": "outer.ALL[1]"}
    chains = ["outer.ALL[1].env"]
    finding = told("CLS012", life(collected=1, chains=chains, wrapper=kept))
    assert finding.message.startswith("Records stays alive")
    assert "held by outer.ALL[1]" in finding.message
    assert finding.blame == WRAPPER


def test_wrapper_that_another_module_keeps_is_not_to_blame() -> None:
    kept = {"name": "outer.Records", "chain": "train.ENVS[1]"}
    chains = ["train.ENVS[1].env"]
    finding = told("CLS012", life(collected=1, chains=chains, wrapper=kept))
    assert finding.message.startswith("Arm stays alive")
    assert finding.blame == ENVIRONMENT


def test_list_of_a_wrapper_is_the_wrappers() -> None:
    line = {"file": OUTER, "line": 16, "function": "Records.step", "text": "self.log.append(1)"}
    finding = told(
        "LEK001",
        *growing(objects=1, heap=0, python=60),
        held_in(
            "Records.log",
            "tuple",
            (0, 0, 1),
            {"objects": 1, "heap": 0, "python": 60},
            rest={"objects": 0, "heap": 0},
            lines=[line],
        ),
    )
    assert "kept in Records.log" in finding.message
    assert "in Records." in finding.remedy.text
    assert (finding.blame, finding.location) == (WRAPPER, Location(OUTER, 16, "Records.step"))


def waiting(*lines: dict[str, Any], enabled: bool = True) -> Finding:
    """2 MiB in 70 objects a cycle wait for the collector."""
    blocks = [
        played_block(
            cycles,
            {"objects": 0, "heap": 0},
            uncollected={"heap": 2 * MIB * cycles},
            garbage=70 * cycles,
        )
        for cycles in (7, 7, 7, 14)
    ]
    known = {"cycles": 3, "lines": list(lines), "enabled": enabled, "threshold": 700}
    return told("LEK011", *blocks, trace(fact("garbage", known), name="waste"))


def test_garbage_that_a_wrapper_makes_is_the_wrappers() -> None:
    finding = waiting({"file": OUTER, "line": 16, "count": 3, "bytes": 6 * MIB})
    assert "leaves 2.0 MiB, made at outer.py:16, to the garbage collector" in finding.message
    assert "cut the cycle in Records" in finding.remedy.text
    assert finding.blame == WRAPPER


def test_garbage_of_no_known_line_is_the_environments() -> None:
    finding = waiting()
    assert "cut the cycle in Arm" in finding.remedy.text
    assert finding.blame == ENVIRONMENT


def test_pile_is_as_large_as_the_collector_lets_it_get() -> None:
    assert waiting().message.endswith("it runs after 700 objects, so up to 20.0 MiB wait")
    assert waiting(enabled=False).message.endswith("it is switched off, so all of it stays")


@pytest.mark.parametrize(
    "trip",
    [
        {"rebuilt": raised("ValueError", "Records wrapper does not inherit from X")},
        {"written": raised("TypeError", "no"), "culprit": "the argument path of Records"},
        {"differs": [{"what": "wrappers", "made": "['Records', 'Limit']", "rebuilt": "['Limit']"}]},
    ],
)
def test_wrapper_that_its_specification_does_not_build_again_is_named(trip: dict[str, Any]) -> None:
    value = {"id": "Arm-v0", "written": None, "culprit": "", "rebuilt": None, "differs": [], **trip}
    finding = told("REG006", trace(verb("carry"), fact("respec", value), name="close-twice"))
    assert (finding.blame, finding.location) == (WRAPPER, RECORDS.source)


def test_registration_without_a_wrapper_is_the_environments() -> None:
    error = raised("TypeError", "no")
    value = {"id": "Arm-v0", "written": error, "culprit": "entry_point", "rebuilt": None}
    respec = fact("respec", {**value, "differs": []})
    finding = told("REG006", trace(verb("carry"), respec, name="close-twice"))
    assert finding.blame == ENVIRONMENT


def test_remedy_for_a_wrapper_of_a_library_does_not_edit_the_library() -> None:
    file = "/venv/lib/python3.11/site-packages/gymnasium/wrappers/common.py"
    limit = WrapperClass("gymnasium.wrappers.Limit", Location(file, 3, "Limit"))
    cycle = {"name": limit.name, "chain": "gymnasium.wrappers.Limit.me"}
    survey = replace(SURVEY, wrappers=(limit,))
    judgement = judge("sick.py:make", survey, (life(cycle=cycle),), all_rules().values())
    (finding,) = [each for each in judgement.findings if each.code == "CLS013"]
    assert finding.remedy.text.startswith("leave Limit out")
    assert finding.remedy.aim is None


def test_error_in_a_step_of_a_wrapper_may_be_of_what_the_environment_returned() -> None:
    frame = {"file": OUTER, "line": 16, "function": "Records.step", "own": True, "code": ""}
    error = {**raised("TypeError", "no"), "frames": [frame]}
    verbs = (verb("make"), verb("reset", at=1), verb("step:20", "raised", at=2, error=error))
    findings = judge("sick.py:make", SURVEY, [trace(*verbs)], all_rules().values()).findings
    assert findings
    assert {finding.blame for finding in findings} == {ENVIRONMENT}


@pytest.mark.parametrize(("kind", "blame"), [("AttributeError", None), ("ValueError", "Records")])
def test_attribute_that_a_wrapper_looks_up_is_missing_below_it(kind: str, blame: str) -> None:
    """A copy of PettingZoo's raw_env by EzPickle has no `_cumulative_rewards` yet."""
    frame = {"file": OUTER, "line": 16, "function": "Records.__getattr__", "own": True, "code": ""}
    error = {**raised(kind, "no"), "frames": [frame], "user": 0}
    verbs = (verb("make"), verb("reset", at=1), verb("step:3", at=2), verb("copy", at=3))
    alike = {"calls": 0, "unknown": [], "difference": None}
    compared = {"alone": {**alike, "calls": 9}, "instances": [{**alike, "calls": 9}]}
    facts = (
        fact("continued-copy", {**alike, "error": error}),
        fact("copied", {"failed": "no"}),
        fact("side-by-side", compared),
    )
    copied = trace(*verbs, *facts, name="copied", script="make reset step:3 copy")
    finding = told("MAK005", plain("life"), plain("two-at-once"), copied)
    assert finding.blame == (WRAPPER if blame else ENVIRONMENT)
    assert f"{blame or 'Arm'}.__deepcopy__()" in finding.remedy.text


@pytest.mark.parametrize("around", [True, False])
def test_cure_for_a_written_observation_names_the_wrapper_that_may_keep_it(around: bool) -> None:
    """PettingZoo's TerminateIllegalWrapper looks actions up in the mask that it returned."""
    limit = WrapperClass(
        "gymnasium.wrappers.Limit",
        Location("/venv/lib/python3.11/site-packages/gymnasium/wrappers/common.py", 3, "Limit"),
    )
    place = {"call": "step", "step": 1, "key": "observation", "place": [0]}
    difference = {**place, "what": "value", "values": ["1", "0"]}
    results = [{"calls": 9, "difference": item} for item in (None, difference, None)]
    values = fact("side-by-side", {"alone": results[0], "instances": results[1:]})
    script = " ".join(3 * ["make reset step:20 close drop"])
    survey = replace(SURVEY, wrappers=(limit, RECORDS) if around else (limit,))
    judgement = judge(
        "sick.py:make",
        survey,
        (plain("life"), plain("reuse"), trace(values, name="overwritten", script=script)),
        all_rules().values(),
    )
    (finding,) = [each for each in judgement.findings if each.code == "API011"]
    named = "let Arm, or Records around it, return a copy of its observation"
    assert (named in finding.remedy.text) == around
    assert (finding.remedy.aim is None) == around
