"""The zoo: every sick environment of tests/envs and its healthy twin, and the command that
examines them for real.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENVS = Path(__file__).parents[1] / "envs"
PROGRAMS = Path(__file__).parents[1] / "programs"
COMMAND = Path(sys.executable).with_name("envdoctor")
PATIENCE = 900.0  # seconds, which end a hang; one examination takes one to five


@dataclass(frozen=True)
class Animal:
    """One environment of the zoo: `code` is what it must raise, None for a healthy one. It is
    examined by `command`; `gives_way` are rules whose findings give way to others, since the cure of
    those takes the whole of them; `interpreter` is the environment variable that names the Python it
    needs, empty where any will do.
    """

    file: Path
    spec: str
    code: str | None
    arguments: tuple[str, ...]
    also: tuple[str, ...]
    command: str = "check"
    interpreter: str = ""
    gives_way: tuple[tuple[str, str], ...] = ()

    @property
    def python(self) -> tuple[str, ...] | None:
        """The option that names its Python; None where it needs one that is not there."""
        if not self.interpreter:
            return ()
        path = os.environ.get(self.interpreter)
        return ("--python", path) if path else None

    def __str__(self) -> str:
        return f"{self.file.stem}-{'sick' if self.code else 'healthy'}"


def constants(file: Path) -> dict[str, Any]:
    """The literal constants of a zoo file, read without importing it."""
    values = {}
    for node in ast.parse(file.read_text()).body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id.isupper()
        ):
            try:
                values[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return values


def animals() -> list[Animal]:
    """Every sick environment and its twin, in the order of their codes."""
    zoo = []
    for file in sorted(ENVS.glob("[a-z][a-z][a-z][0-9][0-9][0-9]_*.py")):
        known = constants(file)
        targets = known.get(
            "TARGETS", {name: f"{file.name}:{name}" for name in ("Sick", "Healthy")}
        )
        sick, healthy = (scripted(known, name) for name in ("Sick", "Healthy"))
        how = (
            known.get("COMMAND", "check"),
            known.get("INTERPRETER", ""),
            tuple(known.get("GIVES_WAY", {}).items()),
        )
        zoo.append(Animal(file, targets["Sick"], file.stem[:6].upper(), *sick, *how))
        zoo.append(Animal(file, targets["Healthy"], None, *healthy, *how))
    return zoo


def scripted(known: dict[str, Any], name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The arguments of one animal, with the training script that it is used in where there is
    one; and what else it raises.
    """
    script = known.get("SCRIPTS", {}).get(name)
    return (*known.get("ARGUMENTS", ()), *(("--script", script) if script else ())), tuple(
        known.get("ALSO", ())
    )


def examine(
    *arguments: str, cwd: Path = ENVS, command: str = "check"
) -> tuple[int, dict[str, Any]]:
    """Run the installed command; (exit code, JSON document). Fails with what it printed when
    that is no JSON.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("FORCE_COLOR", "GITHUB_ACTIONS")
    }
    if command == "watch":
        return watch(*arguments, cwd=cwd, environment=environment)
    with container_engine() as engine:
        done = subprocess.run(
            [str(COMMAND), command, *arguments, "--format", "json"],
            cwd=cwd,
            env=environment | engine,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    try:
        return done.returncode, json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise AssertionError(
            f"exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        ) from error


@contextlib.contextmanager
def container_engine() -> Iterator[dict[str, str]]:
    """The variables with which a stand-in for docker is first on PATH. Fails where an examination
    leaves containers.
    """
    with tempfile.TemporaryDirectory() as folder:
        yield {
            # It is a program of Python's, and started often: a shim in Python's place takes longer
            # to start than all that it does.
            "PATH": os.pathsep.join(
                (
                    str(PROGRAMS),
                    str(Path(sys.executable).resolve().parent),
                    os.environ.get("PATH", os.defpath),
                )
            ),
            "STAND_IN_ENGINE": folder,
        }
        left = [path.read_text() for path in Path(folder).glob("*.container")]
        assert not left, left


def watch(*words: str, cwd: Path, environment: dict[str, str]) -> tuple[int, dict[str, Any]]:
    """Watch a training and return the exit code and the report: its command behind `--`, or a
    script, `file.py:Sick`, which is run with that word.
    """
    if "--" in words:
        at = words.index("--")
        options = words[:at]
        command = tuple(sys.executable if word == "python" else word for word in words[at + 1 :])
    else:
        script = next(word for word in words if ".py:" in word)
        options = tuple(word for word in words if word != script)
        command = (sys.executable, *script.split(":"))
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        done = subprocess.run(
            [
                *(str(COMMAND), "watch", "--format", "json", "--output", str(report)),
                *("--fail-on", "error", *options, "--", *command),
            ],
            cwd=cwd,
            env={**environment, "TMPDIR": folder},  # a training may leave what it makes there
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert report.exists(), f"exit {done.returncode}\n{done.stdout}\n{done.stderr[-4000:]}"
        return done.returncode, json.loads(report.read_text())


def messages_of(document: dict[str, Any], *severities: str) -> list[str]:
    """`CODE message` of the findings of some severities (all, if none is named)."""
    return [
        f"{finding['code']} [{finding['manager']} {finding['start_method']}] {finding['message']}"
        for finding in document["findings"]
        if not severities or finding["severity"] in severities
    ]
