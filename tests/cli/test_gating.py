"""The commands that judge what is known, at the command line; and the configuration, as the
other commands hear it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner, Result

import envdoctor.run.examine
from envdoctor.cli.main import app
from envdoctor.config.keys import schema
from envdoctor.model.report import Report
from envdoctor.model.subject import ID, Subject
from envdoctor.request.request import Request
from envdoctor.rules.engine.examples import fact, growing, instance, raised, trace, verb
from envdoctor.saved.reading import read_runs
from envdoctor.saved.writing import RunFile
from envdoctor.verdict.diagnosis import Run, RunEvidence
from tests.reporters.reports import healthy
from tests.support.zoo import COMMAND, ENVS, PATIENCE

LINES = "".join(
    f"{line}\n"
    for line in (
        "[tool.envdoctor]",
        "specs = ['CartPole-v1', 'a.py:Env']",
        "timeout = 5",
        "fail-on = 'warning'",
        "seed = 3",
    )
)


@pytest.fixture(autouse=True)
def _calm_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "FORCE_COLOR",
        "GITHUB_ACTIONS",
        "PY_COLORS",
        "NO_COLOR",
        "COLUMNS",
        "ENVDOCTOR_DEBUG",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/ana")
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def refused(*arguments: str) -> str:
    """The one sentence of wrong usage."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("envdoctor: ").rstrip()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """Requests that the engine gets. It answers with the same report each time."""
    requests: list[Request] = []

    def examine(request: Request, *_: object) -> Report:
        requests.append(request)
        return healthy

    monkeypatch.setattr(envdoctor.run.examine, "examine", examine)
    return requests


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A run in which close() raises and objects leak."""
    ended = {"event": "scenario", "t": 0.0, "pid": 1, "state": "ended", "dirty": []}
    known = {"found": True, "env_class": "lab.Walker", "frameworks": {"gymnasium": "1.4.0"}}
    survey = trace(fact("survey", known), ended, name="survey", script="survey")
    broken = trace(
        verb("make"),
        verb("reset"),
        verb("step:20"),
        verb("close", "raised", error=raised()),
        instance("close-raised"),
        ended,
    )
    subject = Subject("lab/Walker-v0", ID, "lab/Walker-v0")
    seen = RunEvidence(
        subject,
        (survey, broken, *growing(objects=2)),
        {"cores": 8, "memory": 2**33},
        {"undefined": []},
        seconds=1.0,
    )
    recorder = RunFile(tmp_path / "run.jsonl")
    recorder.begin(Run(0, 3.0, (), {}, "0.1.0"), ("CLS001", "CLS004", "LEK001"))
    for played in seen.traces:
        recorder.trace(subject, played)
    recorder.over(seen)
    recorder.end(healthy)
    return recorder.path


def killed(path: Path) -> Path:
    """As a doctor leaves it that is killed."""
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-2]))
    return path


def test_the_gate(saved: Path, snapshot: SnapshotAssertion) -> None:
    result = run("gate", str(saved))
    assert (result.exit_code, result.stdout) == (1, snapshot)


def test_the_gate_opens_for_what_is_known_and_says_why_with_v(
    saved: Path, snapshot: SnapshotAssertion
) -> None:
    assert run("baseline", str(saved), "--reason", "mended in May").exit_code == 0
    result = run("gate", str(saved), "--baseline", ".envdoctor-baseline.toml", "-v")
    assert (result.exit_code, result.stdout) == (0, snapshot)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 1),
        (["--exit-zero"], 0),
        (["--ignore", "CLS,LEK"], 4),
        (["--ignore", "CLS,LEK", "--allow-inconclusive"], 0),
        (["--ignore", "CLS001,LEK"], 0),
        (["--select", "LEK001"], 1),
        (["--select", "CLS004"], 0),
    ],
)
def test_exit_codes(saved: Path, options: list[str], code: int) -> None:
    assert run("gate", str(saved), *options).exit_code == code


def test_a_run_that_is_not_complete_passes_no_gate(
    saved: Path, snapshot: SnapshotAssertion
) -> None:
    killed(saved)
    assert run("gate", str(saved), "--ignore", "LEK001").exit_code == 1
    result = run("gate", str(saved), "--ignore", "LEK001,CLS001")
    assert (result.exit_code, result.stdout) == (4, snapshot)
    assert (
        run("gate", str(saved), "--ignore", "LEK001,CLS001", "--allow-inconclusive").exit_code == 0
    )


def test_a_report_shows_and_does_not_judge(saved: Path, tmp_path: Path) -> None:
    assert run("report", str(saved)).exit_code == 0
    assert run("report", str(saved), "--format", "json", "--output", "report.json").stdout == ""
    assert {
        one["code"] for one in json.loads((tmp_path / "report.json").read_text())["findings"]
    } == {"CLS001", "LEK001"}


@pytest.mark.parametrize("command", ["gate", "report", "baseline", "config"])
def test_help(command: str, snapshot: SnapshotAssertion) -> None:
    assert run(command, "--help").stdout == snapshot


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["gate", "none.jsonl"], "none.jsonl: no such file or directory"),
        (
            ["gate", "run.jsonl", "--select", "clos-raises"],
            "no rule is called clos-raises; did you mean close-raises?",
        ),
        (
            ["gate", "run.jsonl", "--baseline", "none"],
            "baseline none not found; `envdoctor baseline SPEC --output none` writes one",
        ),
        (
            ["gate", "run.jsonl", "--fail-on", "warnin"],
            "no severity is called 'warnin'; did you mean warning?",
        ),
        (["gate", "run.jsonl", "--format", "jsn"], "no format is called 'jsn'; did you mean json?"),
        (["gate", "run.jsonl", "--config", "none.toml"], "none.toml: no such file or directory"),
        (
            ["gate", "run.jsonl", "--config", "x.toml", "--no-config"],
            "--config and --no-config do not go together",
        ),
        (
            ["baseline", "run.jsonl", "CartPole-v1"],
            "name saved runs or environments, not some of each",
        ),
        (
            ["baseline", "run.jsonl", "--output", "here/b.toml"],
            "--output here/b.toml: directory here not found",
        ),
        (["check", "CartPole-v1", "--save", "."], "--save . is a directory; name a file in it"),
        (
            ["check", "CartPole-v1", "--save", "here/run"],
            "--save here/run: directory here not found",
        ),
        (
            ["check"],
            (
                "name an environment, for example `CartPole-v1`, or list `specs` in the table"
                " [tool.envdoctor] of pyproject.toml"
            ),
        ),
    ],
)
def test_wrong_usage(saved: Path, arguments: list[str], sentence: str) -> None:
    assert refused(*arguments) == sentence


def test_reasons_are_not_lost(saved: Path) -> None:
    assert (
        run("baseline", str(saved), "--reason", "mended in May").stdout
        == ".envdoctor-baseline.toml: 2 known findings\n"
    )
    assert "is there already" in refused("baseline", str(saved))
    assert (
        run("baseline", str(saved), "--update").stdout
        == ".envdoctor-baseline.toml: 2 known findings (0 new, 0 dropped)\n"
    )
    assert Path(".envdoctor-baseline.toml").read_text().count("mended in May") == 2


def test_a_baseline_in_json(saved: Path) -> None:
    assert run("baseline", str(saved), "--output", "known.json").exit_code == 0
    assert len(json.loads(Path("known.json").read_text())["known"]) == 2
    assert run("gate", str(saved), "--baseline", "known.json").exit_code == 0


# The configuration


def test_configuration_fills_the_request(asked: list[Request]) -> None:
    Path("pyproject.toml").write_text(LINES)
    Path("a.py").write_text("")
    Path("below").mkdir()
    os.chdir("below")
    assert run("check").exit_code == 0
    (request,) = asked
    assert [subject.text for subject in request.subjects] == ["CartPole-v1", "a.py:Env"]
    assert request.subjects[1].path == str(Path("../a.py").resolve())
    assert (request.timeout, request.fail_on, request.seed) == (5, "warning", 3)


def test_the_command_line_goes_before(asked: list[Request]) -> None:
    Path("pyproject.toml").write_text(LINES)
    assert run("check", "Acrobot-v1", "--timeout", "7", "--fail-on", "error").exit_code == 0
    (request,) = asked
    assert (
        [subject.text for subject in request.subjects],
        request.timeout,
        request.fail_on,
        request.seed,
    ) == (["Acrobot-v1"], 7.0, "error", 3)


def test_without_a_configuration(asked: list[Request]) -> None:
    Path("pyproject.toml").write_text(LINES)
    assert run("check", "CartPole-v1", "--no-config").exit_code == 0
    assert asked[0].timeout == 30.0


def test_environments_of_their_own(asked: list[Request]) -> None:
    Path("envdoctor.toml").write_text(
        "memory-limit = '2G'\nkwargs = { size = 1, mode = 'a' }\n[environments.'Cart*']\ntimeout ="
        " 60\nmemory-limit = '4G'\nmanagers = ['direct']\nkwargs = { size = 2 }\nimport ="
        " ['carts']\n"
    )
    assert run("check", "CartPole-v1", "Acrobot-v1", "-k", "mode='b'").exit_code == 0
    (request,) = asked
    cart, acrobot = request.subjects
    assert (cart.kwargs, cart.imports, acrobot.kwargs, acrobot.imports) == (
        {"size": 2, "mode": "b"},
        ("carts",),
        {"size": 1, "mode": "b"},
        (),
    )
    assert (request.of(cart).timeout, request.of(cart).managers) == (60.0, ("direct",))
    assert (request.memory, request.of(cart).memory) == (2 << 30, 4 << 30)
    assert request.of(acrobot) == request
    assert run("leak", "CartPole-v1").exit_code == 0
    assert asked[1].of(asked[1].subjects[0]).timeout == 60.0


@pytest.mark.parametrize(
    "option",
    ["--baseline", "--output", "--save", "--config", "--script", "--python", "--report=html"],
)
def test_a_name_that_no_file_can_have(asked: list[Request], option: str) -> None:
    name = "x" * 5000
    words = [f"{option}={name}"] if "=" in option else [option, name]
    assert refused("check", "CartPole-v1", *words)
    assert refused("baseline", "x" * 300, "--output", "x" * 5000)
    assert refused("gate", name)
    assert not asked


def test_a_leak_check_goes_where_the_configuration_says(asked: list[Request]) -> None:
    Path("envdoctor.toml").write_text(
        "managers = ['gymnasium-sync']\n[environments.'Cart*']\nmanagers = ['gymnasium-async']\n"
    )
    for words in (
        ["Acrobot-v1"],
        ["CartPole-v1"],
        ["CartPole-v1", "--managers", "sb3-dummy"],
        ["Acrobot-v1", "--no-config"],
    ):
        assert run("leak", *words).exit_code == 0
    assert [request.of(request.subjects[0]).managers for request in asked] == [
        ("gymnasium-sync",),
        ("gymnasium-async",),
        ("sb3-dummy",),
        ("direct",),
    ]


def test_managers_of_another_interpreter_are_left_to_it(asked: list[Request]) -> None:
    """It may have plug-ins that this one has not: also where the configuration names it, and
    for one environment alone.
    """
    Path("envdoctor.toml").write_text(
        f"python = '{sys.executable}'\nmanagers = ['acme-pool']\n[environments.'Cart*']\nmanagers ="
        " ['acme-cluster']\n"
    )
    for command in ("check", "leak"):
        assert run(command, "CartPole-v1").exit_code == 0
    assert [(request.managers, request.of(request.subjects[0]).managers) for request in asked] == [
        (("acme-pool",), ("acme-cluster",))
    ] * 2
    assert run("leak", "A-v0", "--managers", "acme-other").exit_code == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "managers = ['gymnasium-asyn']",
            (
                "envdoctor.toml:1: no manager is called 'gymnasium-asyn'; did you mean"
                " gymnasium-async?"
            ),
        ),
        (
            "[environments.'Cart*']\nmanagers = ['direkt']",
            "envdoctor.toml:2: no manager is called 'direkt'; did you mean direct?",
        ),
        (
            "memory-limit = '4'",
            "envdoctor.toml:1: --memory-limit '4' is not a size; write it like 4G",
        ),
        (
            "[environments.'Cart*']\ntimeout = 1e7",
            "envdoctor.toml:2: --timeout 1e+07: it has to be a number of seconds up to 1,000,000",
        ),
        ("python = 'no/such/python'", "envdoctor.toml:1: --python"),
        ("baseline = 'none.toml'", "baseline none.toml not found; "),
        ("seed = 'x'", "envdoctor.toml:1: seed has to be a whole number from 0 to 4294967295"),
    ],
)
def test_a_configuration_that_cannot_be_meant(
    asked: list[Request], text: str, sentence: str
) -> None:
    Path("envdoctor.toml").write_text(text)
    assert refused("check", "CartPole-v1").startswith(sentence)


def test_findings_are_ignored_for_a_reason(saved: Path, snapshot: SnapshotAssertion) -> None:
    Path("envdoctor.toml").write_text(
        "ignore = { CLS001 = 'the vendor knows', CLS004 = 'once' }\nbudgets = ['python objects per"
        " cycle <= 2']\nseverity = { LEK = 'warning' }\n"
    )
    result = run("gate", str(saved), "-v")
    assert (result.exit_code, result.stdout) == (0, snapshot)
    statuses = [
        (one["code"], one["severity"], one["status"])
        for one in json.loads(run("gate", str(saved), "--format", "json").stdout)["findings"]
    ]
    assert statuses == [("CLS001", "error", "ignored"), ("LEK001", "warning", "below")]


def test_the_configuration_is_shown(snapshot: SnapshotAssertion) -> None:
    Path("pyproject.toml").write_text(
        LINES + '[tool.envdoctor.environments."MiniGrid-*"]\ntimeout = 60\n'
    )
    assert run("config", "--jobs", "2").stdout == snapshot
    shown = json.loads(run("config", "--jobs", "2", "--format", "json").stdout)
    assert shown["values"]["jobs"] == {"value": 2, "origin": "command line"}
    assert shown["values"]["timeout"] == {"value": 5, "origin": "pyproject.toml:3"}
    assert shown["environments"] == {
        "MiniGrid-*": {"timeout": {"value": 60, "origin": "pyproject.toml:7"}}
    }


def test_the_schema_of_the_configuration() -> None:
    assert json.loads(run("schema", "--config").stdout) == schema()


# For real


def test_a_doctor_that_is_killed_leaves_what_it_saw(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    words = [str(COMMAND), "check", "hng004_step_hangs.py:Sick", "--save", str(path), "-v"]
    with subprocess.Popen(
        words, cwd=ENVS, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as doctor:
        assert doctor.stderr
        # That a second scenario begins means that the first was saved.
        begun = [doctor.stderr.readline() for _ in range(2)]
        doctor.send_signal(signal.SIGKILL)
    assert all(begun)
    (one,) = read_runs([path])
    assert not one.complete
    assert one.evidence["hng004_step_hangs.py:Sick"].traces[0].scenario.name == "survey"
    assert run("gate", str(path)).exit_code in (1, 4)


def test_everything_that_is_judged_again(tmp_path: Path) -> None:
    """For real, under workers, too: byte for byte, but for the command."""
    live = (
        "check",
        str(ENVS / "cls006_close_leaves_descriptors.py") + ":Sick",
        "--managers",
        "direct,gymnasium-async",
        "--start-methods",
        "fork",
        "--no-try-remedies",
        "--save",
        "run.jsonl",
    )
    documents = []
    for words in (live, ("report", "run.jsonl")):
        command = [str(COMMAND), *words, "--format", "json"]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        documents.append(json.loads(done.stdout))
    for document in documents:
        document["command"] = []
    assert json.dumps(documents[0]) == json.dumps(documents[1])
    assert documents[0]["findings"]
