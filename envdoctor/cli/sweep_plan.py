"""From the words of `sweep` and `compare` to examinations."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path

from envdoctor import __version__
from envdoctor.cli.files import read_text
from envdoctor.config.toml_text import toml
from envdoctor.errors import UsageError, nearest_sentence
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.subject import Subject
from envdoctor.request import choices
from envdoctor.request.argument_sets import ArgumentSet, spec_of
from envdoctor.request.building import for_check
from envdoctor.request.options import CheckOptions, Words
from envdoctor.request.request import Request
from envdoctor.request.settings import Settings
from envdoctor.rules.engine.registry import catalogue
from envdoctor.run.interpreters import Interpreter, interpreter, machine_class
from envdoctor.sweep.ledger import Ledger
from envdoctor.sweep.plans import Examination, Identity, PlanEntry, distinct, parse_entries
from envdoctor.sweep.processors import memory_each
from envdoctor.verdict import triage

#: (interpreter, current folder, registry, modules to import) -> what it has.
Asker = Callable[[str | None, str, str, tuple[str, ...]], Interpreter]


@dataclass(frozen=True)
class PlanOptions:
    """The options of every `check`, from the command line. None is not set."""

    asked: CheckOptions
    kwarg: Words = None
    imports: Words = None
    script: str | None = None
    config: Path | None = None
    no_config: bool = False
    fix: bool = False

    def request(self, settings: Settings, entry: PlanEntry, specs: Iterable[str]) -> Request:
        """Return the request of these options. Raises UsageError."""
        subjects = settings.subjects(
            tuple(specs),
            (*(self.kwarg or ()), *entry.kwargs),
            (*(self.imports or ()), *entry.imports) or None,
            self.script,
        )
        return for_check(settings, subjects, self.of(entry).asked)

    def of(self, entry: PlanEntry) -> PlanOptions:
        """The options for a line of a file: its actions replace those of the command line."""
        if entry.action is None and entry.actions is None:
            return self
        return replace(self, asked=replace(self.asked, action=entry.action, actions=entry.actions))

    def words(self, keys: frozenset[str]) -> tuple[str, ...]:
        """The options as words of `check`; what was not said is left to its configuration."""
        asked = self.asked
        several = {
            "-k": self.kwarg,
            "--import": self.imports,
            "--select": asked.select,
            "--ignore": asked.ignore,
            "--managers": asked.managers,
            "--start-methods": asked.start_methods,
        }
        single: dict[str, str | None] = {
            "--script": self.script,
            "--python": choices.interpreter(asked.python),
            "--timeout": f"{asked.timeout:g}" if "timeout" in keys else None,
            "--budget": asked.budget,
            "--memory-limit": asked.memory_limit,
            "--seed": str(asked.seed) if "seed" in keys else None,
            "--action": asked.action if isinstance(asked.action, str) else None,
            "--actions": asked.actions if isinstance(asked.actions, str) else None,
            "--config": str(self.config.absolute()) if self.config else None,
        }
        flags = {
            "--quick": asked.quick,
            "--thorough": asked.thorough,
            "--no-try-remedies": asked.no_try_remedies,
            "--cold": asked.cold,
            "--no-config": self.no_config,
            "--fix": self.fix,
        }
        pairs = [
            *((name, text) for name, texts in several.items() for text in texts or ()),
            *((name, text) for name, text in single.items() if text is not None),
        ]
        return (
            *(word for pair in pairs for word in pair),
            *(name for name, wanted in flags.items() if wanted),
        )


@dataclass
class Planner:
    """Makes examinations. `asker` says what an interpreter has, once each, and `machine` of which
    class the machines are: here, or on a cluster.
    """

    settings: Settings
    options: PlanOptions
    directory: str
    asker: Asker = interpreter
    machine: Callable[[], str] = machine_class

    def __post_init__(self) -> None:
        self._known: dict[str, Interpreter] = {}

    def requests(self, entries: Iterable[PlanEntry]) -> list[tuple[PlanEntry, Request]]:
        """Return the requests; an entry without a SPEC means those of the configuration. Raises
        UsageError.
        """
        groups: dict[PlanEntry, list[str]] = {}
        for entry in entries:
            alike = groups.setdefault(replace(entry, spec=""), [])
            alike += [entry.spec] if entry.spec else []
        requests = []
        for entry, specs in groups.items():
            request = self.options.request(self.settings, entry, specs)
            # What no rule is called is said once, and not by each examination.
            triage.select_rules(catalogue(), request.select, request.ignore)
            requests.append((entry, request))
        return requests

    def examinations(
        self, ledger: Ledger, requests: Iterable[tuple[PlanEntry, Request]]
    ) -> tuple[Examination, ...]:
        """One for each environment, in order, none twice. Raises UsageError."""
        examinations: dict[str, tuple[Examination, PlanEntry]] = {}
        for entry, request in requests:
            for subject in request.subjects:
                examination = self._examination(ledger, request.of(subject), subject, entry)
                examinations.setdefault(examination.key, (examination, entry))
        return distinct(list(examinations.values()))

    def _examination(
        self, ledger: Ledger, request: Request, subject: Subject, entry: PlanEntry
    ) -> Examination:
        python = self.ask(request.python or "")
        identity = Identity(
            subject.text,
            dict(subject.kwargs),
            {**_options_of(request, subject), **({"fix": True} if self.options.fix else {})},
            python.executable,
            ledger.keep_versions(packages(python)),
            self._machine,
        )
        options = self.options.of(entry).words(self.settings.on_command_line)
        words = ("check", spec_of(subject), *_arguments(subject), *options, *entry.words)
        return Examination(identity, words, subject.directory or self.directory)

    @cached_property
    def _machine(self) -> str:
        return self.machine()

    def ask(self, python: str) -> Interpreter:
        """Return the packages of an interpreter; empty is the one that envdoctor runs in. Raises
        UsageError.
        """
        if python not in self._known:
            self._known[python] = self.asker(python or None, self.directory, "", ())
        return self._known[python]

    def expected(self, examinations: Iterable[Examination]) -> dict[str, dict[str, str]]:
        """The packages of each interpreter that examinations need."""
        names = {examination.identity.interpreter for examination in examinations}
        return {name: packages(self.ask(name)) for name in names}

    def registered(self, registry: str, globs: Words) -> tuple[PlanEntry, ...]:
        """The ids of a registry that fit a glob. Raises UsageError where there are none."""
        python = self.settings.python(self.options.asked.python)
        known = self.asker(python, self.directory, registry, tuple(self.options.imports or ()))
        if known.error:
            raise UsageError(f"--registry {registry}: {known.error}")
        wanted = tuple(globs or ("*",))
        ids = [
            each for each in known.ids if any(fnmatch.fnmatchcase(each, glob) for glob in wanted)
        ]
        if not ids:
            near = nearest_sentence(wanted[0].strip("*"), known.ids)
            raise UsageError(
                f"none of the {len(known.ids)} ids of {registry} fits {' or '.join(wanted)}{near};"
                " a package registers its ids when it is imported: --import PACKAGE"
            )
        return tuple(map(PlanEntry, ids))


def packages(python: Interpreter) -> dict[str, str]:
    """Return the versions that an examination depends on: those of the interpreter, its packages,
    and the doctor.
    """
    return {**python.versions, "python": python.python, "envdoctor": __version__}


def _options_of(request: Request, subject: Subject) -> dict[str, object]:
    """Return the options that tell examinations of one SPEC apart."""
    return {
        "imports": list(subject.imports),
        "script": [subject.script, *subject.script_arguments],
        "select": list(request.select),
        "ignore": list(request.ignore),
        "managers": list(request.managers),
        "start-methods": list(request.start_methods),
        "timeout": request.timeout,
        "budget": request.budget,
        "memory": request.memory,
        "seed": request.seed,
        "thorough": request.thorough,
        "episodes": asdict(request.episodes),
        "remedies": request.try_remedies,
        **({"action": subject.action.as_dict()} if subject.action else {}),
    }


def entries(
    specs: Words, file: Path | None, registered: Callable[[], tuple[PlanEntry, ...]] | None
) -> tuple[PlanEntry, ...]:
    """All that is named, or else what the configuration names. Raises UsageError."""
    named = list(map(PlanEntry, specs or ()))
    if file is not None:
        try:
            named += parse_entries(read_text(file), str(file))
        except OSError as error:
            raise UsageError(f"--file {file}: {error.strerror}") from error
        except ValueError as error:
            raise UsageError(f"--file {file}: it is not a text in UTF-8") from error
    if registered is not None:
        named += registered()
    if file is not None and not named:
        raise UsageError(f"--file {file}: it names no environment")
    return tuple(named) or (PlanEntry(""),)


def _arguments(subject: Subject) -> list[str]:
    """The words that say which of the sets of arguments of the configuration is meant."""
    named = subject.kwargs.items() if isinstance(subject, ArgumentSet) else ()
    return [word for name, value in named for word in ("-k", f"{name}={toml(value)}")]


def memory_of_each(settings: Settings, options: PlanOptions, jobs: int) -> int:
    """Bytes for each of several examinations; 0 where a ceiling was named."""
    config = settings.config
    every = (config.values, *(each.values for each in config.records)) if config else ()
    named = any("memory-limit" in values for values in every)
    return 0 if named or options.asked.memory_limit else memory_each(jobs)
