"""Facts about its author that a report does not disclose: by values, and by the installed command."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from envdoctor.model.actions import VALUE, PlayedActions
from envdoctor.model.finding import Finding, Location, Remedy
from envdoctor.verdict.redaction import (
    HIDDEN,
    ReportOwner,
    anonymous,
    command_without_values,
    discreet,
    paths_in,
    retold,
    without_home,
    without_known_paths,
    without_names,
    without_option_values,
    without_paths,
    without_project,
)
from tests.reporters.reports import ALL, finding, healthy, report, sick
from tests.support.zoo import COMMAND, PATIENCE

ADA = ReportOwner("/home/ada", "/home/ada/walker", "ada", "engine.example.org", ("s3cret",))


class Reach(NamedTuple):
    file: str
    meters: float


def test_named_tuple_stays_one() -> None:
    found = retold(Reach("/home/ada/x.py", 1.5), without_home("/home/ada"))
    assert found == Reach("~/x.py", 1.5)
    assert isinstance(found, Reach)


@pytest.mark.parametrize("home", ["", "/"])
def test_home_that_is_every_folder_is_not_hidden(home: str) -> None:
    assert without_home(home)("/mnt/x.py and /") == "/mnt/x.py and /"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/home/ada/x.py:3", "~/x.py:3"),
        ("in '/home/ada'", "in '~'"),
        ('File "/home/ada/x.py"', 'File "~/x.py"'),
        ("PATH=/home/ada/bin:/home/ada/lib", "PATH=~/bin:~/lib"),
        ("/home/adam/x.py", "/home/adam/x.py"),
        ("/mnt/home/ada/x.py", "/mnt/home/ada/x.py"),
        ("file:///home/ada/x.py", "file://~/x.py"),
        ("\x1b[1;31m/home/ada/x.py\x1b[0m", "\x1b[1;31m~/x.py\x1b[0m"),
        ("nothing may be written to /home/ada.", "nothing may be written to ~."),
        ("/home/ada.old/x.py", "/home/ada.old/x.py"),
    ],
)
def test_home(text: str, told: str) -> None:
    assert without_home("/home/ada")(text) == told


@pytest.mark.parametrize("home", ["", "/", "//"])
def test_a_user_without_a_home(home: str) -> None:
    assert without_home(home)("/x/y") == "/x/y"
    assert without_project(home)("/x/y") == "/x/y"
    assert discreet(sick, ReportOwner(home)) is sick


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "/opt/venv/lib/python3.11/site-packages/gymnasium/core.py:3",
            "[path]/lib/python3.11/site-packages/gymnasium/core.py:3",
        ),
        ("/data/secret-project/run.py", "[path]/run.py"),
        ("~/other/run.py", "[path]/run.py"),
        ("/dev/shm/psm_1", "/dev/shm/psm_1"),
        ("https://github.com/a/b/issues/1", "https://github.com/a/b/issues/1"),
        ("1/2 and/or src/x.py", "1/2 and/or src/x.py"),
        ("file:///data/x/y.py", "file://[path]/y.py"),
        ('File "/data/x.py", line 3', 'File "[path]/x.py", line 3'),
    ],
)
def test_paths(text: str, told: str) -> None:
    assert without_paths(text) == told


@pytest.mark.parametrize(
    "path", ["/srv/secret lab/x.py", "/mnt/Ada, Lovelace/x.py", "/data/(ada)/x.py"]
)
def test_a_path_with_odd_characters_is_hidden_as_a_whole(path: str) -> None:
    found = {"error": {"frames": [{"file": path, "line": 3}]}, "text": "not a path"}
    assert paths_in(found) == {path}
    assert without_known_paths([path])(f"raised at {path}:3") == "raised at [path]/x.py:3"
    assert without_known_paths(["/plain/x.py"])("/plain/x.py") == "/plain/x.py", "left to the rest"


def test_names_and_values() -> None:
    tell = without_names(ADA)
    assert (
        tell("ada on engine, engine.example.org; adamant; s3cret")
        == "[user] on [host], [host]; adamant; [hidden]"
    )
    assert (
        without_names(ReportOwner(user="root", host="localhost", values=("a",)))("root a localhost")
        == "root a localhost"
    )


def test_project() -> None:
    assert (
        without_project("/home/ada/walker")("/home/ada/walker/src/x.py in /home/ada/walker")
        == "src/x.py in ."
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("check", "A-v0", "-k", "key=1", "--kwarg=key=1", "-kkey=1"),
            ("check", "A-v0", "-k", "[hidden]", "--kwarg=[hidden]", "-k[hidden]"),
        ),
        (
            ("leak", "A-v0", "--python", "/x/python", "--output=/x/y"),
            ("leak", "A-v0", "--python", "[hidden]", "--output=[hidden]"),
        ),
        (("check", "A-v0", "--managers", "all"), ("check", "A-v0", "--managers", "all")),
    ],
)
def test_the_command_line(words: tuple[str, ...], told: tuple[str, ...]) -> None:
    assert command_without_values(words) == told


def told_of_ada() -> Finding:
    return replace(
        finding(message="ada loses /home/ada/walker/x.py and /srv/data/y on engine"),
        evidence={
            "held": {"/home/ada/.cache/z": "3 bytes"},
            "stderr": "token=abc",
            "depth": [{"first": "password"}],
        },
        location=Location("/home/ada/walker/x.py", 3, "close"),
        remedy=Remedy("see /home/ada/y", ("cd /home/ada",)),
    )


def test_report_is_redacted() -> None:
    (plain,) = discreet(report(told_of_ada()), ADA).findings
    assert plain.message == "ada loses ~/walker/x.py and /srv/data/y on engine"
    assert plain.evidence["held"] == {"~/.cache/z": "3 bytes"}
    assert (plain.location, plain.remedy.commands) == (
        Location("~/walker/x.py", 3, "close"),
        ("cd ~",),
    )
    (veiled,) = anonymous(report(told_of_ada()), ADA).findings
    assert veiled.message == "[user] loses x.py and [path]/y on [host]"
    assert veiled.evidence == {
        "held": {"[path]/z": "3 bytes"},
        "stderr": "[hidden]",
        "depth": [{"first": "[hidden]"}],
    }
    assert veiled.location == Location("x.py", 3, "close")
    assert len({told_of_ada().fingerprint, plain.fingerprint}) == 1


def test_options_are_hidden_wherever_a_command_line_is_repeated() -> None:
    given = (
        "-k size=3 -k 'rate=[7]' --import talk --script 'train.py --seed 42' --action '{say = 5}'"
    )
    command = f"'my arm.py:Arm' {given} --python /usr/bin/python3"
    lines = (
        f"envdoctor check {command} -k depth=VALUE",
        f"envdoctor leak {command} --cycles 2310",
        f"envdoctor check 'my arm.py:Arm' {given} --python /path/to/python",
    )
    seen = report(replace(told_of_ada(), remedy=Remedy("", lines)))
    subject = replace(
        seen.subjects[0], command=command, actions=PlayedActions(VALUE, "{say = 5}", "", "Talk(5)")
    )
    words = ("envdoctor", "check", *shlex.split(command))
    veiled = anonymous(replace(seen, subjects=(subject,), command=words), ADA)
    shown = shlex.join(("-k", HIDDEN, "-k", HIDDEN, "--import", HIDDEN, "--script", HIDDEN))
    shown += f" {shlex.join(('--action', HIDDEN))}"
    assert veiled.findings[0].remedy.commands == (
        f"envdoctor check 'my arm.py:Arm' {shown} --python '{HIDDEN}' -k depth=VALUE",
        f"envdoctor leak 'my arm.py:Arm' {shown} --python '{HIDDEN}' --cycles 2310",
        f"envdoctor check 'my arm.py:Arm' {shown} --python [path]/python",
    )
    assert shlex.split(veiled.subjects[0].command) == list(veiled.command[2:])
    assert veiled.subjects[0].actions == PlayedActions(VALUE, HIDDEN, "", HIDDEN)
    assert not {"size=3", "{say = 5}", "talk"} & set(veiled.command)


def test_a_command_line_that_no_shell_reads_is_hidden_as_a_whole() -> None:
    assert without_option_values(["Arm-v0 -k 'a=1"])("check Arm-v0 -k 'a=1") == f"check {HIDDEN}"


@pytest.mark.parametrize("name", ALL)
def test_text_without_names_stays_as_it_is(name: str) -> None:
    assert discreet(ALL[name], ReportOwner("/nobody/has/this")) == ALL[name]
    assert retold(healthy, str) == healthy


PRINTS = """
import os, sys, tempfile

class Arm:
    def __init__(self, key=""):
        self.key = key

    def reset(self, seed=None):
        raise RuntimeError(f"no licence {self.key} for {os.path.expanduser('~')}/licence, " + __file__)

    def step(self, action):
        return 0, 0.0, False, False, {}
"""


@pytest.mark.everything
@pytest.mark.parametrize("format_", ["terminal", "json"])
def test_the_command(tmp_path: Path, format_: str) -> None:
    home = tmp_path / "home" / "augusta"
    (home / "project").mkdir(parents=True)
    (home / "project" / "arm.py").write_text(PRINTS)
    words = [
        str(COMMAND),
        "check",
        f"{home}/project/arm.py:Arm",
        "-k",
        'key="a-secret-key"',
        "--format",
        format_,
        "-v",
        "--managers",
        "direct",
        "--select",
        "API001",
    ]

    def said(*more: str) -> str:
        environment = {
            **os.environ,
            "HOME": str(home),
            "USER": "augusta",
            "LOGNAME": "augusta",
            "TOKEN": "value-of-a-variable",
        }
        done = subprocess.run(
            [*words, *more],
            cwd=home / "project",
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 1, done.stderr
        return done.stdout.replace("\n", " ")

    plain, veiled = said(), said("--anonymous")
    assert str(home) not in plain + veiled
    assert "~/licence" in plain
    assert "value-of-a-variable" not in plain + veiled
    assert "a-secret-key" in plain
    for secret in ("a-secret-key", "augusta", str(tmp_path), platform.node()):
        assert secret not in veiled or not secret, (secret, veiled)
    assert format_ != "json" or json.loads(veiled)["command"][:3] == [
        "envdoctor",
        "check",
        "arm.py:Arm",
    ]


@pytest.mark.everything
def test_anonymous_report_keeps_baseline_and_policy_of_the_real_names(tmp_path: Path) -> None:
    """Policy and baseline are about SPECs as they are typed: they are heard before these are
    hidden.
    """
    home = tmp_path / "home" / "augusta"
    (home / "project" / "arms").mkdir(parents=True)
    (home / "project" / "arms" / "arm.py").write_text(PRINTS)
    (home / "project" / "envdoctor.toml").write_text(
        f'[environments."{home}/*"]\nignore = {{ REG = "augusta says so" }}\n'
    )
    spec, words = (
        f"{home}/project/arms/arm.py:Arm",
        ["-k", 'key="a-secret-key"', "--managers", "direct", "--select", "API001,MAK001"],
    )

    def run(*arguments: str) -> tuple[int, str]:
        environment = {**os.environ, "HOME": str(home), "USER": "augusta", "LOGNAME": "augusta"}
        command = [str(COMMAND), *arguments]
        done = subprocess.run(
            command,
            cwd=home / "project",
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    assert run("check", spec, *words, "--save", "run.jsonl")[0] == 1
    assert run("baseline", "run.jsonl", "--output", "known.toml")[0] == 0
    assert run("check", spec, *words, "--anonymous", "--baseline", "known.toml")[0] == 0
    code, veiled = run("gate", "run.jsonl", "--anonymous", "--format", "json")
    assert code == 1
    assert run("report", "run.jsonl", "--anonymous", "--format", "json")[0] == 0
    for secret in ("a-secret-key", "augusta", str(tmp_path), platform.node()):
        assert secret not in veiled or not secret, (secret, veiled)
    plain = json.loads(run("gate", "run.jsonl", "--format", "json")[1])
    assert [finding["code"] for finding in plain["findings"]] == [
        finding["code"] for finding in json.loads(veiled)["findings"]
    ]
    (entry,) = json.loads(
        run(
            "report",
            "run.jsonl",
            "--anonymous",
            "--no-config",
            "--select",
            "API001",
            "--format",
            "gitlab",
        )[1]
    )
    # Services that show it beside the code still can.
    assert entry["location"] == {"path": "arms/arm.py", "lines": {"begin": 9}}
