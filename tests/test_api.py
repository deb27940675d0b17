"""The doctor for programs: the same reports as the commands give, and nothing printed, left or
exited.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import envdoctor
from envdoctor.api import named, subject_of
from envdoctor.errors import UsageError
from envdoctor.model.report import Report
from envdoctor.plan.leak_session import QUICK
from envdoctor.plan.replay_buffers import StorageRequest
from envdoctor.plan.scenarios import STORAGE_CODES
from envdoctor.request.request import Request
from envdoctor.rules.close import cls001_close_raises
from envdoctor.rules.engine.registry import leak_check_codes
from envdoctor.saved.judging import report_again
from envdoctor.saved.writing import RunFile
from envdoctor.testing import (
    Example,
    assert_closes_cleanly,
    assert_healthy,
    assert_no_growth,
    direct_view,
    run_examples,
)
from tests.reporters.reports import healthy

ENVS = Path(__file__).parent / "envs"


class Outer:
    class Inner:
        pass


def zoo(file: str, name: str) -> str:
    return f"{ENVS / file}:{name}"


@pytest.mark.always
def test_a_check_is_a_report_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    report = envdoctor.check(
        zoo("cls006_close_leaves_descriptors.py", "Sick"), select=["CLS006"], managers=["direct"]
    )
    assert isinstance(report, Report)
    assert [finding.code for finding in report.findings] == ["CLS006"]
    assert report.verdict == "sick"
    assert envdoctor.exit_code(report) == 1
    assert "CLS006" in envdoctor.render(report)
    assert capfd.readouterr() == ("", "")


def test_all_that_the_commands_know_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Request] = []
    monkeypatch.setattr(
        envdoctor.api, "examine", lambda request, _progress, **_: asked.append(request) or healthy
    )
    (tmp_path / "train.py").write_text("")
    script = str(tmp_path / "train.py")
    envdoctor.check("CartPole-v1", memory_limit="4G", script=script, anonymous=True)
    envdoctor.leak(
        "CartPole-v1",
        memory_limit="2G",
        script=script,
        anonymous=True,
        storage=["sb3"],
        capacity=50,
    )
    check, leak = asked
    assert (check.memory, check.anonymous, check.subjects[0].script, check.storage) == (
        4 << 30,
        True,
        script,
        None,
    )
    assert (leak.memory, leak.anonymous, leak.subjects[0].script, leak.storage) == (
        2 << 30,
        True,
        script,
        StorageRequest(("sb3",), 50, 60.0),
    )
    assert (leak.select, leak.leak_check) == ((*leak_check_codes(), *STORAGE_CODES), QUICK)


def test_run_is_saved_and_the_trouble_of_a_file_is_a_warning(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    options = {"select": "CLS006", "managers": "direct", "try_remedies": False}
    report = envdoctor.check(
        zoo("cls006_close_leaves_descriptors.py", "Healthy"), save=run, **options
    )
    assert report_again((run,), (), (), ()).passed == report.passed
    with pytest.raises(UsageError, match=r"^save \S+envs: Is a directory$"):
        envdoctor.check("CartPole-v1", save=ENVS, **options)
    with pytest.raises(UsageError, match="this file exists and is not a saved run"):
        envdoctor.check("CartPole-v1", save=__file__, **options)


def test_run_that_cannot_be_saved_to_its_end_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(_request: Request, _progress: object, recorder: RunFile) -> Report:
        recorder.trouble = f"{recorder.path}: No space left on device; the saved run ends early"
        return healthy

    monkeypatch.setattr(envdoctor.api, "examine", ended)
    with pytest.warns(RuntimeWarning, match="the saved run ends early") as caught:
        envdoctor.check("A-v0", save="run.jsonl")
    assert caught[0].filename == __file__


def test_a_leak_is_followed() -> None:
    report = envdoctor.leak(zoo("leaks.py", "Clean"))
    assert report.verdict == "healthy"
    assert report.subjects[0].growth[0].cycles == 35


def test_invalid_argument_is_a_usage_error() -> None:
    with pytest.raises(
        envdoctor.UsageError,
        match=r"no manager is called 'gymnasium-asink'; did you mean gymnasium-async\?",
    ):
        envdoctor.check("CartPole-v1", managers=["gymnasium-asink"])
    with pytest.raises(envdoctor.EnvdoctorError, match="cannot be handed to another process"):
        envdoctor.check("CartPole-v1", kwargs={"on_event": print})
    with pytest.raises(UsageError, match="memory_limit '4' is not a size; write it like 4G"):
        envdoctor.check("CartPole-v1", memory_limit="4")
    with pytest.raises(UsageError, match="timeout -1: it has to be a number of seconds"):
        envdoctor.leak("CartPole-v1", timeout=-1)
    with pytest.raises(UsageError, match="no storage is called 'sb33'; did you mean sb3"):
        envdoctor.leak("CartPole-v1", storage=["sb33"], capacity=10)
    with pytest.raises(UsageError, match="no format is called"):
        envdoctor.render(None, "jsonn")


def test_one_text_is_as_good_as_a_list_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Request] = []
    monkeypatch.setattr(
        envdoctor.api, "examine", lambda request, _progress, **_: asked.append(request) or healthy
    )
    envdoctor.check(
        "A-v0",
        managers="direct",
        select="CLS,LEK",
        ignore="CLS001",
        start_methods="fork",
        imports="mylab.envs",
    )
    envdoctor.leak("A-v0", storage="sb3", managers=None, seed=np.int64(7), timeout=np.float32(2))
    check, leak = asked
    assert (check.managers, check.select, check.ignore, check.start_methods) == (
        ("direct",),
        ("CLS", "LEK"),
        ("CLS001",),
        ("fork",),
    )
    assert check.subjects[0].imports == ("mylab.envs",)
    assert (leak.storage, leak.managers, leak.seed, leak.timeout) == (
        StorageRequest(("sb3",), 0, 60.0),
        ("direct",),
        7,
        2.0,
    )


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"managers": 3}, "managers=3: it has to be a text, or a list of texts"),
        ({"select": [1]}, "select=[1]: it has to be a text, or a list of texts"),
        ({"timeout": "30"}, "timeout='30': it has to be a number of seconds, as 30 or 0.5"),
        ({"memory_limit": 4}, "memory_limit=4: it has to be a text"),
        ({"python": 3}, "python=3: it has to be a text"),
        ({"seed": -1}, "seed=-1: it has to be a whole number from 0 to 4294967295"),
        ({"seed": "x"}, "seed='x': it has to be a whole number from 0 to 4294967295"),
        ({"kwargs": [1]}, "kwargs=[1]: they have to be a dictionary, as {'size': 5}"),
        ({"jobs": 0}, "jobs=0: it has to be a whole number from 1 to 1000"),
        ({"quick": "no"}, "quick='no': it has to be True or False"),
        ({"try_remedies": "no"}, "try_remedies='no': it has to be True or False"),
        ({"budget": [5]}, "budget=[5]: it has to be a number of seconds, as 30 or 0.5"),
        (
            {"budget": "soon"},
            "invalid budget 'soon': expected a number with s, m or h, such as 60s",
        ),
        ({"quick": True, "faults": True}, "quick does not go together with thorough or faults"),
        ({"save": 3}, "save=3: it has to be a text"),
        (
            {"save": "a.jsonl", "anonymous": True},
            "save keeps what anonymous would hide: leave out one of them",
        ),
        ({"spec": []}, "name an environment, for example CartPole-v1, or hand over its class"),
        ({"spec": 3}, "name an environment, for example CartPole-v1, or hand over its class"),
    ],
)
def test_an_argument_of_another_kind_is_one_sentence(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(says)}"):
        envdoctor.check(**{"spec": "A-v0", **wrong})


def test_a_leak_check_of_no_length_is_one_sentence() -> None:
    for wrong in ({"cycles": -3}, {"capacity": 0, "storage": "sb3"}, {"time_budget": 0}):
        with pytest.raises(UsageError, match="has to be a"):
            envdoctor.leak("A-v0", **wrong)
    with pytest.raises(UsageError, match="no severity is called 'eror'; did you mean error"):
        assert_healthy(healthy, "eror")


def test_a_class_is_found_by_its_name() -> None:
    text, directory = named(Outer.Inner)
    assert text == "tests.test_api:Outer.Inner"
    assert Path(directory) == Path(__file__).parents[1]
    assert subject_of(Outer, {"size": 5}).kwargs == {"size": 5}


def test_a_class_whose_module_has_another_name_than_its_file_is_found_in_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ENVS))
    spec = importlib.util.spec_from_file_location("somewhere_else", ENVS / "leaks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "somewhere_else", module)
    spec.loader.exec_module(module)
    assert named(module.Clean) == (f"{ENVS / 'leaks.py'}:Clean", str(Path.cwd()))


@pytest.mark.parametrize(
    "nameless",
    [lambda: None, type("Local", (), {"__qualname__": "test.<locals>.Local"})],
    ids=["lambda", "local"],
)
def test_factory_without_an_importable_name_is_refused(nameless: object) -> None:
    with pytest.raises(UsageError, match="define it at the top of a module"):
        named(nameless)


def test_names_cost_nothing_until_they_are_used() -> None:
    assert all(getattr(envdoctor, name) is not None for name in envdoctor.__all__)
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        envdoctor.chek  # noqa: B018
    code = (
        "import sys, envdoctor; print([name for name in sys.modules if name.split('.')[0] in"
        " ('rich', 'typer', 'psutil', 'gymnasium', 'json')])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


def test_an_assertion_on_growth_shows_what_grows() -> None:
    with pytest.raises(
        AssertionError,
        match=r"LEK005 descriptors-grow[\s\S]*every new instance leaves 1 descriptor",
    ):
        assert_no_growth(zoo("leaks.py", "Descriptor"))


@pytest.mark.everything
def test_an_assertion_on_growth_holds_where_nothing_grows() -> None:
    assert_no_growth(zoo("leaks.py", "Clean"))


@pytest.mark.everything
def test_an_assertion_on_close_shows_what_is_wrong() -> None:
    with pytest.raises(AssertionError, match="CLS001 close-raises"):
        assert_closes_cleanly(zoo("cls001_close_raises.py", "Sick"))


def test_an_assertion_on_close_holds_where_close_works() -> None:
    assert_closes_cleanly(zoo("cls001_close_raises.py", "Healthy"))


def test_inconclusive_report_fails_the_assertion() -> None:
    with pytest.raises(AssertionError, match="inconclusive"):
        assert_healthy(replace(healthy, passed=(), verdict="inconclusive"))


def test_examples_of_a_rule_are_run() -> None:
    rule = cls001_close_raises.close_raises
    run_examples(rule)
    silent = Example("nothing was played", direct_view())
    with pytest.raises(AssertionError, match="needs an example that speaks"):
        run_examples(rule, [silent])
    with pytest.raises(
        AssertionError, match=r"CLS001, 'wrong': said \(\), should have said \('so',\)"
    ):
        run_examples(rule, [silent, Example("wrong", direct_view(), "so")])
