"""One dataclass of options makes the command line's parameters and the Python API's."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from envdoctor import api
from envdoctor.cli import command_options, main
from envdoctor.cli.main import check, leak
from envdoctor.cli.signatures import spread
from envdoctor.plan.episodes import STEPS
from envdoctor.request.options import BOUNDS, CheckOptions, LeakOptions, Options
from envdoctor.request.request import Request
from tests.reporters.reports import healthy


def parameters_of(function: Callable[..., object]) -> set[str]:
    return set(inspect.signature(function).parameters)


#: What the command line has and a program says elsewhere: of the report that it got.
ELSEWHERE = {
    "allow_inconclusive": api.exit_code,
    "fail_on": api.exit_code,
    "format_": api.render,
    "quiet": api.render,
    "verbose": api.render,
    "output": api.render,
    "reports": api.render,
    "exit_zero": api.exit_code,
}
#: Files that a command reads, keeps or changes besides: a program says all itself.
FILES = {"baseline", "config", "diff", "fix", "no_config", "result"}
ONLY_PROGRAMS = {"spec", "kwargs", "imports", "script"}
NAMES = {"function": "callable_", "try_remedies": "no_try_remedies"}

#: What each option is given, on the command line and by a program.
CHECK_VALUES: dict[str, tuple[list[str], Any]] = {
    "python": (["--python", sys.executable], sys.executable),
    "managers": (["--managers", "direct,sb3-dummy"], ["direct", "sb3-dummy"]),
    "start_methods": (["--start-methods", "fork"], "fork"),
    "select": (["--select", "CLS"], ["CLS"]),
    "ignore": (["--ignore", "CLS001"], "CLS001"),
    "timeout": (["--timeout", "3"], 3),
    "budget": (["--budget", "5m"], 300),
    "memory_limit": (["--memory-limit", "2G"], "2G"),
    "seed": (["--seed", "7"], 7),
    "jobs": (["--jobs", "3"], 3),
    "quick": (["--quick"], True),
    "steps": (["--steps", "50"], 50),
    "episodes": (["--episodes", "4"], 4),
    "action": (["--action", "[1, 2]"], [1, 2]),
    "actions": (["--actions", "mylab.policies:act"], "mylab.policies:act"),
    "faults": (["--faults"], True),
    "thorough": (["--thorough"], True),
    "anonymous": (["--anonymous"], True),
    "try_remedies": (["--no-try-remedies"], False),
    "cold": (["--cold"], True),
    "service_count": (["--service-count", "redis-cli dbsize"], "redis-cli dbsize"),
}
LEAK_VALUES: dict[str, tuple[list[str], Any]] = {
    **{name: CHECK_VALUES[name] for name in CHECK_VALUES if name in parameters_of(api.leak)},
    "cycles": (["--cycles", "70"], 70),
    "time_budget": (["--time-budget", "9"], 9),
    "save_memray": (["--save-memray", "captures"], "captures"),
    "storage": (["--storage", "sb3"], "sb3"),
    "capacity": (["--capacity", "40", "--storage", "sb3"], 40),
    "function": (["--callable"], True),
}


def names(kind: type[Options | command_options.Outlets]) -> set[str]:
    return {each.name for each in fields(kind)}


@pytest.mark.parametrize(
    ("table", "kind", "missing"),
    [
        (command_options.CHECK, CheckOptions, set()),
        (command_options.LEAK, LeakOptions, {"allow_inconclusive", "result"}),
    ],
)
def test_every_option_is_on_the_command_line(
    table: Mapping[str, Any], kind: type[Options], missing: set[str]
) -> None:
    assert table.keys() == (names(kind) | names(command_options.Outlets)) - missing


@pytest.mark.parametrize(("function", "kind"), [(api.check, CheckOptions), (api.leak, LeakOptions)])
def test_the_api_has_the_same_options(function: Callable[..., object], kind: type[Options]) -> None:
    parameters = inspect.signature(function).parameters
    there = {NAMES.get(name, name) for name in parameters} - ONLY_PROGRAMS
    everything = names(kind) | names(command_options.Outlets)
    assert there == everything - ELSEWHERE.keys() - FILES
    defaults = kind()
    for name in parameters.keys() & names(kind):
        given = parameters[name].default
        assert given == getattr(defaults, name) or not given, name


CASES = [("check", CHECK_VALUES, name) for name in CHECK_VALUES]
CASES += [("leak", LEAK_VALUES, name) for name in LEAK_VALUES]


@pytest.mark.parametrize(("command", "values", "name"), CASES, ids=lambda case: str(case)[:20])
def test_option_means_the_same_to_the_command_and_to_the_api(
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    values: Mapping[str, tuple[list[str], Any]],
    name: str,
) -> None:
    words, value = values[name]
    more = {"storage": "sb3"} if name == "capacity" else {}
    spec = "mylab.training:iterate" if name == "function" else "CartPole-v1"
    plain = asked_by_the_api(monkeypatch, command, spec, more)
    by_api = asked_by_the_api(monkeypatch, command, spec, {name: value, **more})
    assert by_api == asked_by_the_command(monkeypatch, [command, spec, "--no-config", *words])
    assert by_api != plain


def asked_by_the_api(
    monkeypatch: pytest.MonkeyPatch, command: str, spec: str, options: Mapping[str, Any]
) -> Request:
    asked: list[Request] = []
    monkeypatch.setattr(api, "examine", lambda request, *_, **__: asked.append(request) or healthy)
    getattr(api, command)(spec, **options)
    return asked[0]


def asked_by_the_command(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> Request:
    asked: list[Request] = []
    monkeypatch.setattr(
        main, "_play", lambda _context, _settings, request, *_: asked.append(request)
    )
    result = CliRunner().invoke(main.app, words)
    assert result.exit_code == 0, result.output
    return asked[0]


def test_every_option_of_the_api_is_compared() -> None:
    for function, values in ((api.check, CHECK_VALUES), (api.leak, LEAK_VALUES)):
        assert values.keys() == parameters_of(function) - ONLY_PROGRAMS - {"save"}


def test_numbers_have_the_same_bounds_on_the_command_line() -> None:
    for table in (command_options.CHECK, command_options.LEAK):
        for name in table.keys() & BOUNDS.keys() - {"capacity"}:
            (option,) = table[name].__metadata__
            assert (option.min, option.max) == BOUNDS[name]


def test_whole_episodes_are_followed_as_far_by_default_everywhere() -> None:
    assert Options().steps == STEPS


def test_the_commands_show_their_options() -> None:
    for command, table in ((check, command_options.CHECK), (leak, command_options.LEAK)):
        assert table.keys() <= inspect.signature(command).parameters.keys()


def test_a_dataclass_becomes_parameters() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Size:
        width: int = 3
        hidden: int = 5

    seen: list[object] = []
    app = typer.Typer()
    table = {"width": Annotated[int, typer.Option("--width")]}

    def show(name: str, size: Size) -> None:
        seen.append((name, size))

    show.__annotations__ = {"name": str, "size": Size, "return": None}
    app.command()(spread(table)(show))
    assert CliRunner().invoke(app, ["box", "--width", "7"]).exit_code == 0
    assert CliRunner().invoke(app, ["box"]).exit_code == 0
    assert seen == [("box", Size(width=7)), ("box", Size())]
    assert CliRunner().invoke(app, ["box", "--hidden", "7"]).exit_code == 2
