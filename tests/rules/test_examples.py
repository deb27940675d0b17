"""Every rule, by its own file: its name, its manual page and its examples."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from envdoctor.model.finding import Finding, Location
from envdoctor.probe.sensors import of_process
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.registry import Example, Rule, all_rules, catalogue
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence import side_effects

HEADINGS = ("What it does", "Why it matters", "How to fix it")

each_rule = pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.code)


def examples(rule: Rule) -> tuple[Example, ...]:
    return tuple(sys.modules[rule.judge.__module__].EXAMPLES)


@each_rule
def test_file_is_named_after_code_and_name(rule: Rule) -> None:
    assert re.fullmatch(r"[A-Z]{3}\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert (
        rule.judge.__module__.rpartition(".")[2]
        == f"{rule.code.lower()}_{rule.name.replace('-', '_')}"
    )


@each_rule
def test_manual_page_has_a_summary_and_three_headings(rule: Rule) -> None:
    lines = rule.manual.splitlines()
    assert rule.summary.endswith(".")
    assert lines[1] == ""
    assert [line for line in lines if line in HEADINGS] == list(HEADINGS)


@each_rule
def test_manual_page_shows_code_or_a_command(rule: Rule) -> None:
    cure = rule.manual.partition(HEADINGS[-1])[2]
    assert any(line.startswith(" " * 8) for line in cure.splitlines())


@each_rule
def test_a_rule_declares_what_may_explain_its_findings(rule: Rule) -> None:
    """A finding is announced once these rules have nothing more to look at."""
    found = (finding for example in examples(rule) for finding in rule.judge(example.view))
    explained = {code for finding in found for code in finding.explained_by}
    assert explained <= set(rule.explained_by)
    assert len(rule.explained_by) == len(rule.gives_way)
    assert set(rule.explained_by) <= all_rules().keys()
    source = inspect.getsource(sys.modules[rule.judge.__module__])
    keywords = {node.arg for node in ast.walk(ast.parse(source)) if isinstance(node, ast.keyword)}
    assert not keywords & {"explained_by", "explained_alone"} or rule.gives_way


def test_each_cause_is_reported_by_one_rule_and_explains_another() -> None:
    rules = all_rules().values()
    reported = [rule.explains for rule in rules if rule.explains is not None]
    assert sorted(reported, key=str) == sorted(Cause, key=str)
    assert {cause for rule in rules for cause in rule.gives_way} == set(Cause)


def test_sensors_of_rules_on_side_effects_are_those_that_are_read_around_imports() -> None:
    """A sensor that is not read there would let its rule pass on evidence that never was."""
    looking = [rule for rule in all_rules().values() if side_effects.SEARCH in rule.follow_ups]
    assert {sensor for rule in looking for sensor in rule.sensors} == set(of_process())
    using = [
        rule
        for rule in all_rules().values()
        if rule.judge.__globals__.get("effects") is side_effects.effects
    ]
    assert [rule.code for rule in using if rule not in looking] == []


#: First words of the lines that are typed in a shell.
COMMANDS = ("envdoctor ", "python ", "ulimit ", "export ")


def code_blocks(manual: str) -> Iterator[str]:
    """The blocks of code of a manual page, each without its margin."""
    for block in re.findall(r"(?m)(?:^ {8}.*\n?(?:^ *\n)*)+", manual + "\n"):
        yield textwrap.dedent(block).strip("\n")


def syntax_error(block: str) -> str:
    """Return the reason that a block is not Python, or nothing. Lines for a shell are left out."""
    lines = [line for line in block.splitlines() if not line.startswith(COMMANDS)]
    try:
        compile("\n".join(lines), "", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)
    except SyntaxError as error:
        return f"{error.msg}: {error.text}"
    return ""


@each_rule
def test_manual_page_shows_code_that_compiles(rule: Rule) -> None:
    errors = {block: syntax_error(block) for block in code_blocks(rule.manual)}
    assert not any(errors.values()), errors


def test_joined_lines_are_not_code() -> None:
    manual = (
        "How to fix it\n    Do:\n\n        def f():\n            the\n            end return 1\n"
    )
    (block,) = code_blocks(manual)
    assert syntax_error(block).startswith("invalid syntax")


@each_rule
def test_has_a_case_that_speaks_and_one_that_is_silent(rule: Rule) -> None:
    assert {bool(example.expected) for example in examples(rule)} == {True, False}


@pytest.mark.parametrize(
    ("rule", "example"),
    [
        pytest.param(rule, example, id=f"{rule.code}: {example.title}")
        for rule in all_rules().values()
        for example in examples(rule)
    ],
)
def test_example_gives_exactly_its_messages(rule: Rule, example: Example) -> None:
    findings = list(rule.judge(example.view))
    assert tuple(finding.message for finding in findings) == example.expected
    assert all(
        (finding.code, finding.name) == (rule.code, rule.name) and finding.remedy.text
        for finding in findings
    )
    for finding in findings:
        json.dumps(finding.evidence)


def everything_but_the_message(finding: Finding) -> dict[str, Any]:
    """The fields that a rule has set, in a form that git compares line by line."""
    values = {
        field.name: getattr(finding, field.name)
        for field in fields(finding)
        if field.name not in ("code", "name", "message", "remedy")
        and (field.default_factory is not MISSING or getattr(finding, field.name) != field.default)
    }
    if "traceback" in finding.evidence:  # its lines are those of this Python and this folder
        values["evidence"] = {**finding.evidence, "traceback": "..."}
    remedy = {"remedy": finding.remedy.text, "commands": finding.remedy.commands}
    return values | remedy | {"aim": repr(finding.remedy.aim)}


#: Where the class of the examples defines its methods.
METHODS = {
    name: Location("sick.py", line, f"Sick.{name}")
    for line, name in enumerate(("__init__", "reset", "step", "render", "close"), 10)
}


def with_methods(view: View) -> View:
    survey = replace(view.survey, methods={**METHODS, **view.survey.methods})
    return replace(view, survey=survey)


@each_rule
def test_examples_give_the_same_evidence_and_remedies(
    rule: Rule, snapshot: SnapshotAssertion
) -> None:
    assert {
        example.title: [
            everything_but_the_message(finding)
            for finding in rule.judge(with_methods(example.view))
        ]
        for example in examples(rule)
        if example.expected
    } == snapshot


def test_the_catalogue_knows_each_rule_by_its_file() -> None:
    assert [(entry.code, entry.name) for entry in catalogue()] == [
        (rule.code, rule.name) for rule in all_rules().values()
    ]
