"""The configuration: what it says, where it says it, and what is wrong with it in one sentence."""

from __future__ import annotations

import json
import tomllib
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from envdoctor.config.keys import KEYS, schema
from envdoctor.config.reading import parse
from envdoctor.config.values import Config
from envdoctor.errors import UsageError

WHOLE = """\
[project]
name = "mylab"

[tool.envdoctor]
specs = ["mylab/Walker-v0", "CartPole-v1"]
managers = ["direct", "gymnasium-sync"]
timeout = 5
ignore = { CLS013 = "the cycle is small" }
budgets = ["native bytes per reset <= 64"]

[tool.envdoctor.severity]
"close-slow" = "error"

[tool.envdoctor.environments."mylab/*"]
timeout = 60.0
kwargs = { size = 3 }

[tool.envdoctor.environments.'mylab/Walker-v0']
timeout = 90
"""


def read(text: str, file: str = "pyproject.toml") -> Config:
    found = parse(text, file)
    assert found is not None
    return found


def test_values_and_their_lines_are_read() -> None:
    found = read(WHOLE)
    assert found.get("specs") == ["mylab/Walker-v0", "CartPole-v1"]
    assert found.get("seed") == 0
    assert found.origin("timeout") == "pyproject.toml:7"
    assert found.origin("severity") == "pyproject.toml:11"
    assert found.origin("seed") == "default"
    assert found.origin("environments", "mylab/*", "timeout") == "pyproject.toml:15"


def test_the_last_that_fits_goes_before() -> None:
    found = read(WHOLE)
    assert found.of("mylab/Walker-v0") == {"timeout": 90, "kwargs": {"size": 3}}
    assert found.of("mylab/Runner-v0") == {"timeout": 60.0, "kwargs": {"size": 3}}
    assert found.of("CartPole-v1") == {}


SETS = """\
specs = ["maze:Maze"]
kwargs = { kind = "open" }

[environments."*:Maze"]
timeout = 60
ignore = { CLS013 = "small" }

[[subject]]
spec = "maze:Maze"
kwargs = { size = 3 }

[[subject]]
spec = "maze:Maze"
kwargs = { size = 5, kind = "closed" }
timeout = 90
ignore = { CLS013 = "smaller" }

[[subject]]
spec = "maze:Hall"
"""
SMALL, LARGE = "maze:Maze(size=3)", 'maze:Maze(size=5, kind="closed")'


def test_one_environment_has_two_sets_of_arguments() -> None:
    config = read(SETS, "envdoctor.toml")
    assert config.titles("maze:Maze") == ("maze:Maze", SMALL, LARGE)
    assert config.titles("maze:Hall") == ("maze:Hall",)
    assert config.titles("other:Maze") == ("other:Maze",)
    assert config.merged("kwargs", "maze:Maze") == {"kind": "open"}
    assert config.merged("kwargs", SMALL) == {"kind": "open", "size": 3}
    assert config.merged("kwargs", LARGE) == {"kind": "closed", "size": 5}


def test_a_table_of_a_glob_holds_for_all_sets_and_that_of_a_set_goes_before() -> None:
    config = read(SETS, "envdoctor.toml")
    assert [config.of(each)["timeout"] for each in ("maze:Maze", SMALL, LARGE)] == [60, 60, 90]
    assert config.origin_for(SMALL, "timeout") == "envdoctor.toml:5"
    assert config.origin_for(LARGE, "timeout") == "envdoctor.toml:15"
    reasons = [
        [terms.ignore["CLS013"] for _, terms in config.policy().applying(each) if terms.ignore]
        for each in ("maze:Maze", SMALL, LARGE, "maze:Hall")
    ]
    assert reasons == [["small"], ["small"], ["smaller", "small"], []]


def test_a_set_without_another_beside_it_is_all_that_its_spec_stands_for() -> None:
    config = read('[[subject]]\nspec = "a:A"\nkwargs = { size = 3 }\n', "envdoctor.toml")
    assert config.titles("a:A") == ("a:A(size=3)",)
    inline = read('subject = [{ spec = "a:A", kwargs = { size = 3 } }]', "envdoctor.toml")
    assert inline.titles("a:A") == ("a:A(size=3)",)
    assert inline.origin("subject", "0", "kwargs") == "envdoctor.toml:1"


def test_a_project_that_says_nothing_to_us() -> None:
    assert parse('[project]\nname = "envdoctor"', "pyproject.toml") is None
    assert parse("tool = 3", "pyproject.toml") is None


def test_a_file_of_our_own_has_no_tables_around() -> None:
    assert read("seed = 3", "sub/envdoctor.toml").origin("seed") == "sub/envdoctor.toml:1"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("subjects = []", "pyproject.toml:4: unknown key subjects; did you mean subject?"),
        ("subject = 3", "pyproject.toml:4: subject has to be a list of tables, each [["),
        (
            "[[tool.envdoctor.subject]]\nspec = 'a:A'\nkwarg = { size = 3 }",
            "pyproject.toml:6: unknown key kwarg; did you mean kwargs?",
        ),
        (
            "[[tool.envdoctor.subject]]\nspec = 'a:A'\nimports = ['b']",
            "pyproject.toml:6: unknown key imports; did you mean import?",
        ),
        (
            "[[tool.envdoctor.subject]]\nspec = 'a:A'\n[[tool.envdoctor.subject]]\nspec = 3",
            "pyproject.toml:7: spec has to be a text",
        ),
        ("[[tool.envdoctor.subject]]\nmanagers = []", "pyproject.toml:4: subject needs the env"),
        (
            "[[tool.envdoctor.subject]]\nspec = 'a:A'\n[[tool.envdoctor.subject]]\nspec = 'a:A'",
            "pyproject.toml:6: a:A is listed twice; the first is pyproject.toml:4",
        ),
        ("fail_on = 'error'", "pyproject.toml:4: unknown key fail_on; did you mean fail-on?"),
        ("tiemout = 3", "pyproject.toml:4: unknown key tiemout; did you mean timeout?"),
        ("colour = 3", "pyproject.toml:4: unknown key colour; known keys: specs, managers"),
        ("timeout = '3'", "pyproject.toml:4: timeout has to be a number of seconds from 0.1 on"),
        ("timeout = nan", "timeout has to be"),
        ("timeout = true", "timeout has to be"),
        ("seed = -1", "seed has to be a whole number from 0 to 4294967295"),
        ("jobs = 0", "jobs has to be a whole number from 1 to 1000"),
        ("specs = 'CartPole-v1'", "specs has to be a list of texts"),
        ("ignore = ['CLS013']", "ignore has to be a table of rules with reasons"),
        ("ignore = { CLS013 = '' }", "ignore has to be a table of rules with reasons"),
        ("ignore = { CLS31 = 'why' }", "pyproject.toml:4: ignore: no rule is called CLS31"),
        (
            "select = ['close-hang']",
            "select: no rule is called close-hang; did you mean close-hangs?",
        ),
        (
            "severity = { CLS013 = 'fatal' }",
            "severity has to be a table of rules with one of error, warning, note",
        ),
        ("fail-on = 'never'", "fail-on has to be one of error, warning, note"),
        (
            "budgets = ['nothing']",
            "pyproject.toml:4: budgets: 'nothing' is not a budget; write it like",
        ),
        ("budgets = ['natve bytes per reset <= 3']", "did you mean native bytes?"),
        ("budgets = ['native bytes per resets <= 3']", "did you mean reset?"),
        ("environments = ['CartPole-v1']", "[[tool.envdoctor.subject]] list what is examined"),
        ("environments = { 'a' = 3 }", "pyproject.toml:4: environments.a has to be a table"),
        ("[tool.envdoctor.environments.'a*']\nseed = 3", "pyproject.toml:5: unknown key seed"),
        ("kwargs = { since = 2020-01-01 }", "kwargs: dates and times cannot be handed"),
        ("seed = 3\nseed = 4", "pyproject.toml is not TOML: "),
    ],
)
def test_errors_are_one_sentence(line: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(f"[tool.envdoctor]\n# a comment\n\n{line}\n")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_table_that_is_none() -> None:
    with pytest.raises(
        UsageError, match=r"^pyproject.toml:2: the table has to be a table$|has to be a table"
    ):
        read("[tool]\nenvdoctor = 3")


VALUES = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(-3, 10**20),
        st.floats(),
        st.text(max_size=5),
        st.sampled_from(["CLS013", "error", "direct"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
TABLES = st.dictionaries(
    st.one_of(
        st.sampled_from([*KEYS, "environments", "subject", "spec", "tiemout"]), st.text(max_size=5)
    ),
    VALUES,
    max_size=5,
)


def as_toml(value: Any) -> str:
    """A TOML value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{json.dumps(key)} = {as_toml(each)}" for key, each in value.items())
            + " }"
        )
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


@settings(deadline=None)
@given(TABLES)
@example({"\n": []})
@example({"environments": {"\x1b": {"\r": 1}}})
def test_any_table_is_one_or_a_sentence(table: dict[str, Any]) -> None:
    text = "".join(f"{json.dumps(key)} = {as_toml(value)}\n" for key, value in table.items())
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    try:
        found = parse(text, "envdoctor.toml")
    except UsageError as error:
        assert "\n" not in str(error)
    else:
        assert found is not None
        assert jsonschema.Draft202012Validator(schema()).is_valid(table)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_one_or_a_sentence(text: str) -> None:
    for file in ("pyproject.toml", "envdoctor.toml"):
        try:
            parse(text, file)
        except UsageError as error:
            assert "\n" not in str(error)


def test_the_schema_is_the_one_that_is_shipped() -> None:
    shipped = json.loads(files("envdoctor.config").joinpath("config.schema.json").read_text())
    assert shipped == schema()
    jsonschema.Draft202012Validator.check_schema(shipped)


@pytest.mark.parametrize(
    ("table", "is_one"),
    [
        (tomllib.loads(WHOLE)["tool"]["envdoctor"], True),
        ({"timeout": "3"}, False),
        ({"tiemout": 3}, False),
        ({"ignore": {"CLS013": ""}}, False),
        ({"environments": {"a": {"seed": 3}}}, False),
        ({"subject": [{"spec": "a:A", "kwargs": {"size": 3}}]}, True),
        ({"subject": [{"kwargs": {"size": 3}}]}, False),
    ],
)
def test_the_schema_agrees(table: dict[str, Any], is_one: bool) -> None:
    assert jsonschema.Draft202012Validator(schema()).is_valid(table) is is_one
