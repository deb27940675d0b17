"""The command line, with the engine replaced: what it is asked for, what is written where, and
the exit codes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner, Result

import envdoctor.run.examine
from envdoctor import __version__
from envdoctor.cli.main import app
from envdoctor.errors import NothingToCheck
from envdoctor.frameworks import MANAGERS, STORAGES
from envdoctor.model.report import Report
from envdoctor.plan.leak_session import Effort
from envdoctor.request.choices import START_METHODS, managers
from envdoctor.request.request import Request
from envdoctor.rules.engine.registry import all_rules, catalogue, leak_check_codes
from envdoctor.verdict.triage import select_rules
from tests.reporters.reports import ALL, healthy

Answer = Report | BaseException


@pytest.fixture(autouse=True)
def _calm_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "FORCE_COLOR",
        "GITHUB_ACTIONS",
        "PY_COLORS",
        "NO_COLOR",
        "COLUMNS",
        "ENVDOCTOR_DEBUG",
    ):
        monkeypatch.delenv(name, raising=False)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Answer], list[Request]]]:
    """`asked(answer)` makes the engine answer so; the list it returns fills with what the
    engine is asked for.
    """

    def install(answer: Answer) -> list[Request]:
        requests: list[Request] = []

        def examine(request: Request, progress: Callable[[str], None], *_: object) -> Report:
            requests.append(request)
            progress("playing")
            if isinstance(answer, BaseException):
                raise answer
            return answer

        monkeypatch.setattr(envdoctor.run.examine, "examine", examine)
        return requests

    yield install


def test_everything_arrives(asked: Callable[[Answer], list[Request]]) -> None:
    requests = asked(healthy)
    result = run(
        "check",
        "CartPole-v1",
        "pkg.mod:Env",
        "-k",
        "size=3",
        "-k",
        'mode="a"',
        "--import",
        "pkg",
        "--python",
        sys.executable,
        "--select",
        "CLS006,HNG",
        "--select",
        "close-hangs",
        "--ignore",
        "CLS001",
        "--managers",
        "direct, gymnasium-sync",
        "--start-methods",
        "fork",
        "--fail-on",
        "note",
        "--timeout",
        "2",
        "--seed",
        "7",
        "--jobs",
        "2",
        "-v",
    )
    assert result.exit_code == 0, result.stderr
    (request,) = requests
    assert [subject.text for subject in request.subjects] == ["CartPole-v1", "pkg.mod:Env"]
    assert request.subjects[0].kwargs == {"size": 3, "mode": "a"}
    assert request.subjects[0].imports == ("pkg",)
    assert request.subjects[0].directory == os.getcwd()
    assert request.select == ("CLS006", "HNG", "close-hangs")
    assert (request.python, request.ignore, request.managers) == (
        sys.executable,
        ("CLS001",),
        ("direct", "gymnasium-sync"),
    )
    assert (request.start_methods, request.fail_on, request.timeout) == (("fork",), "note", 2.0)
    assert (request.seed, request.jobs, request.verbosity, request.command[0]) == (
        7,
        2,
        1,
        "envdoctor",
    )


def test_nothing_is_chosen_by_default(asked: Callable[[Answer], list[Request]]) -> None:
    requests = asked(healthy)
    assert run("check", "A-v0", "A-v0").exit_code == 0
    (request,) = requests
    assert len(request.subjects) == 1
    assert request == Request(request.subjects, command=request.command)


def test_leak_asks_for_a_leak_check(
    asked: Callable[[Answer], list[Request]], tmp_path: Path
) -> None:
    requests = asked(ALL["native"])
    result = run(
        "leak",
        "A-v0",
        "-k",
        "size=3",
        "--cycles",
        "100",
        "--thorough",
        "--time-budget",
        "5",
        "--save-memray",
        str(tmp_path / "kept"),
        "--managers",
        "gymnasium-async",
        "--timeout",
        "2",
        "--seed",
        "7",
    )
    assert result.exit_code == 1, result.stderr
    assert "Grows by 1.6 KiB per reset" in result.stdout
    (request,) = requests
    assert request.leak_check == Effort(100, 5.0, thorough=True, save=str(tmp_path / "kept"))
    assert (request.managers, request.timeout, request.seed) == (("gymnasium-async",), 2.0, 7)
    assert request.select == leak_check_codes()
    assert select_rules(catalogue(), leak_check_codes(), ())
    assert run("leak", "A-v0", "--exit-zero").exit_code == 0
    assert requests[1].managers == ("direct",)
    assert requests[1].leak_check == Effort()


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        ("healthy", [], 0),
        ("sick", [], 1),
        ("sick", ["--exit-zero"], 0),
        ("warned", [], 0),
        ("warned", ["--fail-on", "warning"], 1),
        ("inconclusive", [], 4),
        ("inconclusive", ["--allow-inconclusive"], 0),
        ("interrupted", [], 130),
        ("interrupted", ["--exit-zero"], 130),
    ],
)
def test_exit_codes(
    asked: Callable[[Answer], list[Request]], name: str, options: list[str], code: int
) -> None:
    asked(ALL[name])
    result = run("check", "A-v0", *options)
    assert result.exit_code == code
    assert result.stdout


def test_stdout_carries_the_report_and_nothing_else(
    asked: Callable[[Answer], list[Request]],
) -> None:
    asked(ALL["sick"])
    result = run("check", "A-v0", "--format", "json")
    assert json.loads(result.stdout)["summary"]["verdict"] == "sick"
    assert result.stderr == ""
    assert run("check", "A-v0", "-v").stderr == "playing\n"
    assert run("check", "A-v0", "-qq").output == ""


def test_a_piped_screen_has_no_colour_and_a_forced_one_has(
    asked: Callable[[Answer], list[Request]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(ALL["sick"])
    assert "\x1b" not in run("check", "A-v0").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in run("check", "A-v0").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("check", "A-v0").stdout


def test_output_goes_to_the_file(asked: Callable[[Answer], list[Request]], tmp_path: Path) -> None:
    asked(ALL["sick"])
    result = run("check", "A-v0", "--format", "json", "--output", str(tmp_path / "report.json"))
    assert (result.exit_code, result.output) == (1, "")
    assert json.loads((tmp_path / "report.json").read_text())["version"] == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["check", "A-v0", "--managers", "gymnasium-asinc"],
            "no manager is called 'gymnasium-asinc'; did you mean gymnasium-async?",
        ),
        (
            ["check", "A-v0", "--start-methods", "spwan"],
            "no start method is called 'spwan'; did you mean spawn?",
        ),
        (
            ["check", "A-v0", "--start-methods", "x"],
            "no start method is called 'x'; there are fork, forkserver, spawn",
        ),
        (
            ["check", "A-v0", "--fail-on", "eror"],
            "no severity is called 'eror'; did you mean error?",
        ),
        (["check", "A-v0", "--format", "jsn"], "no format is called 'jsn'; did you mean json?"),
        (
            ["check", "A-v0", "--python", "/nowhere/python"],
            "--python /nowhere/python: no executable of that name",
        ),
        (
            ["check", "A-v0", "--python", "/usr"],
            "--python /usr is a directory; did you mean /usr/bin/python?",
        ),
        (
            ["check", "A-v0", "--output", "/nowhere/report"],
            "--output /nowhere/report: directory /nowhere not found",
        ),
        (["check", "A-v0", "--output", "/usr"], "--output /usr is a directory; name a file in it"),
        (["check", "A-v0", "-k", "size"], "-k size: write name=value"),
        (["check", ""], "a SPEC is empty"),
        (
            ["check", "A-v0", "--select", "close-hang"],
            "no rule is called close-hang; did you mean close-hangs?",
        ),
        (["leak", "A-v0", "--managers", "sinc"], "no manager is called 'sinc'"),
        (
            ["leak", "A-v0", "--save-memray", "/usr/bin/env"],
            "--save-memray /usr/bin/env: /usr/bin/env is not a directory",
        ),
        (["explain", "cls6"], "no rule is called 'cls6'; did you mean CLS006?"),
        (
            ["explain", "close-leaves-descriptor"],
            "no rule is called 'close-leaves-descriptor'; did you mean close-leaves-descriptors?",
        ),
        (["explain", "???"], "no rule is called '???'; `envdoctor rules` lists them"),
        (["rules", "--format", "xml"], "no format is called 'xml'; there are terminal, json"),
    ],
)
def test_wrong_usage_is_one_sentence(arguments: list[str], sentence: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"envdoctor: {sentence}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [["check"], ["check", "A-v0", "--timeout", "0"], ["check", "A-v0", "--sed", "1"], ["chek"]],
)
def test_words_that_typer_refuses_are_wrong_usage_too(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # `check` alone looks for environments in the folder
    assert run(*arguments).exit_code == 2


def test_a_file_without_environments_is_nothing_to_check(
    asked: Callable[[Answer], list[Request]],
) -> None:
    asked(NothingToCheck("a.py holds no environment"))
    result = run("check", "A-v0")
    assert (result.exit_code, result.output) == (3, "envdoctor: a.py holds no environment\n")


def test_our_own_bug_is_said_to_be_ours(
    asked: Callable[[Answer], list[Request]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(ZeroDivisionError("oh\nno"))
    result = run("check", "A-v0")
    assert (result.exit_code, result.stdout) == (70, "")
    assert result.stderr.startswith(
        "envdoctor: this is a bug in envdoctor, not in your environment (ZeroDivisionError: oh no)"
    )
    assert "Traceback" not in result.stderr
    monkeypatch.setenv("ENVDOCTOR_DEBUG", "1")
    assert "Traceback" in run("check", "A-v0").stderr


def test_all_managers_are_all_there_are(asked: Callable[[Answer], list[Request]]) -> None:
    requests = asked(healthy)
    assert run("check", "A-v0", "--managers", "all", "--start-methods", "all").exit_code == 0
    assert requests[-1].managers == managers()
    assert requests[-1].start_methods == START_METHODS


def test_interrupted_before_the_report(asked: Callable[[Answer], list[Request]]) -> None:
    asked(KeyboardInterrupt())
    assert run("check", "A-v0").exit_code == 130


def test_a_closed_pipe_keeps_the_exit_code() -> None:
    code = "from envdoctor.cli.start import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_rules_are_all_listed() -> None:
    listed = run("rules").stdout
    assert all(rule.code in listed and rule.name in listed for rule in all_rules().values())
    entries = json.loads(run("rules", "--format", "json").stdout)
    assert [entry["code"] for entry in entries] == list(all_rules())


def test_explain_shows_the_manual_page(snapshot: SnapshotAssertion) -> None:
    assert (
        run("explain", "cls006").stdout
        == run("explain", "close-leaves-descriptors").stdout
        == snapshot
    )


def test_schema_is_printed() -> None:
    assert json.loads(run("schema").stdout)["title"] == "envdoctor report, version 1"


def test_version() -> None:
    assert run("--version").stdout == f"envdoctor {__version__}\n"


@pytest.mark.parametrize(
    ("command", "known"), [("check", MANAGERS), ("sweep", MANAGERS), ("leak", STORAGES)]
)
def test_help_names_all_of_a_kind(command: str, known: tuple[str, ...]) -> None:
    shown = re.sub(r"-\n +", "-", run(command, "--help").stdout)  # words are broken at hyphens
    assert [name for name in known if name not in shown] == []


def test_help_imports_next_to_nothing() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from envdoctor.cli.main import app;assert"
        " CliRunner().invoke(app, ['--help']).exit_code == 0;print([name for name in sys.modules if"
        " name.split('.')[0] == 'rich' or name.startswith('envdoctor.')])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True
    )
    ours = [
        "envdoctor.cli",
        "envdoctor.cli.parameters",
        "envdoctor.errors",
        "envdoctor.plugins",
        "envdoctor.reporters",  # the names of their files are the formats that --help lists
        "envdoctor.request",
        "envdoctor.request.options",
        "envdoctor.cli.options",
        "envdoctor.cli.command_options",
        "envdoctor.cli.gating",
        "envdoctor.cli.sweep_options",
        "envdoctor.cli.streams",
        "envdoctor.cli.error_handling",
        "envdoctor.cli.signatures",
        "envdoctor.cli.sweeping",
        "envdoctor.cli.watch_options",
        "envdoctor.cli.main",
    ]
    assert result.stdout.strip() == str(ours)
