"""From traces to the report on a subject."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from envdoctor.model.report import SubjectReport
from envdoctor.model.subject import FUNCTION, Subject
from envdoctor.model.trace import INTERRUPTED, Trace
from envdoctor.request.specs import parse
from envdoctor.rules.engine.examples import fact, trace, verb
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.evidence.replay_buffers import LISTED, filled, forecast
from envdoctor.verdict.diagnosis import Examined, Run, RunEvidence, judged, report_on, rules_for

SUBJECT = parse("Arm-v0", {}, (), "/lab")


def seen(*traces: Trace, subject: Subject = SUBJECT, **fields: Any) -> RunEvidence:
    return RunEvidence(subject, traces, **fields)


def survey(**values: Any) -> Trace:
    return trace(fact("survey", values), name="survey")


def reported(seen: RunEvidence) -> SubjectReport:
    return Examined(seen, judged(seen, ())).report


def test_command_of_a_subject_is_the_users_or_its_spec_as_a_shell_reads_it() -> None:
    spaced = replace(SUBJECT, text="./my lab.py:Arm")
    assert reported(seen(survey(command="Arm-v0 -k size=3"))).command == "Arm-v0 -k size=3"
    assert reported(seen(survey(), subject=spaced)).command == "'./my lab.py:Arm'"


def test_known_facts_are_survey_then_description_then_refusal() -> None:
    described = trace(
        fact("described", {"api": "gym", "env_class": "arm.Arm"}),
        fact("refused", "step() has no action"),
    )
    known = seen(survey(found=True, executable="/bin/python"), described).known
    assert (known.is_found, known.executable) == (True, "/bin/python")
    assert (known.api, known.env_class) == ("gym", "arm.Arm")
    assert known.refused == "step() has no action"


def test_subject_of_the_report_has_what_was_seen_of_it() -> None:
    direct = trace(verb("make"))
    under = trace(manager="gymnasium-async", start_method="spawn")
    described = trace(fact("described", {"env_class": "arm.Arm", "lacks": ["render"]}))
    found = reported(seen(survey(executable="/bin/python"), described, direct, under, seconds=3.0))
    assert found.spec == "Arm-v0"
    assert found.env_class == "arm.Arm"
    assert found.python == "/bin/python"
    assert found.seconds == 3.0
    assert found.managers == (("direct", None), ("gymnasium-async", "spawn"))


def test_report_has_what_holds_for_the_run() -> None:
    subject = seen(trace(outcome=INTERRUPTED), skipped=())
    run = Run(7, 5.0, ("check", "Arm-v0"), {"system": "Linux"}, "1.0", True, "no time was left")
    report = report_on(run, [Examined(subject, judged(subject, ()))])
    assert (report.seed, report.seconds, report.command) == (7, 5.0, ("check", "Arm-v0"))
    assert (report.platform, report.version) == ({"system": "Linux"}, "1.0")
    assert (report.interrupted, report.leak_checked) == (True, True)
    assert report.incomplete == "no time was left"


def test_functions_are_judged_by_the_rules_on_growth_and_those_made_for_them() -> None:
    rules = list(all_rules().values())
    function = replace(SUBJECT, kind=FUNCTION)
    assert list(rules_for(SUBJECT, rules)) == rules
    codes = {rule.code for rule in rules_for(function, rules)}
    assert {"LEK001", "DOC003"} <= codes
    assert codes >= {rule.code for rule in rules if rule.of_functions}
    assert not codes & {"CLS001", "VEC001", "DET001"}


def test_storages_of_a_replay_buffer_are_in_the_report() -> None:
    assert [each.storage for each in reported(seen(forecast(), filled())).storages] == [LISTED]
