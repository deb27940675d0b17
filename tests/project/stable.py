"""All that docs/stability.md promises, as lines: `python -m tests.project.stable` adds what is new
to stable.txt. It removes nothing: what goes is taken out by hand, in a new major version.
"""

from __future__ import annotations

import ast
import inspect
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import typer.main

import envdoctor
import envdoctor.inside
import envdoctor.testing
from envdoctor import pytest_plugin
from envdoctor.cli.main import app
from envdoctor.config.keys import ENVIRONMENTS, KEYS
from envdoctor.errors import ExitCode
from envdoctor.frameworks import MANAGERS, STORAGES
from envdoctor.model.finding import BASELINED, BELOW, IGNORED, OPEN, SEVERITIES, Finding
from envdoctor.model.report import HEALTHY, INCONCLUSIVE, SICK, Report
from envdoctor.reporters import json_v1, jsonl, own_formats
from envdoctor.rules.engine.registry import catalogue
from envdoctor.saved import lines_v1
from envdoctor.verdict import baseline

ROOT = Path(__file__).parents[2]
SNAPSHOT = Path(__file__).with_name("stable.txt")

#: Attributes of a Finding and of a Report that judging alone reads.
INTERNAL = {"explained_by", "explained_alone", "key", "measures", "of_function", "traces"}
PLUGINS = ("managers", "frameworks", "sensors", "rules", "reporters", "exporters")


def promised() -> set[str]:
    """The lines of the snapshot."""
    return set(SNAPSHOT.read_text(encoding="utf-8").splitlines())


def present() -> set[str]:
    """The names of today."""
    return {
        *command_lines(),
        *(f"exit code {code.value} {code.name}" for code in ExitCode),
        *(f"format {name}" for name in own_formats()),
        *(f"json{path}" for path in json_keys(json.loads(json_v1.schema()))),
        *(f"jsonl type {name}" for name in ("run", *jsonl.LISTS, jsonl.SUMMARY)),
        f"saved run {lines_v1.MARK} {lines_v1.FORMAT}",
        f"baseline {baseline.NAME}",
        *(f"configuration {name}" for name in (*KEYS, ENVIRONMENTS)),
        *(f"severity {name}" for name in SEVERITIES),
        *(f"verdict {name}" for name in (HEALTHY, SICK, INCONCLUSIVE)),
        *(f"status {name}" for name in (OPEN, IGNORED, BASELINED, BELOW)),
        *(f"rule {entry.code} {entry.name}" for entry in catalogue() if is_ours(entry.module)),
        *(f"manager {name}" for name in MANAGERS),
        *(f"storage {name}" for name in STORAGES),
        *(f"entry point envdoctor.{kind}" for kind in PLUGINS),
        *python_names(),
        *pytest_names(),
        *scripts(),
    }


def is_ours(module: str) -> bool:
    """Return whether a rule is not one of another package."""
    return module.startswith("envdoctor.rules.")


def command_lines() -> Iterator[str]:
    """Each command with its arguments and options."""
    root = typer.main.get_command(app)
    yield from parameters("envdoctor", root)
    commands: Mapping[str, Any] = root.commands  # type: ignore[attr-defined]
    for name, command in commands.items():
        yield f"command {name}"
        yield from parameters(f"envdoctor {name}", command)


def parameters(command: str, parsed: Any) -> Iterator[str]:
    """Arguments and options of a command: `--seed N`, `--quiet`, SPEC."""
    for each in parsed.params:
        if getattr(each, "hidden", False):
            continue
        if each.param_type_name == "argument":
            yield f"argument {command} {each.metavar or each.name}"
            continue
        is_plain = each.is_flag or each.count
        value = "" if is_plain else f" {each.metavar or 'VALUE'}"
        names = (*each.opts, *each.secondary_opts)
        yield from (f"option {command} {name}{value}" for name in names)


def json_keys(schema: Mapping[str, Any]) -> Iterator[str]:
    """Each key of a JSON Schema, with what its value is: `.findings[].code string`."""
    yield from _keys("", schema, schema.get("$defs", {}), ())


def _keys(
    path: str, node: Mapping[str, Any], parts: Mapping[str, Any], above: tuple[str, ...]
) -> Iterator[str]:
    reference = str(node.get("$ref", "")).removeprefix("#/$defs/")
    if reference in above:
        return
    if reference:
        yield from _keys(path, parts[reference], parts, (*above, reference))
        return
    for alternative in (*node.get("oneOf", ()), *node.get("anyOf", ())):
        yield from _keys(path, alternative, parts, above)
    if "items" in node:
        yield from _keys(f"{path}[]", node["items"], parts, above)
    for key, value in node.get("properties", {}).items():
        yield f"{path}.{key} {_kind(value)}".rstrip()
        yield from _keys(f"{path}.{key}", value, parts, above)


def _kind(node: Mapping[str, Any]) -> str:
    kind = node.get("type", "")
    return kind if isinstance(kind, str) else " or ".join(sorted(kind))


def python_names() -> Iterator[str]:
    """The names that programs import, call and read."""
    for name in envdoctor.__all__:
        value = getattr(envdoctor, name)
        yield f"python envdoctor.{name}"
        if inspect.isfunction(value):
            arguments = inspect.signature(value).parameters
            yield from (f"python envdoctor.{name}({each})" for each in arguments)
    for kind in (Report, Finding):
        names = {each.name for each in fields(kind)} - INTERNAL
        yield from (f"python envdoctor.{kind.__name__}.{name}" for name in names)
    yield "python envdoctor.Finding.fingerprint"
    yield "python envdoctor.Report.count"
    yield from (f"python envdoctor.testing.{name}" for name in envdoctor.testing.__all__)
    attributes = (name for name in dir(envdoctor.inside.Watching()) if not name.startswith("_"))
    yield from (f"python envdoctor.watching().{name}" for name in attributes)
    yield from callbacks()


def callbacks() -> Iterator[str]:
    """The callbacks of frameworks, as their files list them: they are not imported here."""
    for file in sorted((ROOT / "envdoctor/callbacks").glob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names = ast.literal_eval(node.value)
                yield from (f"python envdoctor.callbacks.{file.stem}.{name}" for name in names)


def pytest_names() -> Iterator[str]:
    """The names that pytest gets."""
    asked: list[str] = []

    class Options:
        """As much of pytest's parser as the plug-in asks for."""

        def getgroup(self, _name: str) -> Options:
            return self

        def addoption(self, name: str, **_more: object) -> None:
            asked.append(f"pytest option {name}")

        def addini(self, name: str, *_more: object, **_others: object) -> None:
            asked.append(f"pytest ini {name}")

    pytest_plugin.pytest_addoption(Options())  # type: ignore[arg-type]
    name = pytest_plugin.MARK
    return iter((*asked, f"pytest marker {name}", f"pytest fixture {name}"))


def scripts() -> Iterator[str]:
    """The commands that the package installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    yield from (f"script {name}" for name in project["scripts"])
    yield from (f"extra {name}" for name in project["optional-dependencies"])


def text_of(lines: Iterable[str]) -> str:
    """The snapshot, in the order in which a person looks for a line."""
    return "".join(f"{line}\n" for line in sorted(lines))


if __name__ == "__main__":
    there = promised() if SNAPSHOT.exists() else set()
    SNAPSHOT.write_text(text_of(there | present()), encoding="utf-8")
