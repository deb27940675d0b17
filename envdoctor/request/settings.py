"""The configuration and the options as one: what was said on the command line wins, then what the
configuration says of an environment, then what it says of all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from envdoctor.config.toml_text import toml
from envdoctor.discovery.files import NOT_ENTERED
from envdoctor.errors import UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.request import choices
from envdoctor.request.argument_sets import named
from envdoctor.request.options import Words
from envdoctor.request.specs import parse, parse_kwargs, parse_script

if TYPE_CHECKING:
    from envdoctor.config.values import Config
    from envdoctor.model.report import Report
    from envdoctor.model.subject import Subject
    from envdoctor.verdict.baseline import BaselineEntry

MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")
SOURCES = "src"
DEEPEST = 2  # folders: packages/arm/pyproject.toml

COMMAND_LINE = "command line"


@dataclass(frozen=True)
class Settings:
    """The sources of options. `on_command_line` are keys that it has; `folder` is the one of the
    configuration. `command_line` says how a user spells options: `--time-budget`, else
    `time_budget`.
    """

    config: Config | None
    on_command_line: frozenset[str]
    folder: str
    command_line: bool = True

    def spelled(self, key: str) -> str:
        """The name of an option, as the user writes it."""
        return f"--{key}" if self.command_line else key.replace("-", "_")

    def pick(self, key: str, value: object) -> Any:
        """The value of the command line, if it has one, or that of the configuration, or else
        `value`.
        """
        if key in self.on_command_line or self.config is None or key not in self.config.values:
            return value
        return self.config.values[key]

    def pick_for(self, key: str, spec: str, value: object) -> Any:
        """Like `pick`, for one environment."""
        if key in self.on_command_line or self.config is None:
            return value
        return self.config.of(spec).get(key, self.pick(key, value))

    def subjects(
        self,
        specs: Words,
        kwarg: Words,
        imports: Words,
        script: str | None,
        search_path: tuple[str, ...] = (),
    ) -> tuple[Subject, ...]:
        """The environments to examine: those that are named, or else those of the
        configuration. `search_path` are folders in which their modules are looked for after all
        others; `src` beside them is one, and those of a repository of several packages are others.
        Raises UsageError.
        """
        here, texts = os.getcwd(), tuple(dict.fromkeys(specs or ()))
        directory, texts = (here, texts) if texts else (self.folder, self.named_in_file())
        if not texts:
            raise UsageError(
                "name an environment, for example `CartPole-v1`, or list `specs` in the table"
                " [tool.envdoctor] of pyproject.toml"
            )
        kwargs, (path, arguments) = parse_kwargs(kwarg or ()), parse_script(script, here)
        subjects = (
            named(
                parse(
                    spec,
                    {**self.kwargs_of(title), **kwargs},
                    imports or self.pick_for("import", title, ()),
                    directory,
                    path,
                    arguments,
                ),
                title,
            )
            for spec in texts
            for title in self.titles(spec, kwargs)
        )
        return tuple(
            replace(each, search_path=(*search_path, *roots_of(each.module, directory)))
            for each in subjects
        )

    def subject(
        self, spec: str, kwarg: Words = None, imports: Words = None, script: str | None = None
    ) -> Subject:
        """The one environment that a SPEC names. Raises UsageError."""
        first, *others = self.subjects((spec,), kwarg, imports, script)
        if others:
            ways = ", or ".join(
                " ".join(f"-k {quote(f'{name}={toml(value)}')}" for name, value in kwargs.items())
                for kwargs in (each.kwargs for each in (first, *others))
                if kwargs
            )
            raise UsageError(
                f"{spec} is listed with {len(others) + 1} sets of arguments: name one of them,"
                f" as {ways}"
            )
        return first

    def named_in_file(self) -> tuple[str, ...]:
        """The SPECs that the configuration names."""
        listed = self.config.listed.values() if self.config else ()
        return tuple(dict.fromkeys((*self.pick("specs", ()), *listed)))

    def titles(self, spec: str, arguments: Mapping[str, object]) -> tuple[str, ...]:
        """The environments that a SPEC stands for: one for each set of arguments that the
        configuration lists. With other arguments, none of those is meant.
        """
        titles = (spec,) if self.config is None else self.config.titles(spec)
        if not arguments:
            return titles
        wanted = {**self.kwargs_of(spec), **arguments}
        return tuple(each for each in titles if self.kwargs_of(each) == wanted)[:1] or (spec,)

    def kwargs_of(self, spec: str) -> dict[str, object]:
        """The arguments that the configuration gives to an environment."""
        return {} if self.config is None else self.config.merged("kwargs", spec)

    def python(self, word: str | None) -> str | None:
        """The interpreter. Raises UsageError."""
        return (
            self._interpreter(self.pick("python", word), "python")
            if "python" not in self.on_command_line
            else choices.interpreter(word)
        )

    def memory(self, text: str | None) -> int:
        """The ceiling in bytes, 0 where none is named. Raises UsageError."""
        number: int = self.said(
            lambda: choices.size(self.spelled("memory-limit"), self.pick("memory-limit", text)),
            "memory-limit",
        )
        return number

    def several(
        self, key: str, noun: str, words: Iterable[str] | None, known: Iterable[str]
    ) -> tuple[str, ...]:
        """The words of an option that may be repeated, all of them known. Raises UsageError."""
        result: tuple[str, ...] = self.said(
            lambda: choices.several(noun, self.pick(key, words), known), key
        )
        return result

    def managers(self, words: Iterable[str] | None, python: str | None) -> tuple[str, ...]:
        """The managers of the option, all of them known here, or left to another interpreter to
        know. Raises UsageError.
        """
        result: tuple[str, ...] = self.said(
            lambda: choices.chosen_managers(self.pick("managers", words), self.python(python)),
            "managers",
        )
        return result

    def overrides(self, subjects: Iterable[Subject]) -> dict[str, dict[str, object]]:
        """Return the fields that differ for single environments, by SPEC. Raises UsageError."""
        return {subject.text: own for subject in subjects if (own := self._own(subject.text))}

    def _own(self, spec: str) -> dict[str, object]:
        values: Mapping[str, object] = {} if self.config is None else self.config.of(spec)
        is_named = "python" in self.on_command_line
        interpreter = COMMAND_LINE if is_named else self.pick_for("python", spec, None)
        readers: dict[str, tuple[str, Callable[..., object]]] = {
            "timeout": ("timeout", partial(choices.seconds, "--timeout")),
            "memory-limit": ("memory", partial(choices.size, "--memory-limit")),
            "python": ("python", lambda word: self._interpreter(word, "python")),
            "managers": ("managers", lambda words: choices.chosen_managers(words, interpreter)),
            "start-methods": (
                "start_methods",
                lambda words: choices.several("start method", words, choices.START_METHODS),
            ),
        }
        asked = {
            key: reader
            for key, reader in readers.items()
            if key in values and key not in self.on_command_line
        }
        return {
            name: self.said(partial(read, values[key]), key, spec)
            for key, (name, read) in asked.items()
        }

    def _interpreter(self, word: str | None, key: str) -> str | None:
        if word is not None and "/" in word and not word.startswith(("/", "~")):
            word = str(Path(self.folder, word))
        text: str | None = self.said(lambda: choices.interpreter(word), key)
        return text

    def said(self, read: Callable[[], object], key: str, spec: str = "") -> Any:
        """Return what `read` returns. A fault of the configuration is reported with its line."""
        try:
            return read()
        except UsageError as error:
            if (
                self.config is None
                or key in self.on_command_line
                or (origin := self.config.origin_for(spec, key)) == "default"
            ):
                raise
            raise UsageError(f"{origin}: {error}") from error

    def baseline_path(self, path: Path | None) -> Path | None:
        """The baseline that is named, relative to where its name stands."""
        word = None if "baseline" in self.on_command_line else self.pick("baseline", None)
        return shown(Path(self.folder, Path(word).expanduser())) if word else path

    def settle(self, report: Report, baseline: tuple[BaselineEntry, ...] | None) -> Report:
        """The report as the configuration and the baseline have it."""
        if self.config is None and baseline is None:
            return report
        from envdoctor.verdict import policy

        return policy.settle(
            report,
            self.config.policy(baseline) if self.config else policy.Policy(baseline=baseline),
        )


def shown(path: Path) -> Path:
    """A path as the user would type it here."""
    path = path.absolute()
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def roots_of(module: str | None, directory: str) -> tuple[str, ...]:
    """The folders from which a module of a folder is imported after all others: `src`, and, where
    the module lies in one of several packages below, those of all of them, which may import each
    other.
    """
    source = Path(directory, SOURCES)
    own = (str(source),) if source.is_dir() else ()
    first = (module or "").partition(".")[0]
    if not first or any(_holds(root, first) for root in (Path(directory), source)):
        return own
    packages = _package_roots(Path(directory), DEEPEST)
    is_there = any(_holds(root, first) for root in packages)
    return own + (tuple(map(str, packages)) if is_there else ())


def _holds(root: Path, name: str) -> bool:
    """Return whether a module is there: a folder with a manifest is a project of that name."""
    below = root / name
    is_package = below.is_dir() and not _has_manifest(below)
    return (root / f"{name}.py").is_file() or (below / "__init__.py").is_file() or is_package


def _has_manifest(folder: Path) -> bool:
    return any((folder / each).is_file() for each in MANIFESTS)


def _package_roots(folder: Path, depth: int) -> list[Path]:
    """`src` of each folder below that has a manifest, or else that folder."""
    try:
        inside = sorted(os.listdir(folder))
    except OSError:
        return []
    roots: list[Path] = []
    for name in inside:
        below = folder / name
        if name.startswith(".") or name in NOT_ENTERED or not below.is_dir():
            continue
        if _has_manifest(below):
            source = below / SOURCES
            roots.append(source if source.is_dir() else below)
        elif depth > 1:
            roots += _package_roots(below, depth - 1)
    return roots
