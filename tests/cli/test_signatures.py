"""One dataclass of options makes the command line's parameters and the Python API's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from envdoctor import api
from envdoctor.cli import command_options
from envdoctor.cli.main import check, leak
from envdoctor.cli.signatures import spread
from envdoctor.plan.episodes import STEPS
from envdoctor.request.options import CheckOptions, LeakOptions, Options

#: What only one side has, and what both have under names of their own.
ONLY_COMMAND_LINE = {
    CheckOptions: {"fail_on", "budget", "jobs", "quick", "thorough"},
    LeakOptions: {"fail_on", "save_memray"},
}
ONLY_PROGRAMS = {"spec", "kwargs", "imports", "script"}
NAMES = {"function": "callable_", "try_remedies": "no_try_remedies"}


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
    assert there == names(kind) - ONLY_COMMAND_LINE[kind]
    defaults = kind()
    for name in parameters.keys() & names(kind):
        given = parameters[name].default
        assert given == getattr(defaults, name) or not given, name


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
