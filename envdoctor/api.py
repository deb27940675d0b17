"""The doctor for programs: the same examinations as the commands `check` and `leak`, from values to
a Report.

Nothing here prints or exits. What is asked for wrongly raises UsageError with one sentence; what is
wrong with an environment is a finding, never an exception.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from envdoctor.errors import ExitCode, UsageError
from envdoctor.model.finding import ERROR, SEVERITIES
from envdoctor.model.report import Report
from envdoctor.model.subject import ENVIRONMENT, FUNCTION, UNDECIDED, Subject
from envdoctor.plan.episodes import STEPS
from envdoctor.reporters import formats, reporter
from envdoctor.request import actions as played
from envdoctor.request import arguments, choices
from envdoctor.request.building import for_check, for_leak
from envdoctor.request.options import CheckOptions, LeakOptions
from envdoctor.request.request import Request
from envdoctor.request.settings import Settings
from envdoctor.request.specs import check_kwargs, parse, parse_script
from envdoctor.run.examine import examine
from envdoctor.verdict import triage

Spec = str | Callable[..., Any]
Texts = str | Iterable[str] | None

MOST, MOST_CYCLES, MOST_SEED = 10**12, 10**6, 2**32 - 1
MOST_STEPS, MOST_EPISODES = 10**7, 10**5


def check(
    spec: Spec | Iterable[Spec],
    *,
    kwargs: Mapping[str, Any] | None = None,
    imports: Texts = (),
    script: str | None = None,
    python: str | None = None,
    managers: Texts = (),
    start_methods: Texts = (),
    select: Texts = (),
    ignore: Texts = (),
    timeout: float = 30.0,
    memory_limit: str | None = None,
    seed: int = 0,
    steps: int = STEPS,
    episodes: int = 1,
    action: Any = None,
    actions: Spec | None = None,
    faults: bool = False,
    anonymous: bool = False,
    try_remedies: bool = True,
    cold: bool = False,
    service_count: str | None = None,
) -> Report:
    """Examine environments, as `envdoctor check` does. `spec` is a SPEC, a class or function that
    can be imported by its name, or several of these; `timeout` is seconds for one call,
    `memory_limit` a size such as "4G". `episodes` whole episodes are played in a row, each for
    `steps` steps at most. With `try_remedies`, remedies that are code are played with a copy of the
    user's files, and shown where they cure. With `cold`, each process imports everything anew.
    `service_count` is a command of the shell that prints how much a service keeps.
    `action` is played at each step in place of one that is
    drawn; `actions` is a function of (observation, agent, step) that is asked for each, or its
    SPEC. What takes several texts takes one, too; empty choices mean all.

    Raises UsageError for what means nothing, NothingToCheck for a file without an environment,
    KeyboardInterrupt when the user ends it.
    """
    subjects = tuple(subject_of(each, kwargs, imports, script) for each in _several(spec))
    asked = CheckOptions(
        select=arguments.texts("select", select),
        ignore=arguments.texts("ignore", ignore),
        faults=faults,
        **_common(
            python,
            managers,
            start_methods,
            timeout,
            memory_limit,
            seed,
            steps,
            episodes,
            action,
            actions,
            anonymous,
            try_remedies,
            cold,
            service_count,
        ),
    )
    return _examined(for_check(_settings(), subjects, asked))


def leak(
    spec: Spec,
    *,
    kwargs: Mapping[str, Any] | None = None,
    imports: Texts = (),
    script: str | None = None,
    python: str | None = None,
    managers: Texts = (),
    start_methods: Texts = (),
    cycles: int = 0,
    thorough: bool = False,
    time_budget: float = 60.0,
    storage: Texts = (),
    capacity: int | None = None,
    timeout: float = 30.0,
    memory_limit: str | None = None,
    seed: int = 0,
    steps: int = STEPS,
    episodes: int = 1,
    action: Any = None,
    actions: Spec | None = None,
    anonymous: bool = False,
    function: bool | None = None,
    try_remedies: bool = True,
    cold: bool = False,
    service_count: str | None = None,
) -> Report:
    """Look for growth, as `envdoctor leak` does: for at most `cycles` cycles (0: as many as it
    takes) in about `time_budget` seconds. `storage` names replay storages that are filled as well,
    up to `capacity` transitions and past them. `function` says that `spec` is a function to be
    called again and again, as --callable does; without it, the first call of a function tells
    whether that builds an environment.

    Raises what check() raises.
    """
    asked = LeakOptions(
        cycles=arguments.whole("cycles", cycles, 0, MOST_CYCLES) or None,
        thorough=thorough,
        time_budget=arguments.seconds("time_budget", time_budget),
        storage=arguments.texts("storage", storage),
        capacity=None if capacity is None else arguments.whole("capacity", capacity, 1, MOST),
        **_common(
            python,
            managers,
            start_methods,
            timeout,
            memory_limit,
            seed,
            steps,
            episodes,
            action,
            actions,
            anonymous,
            try_remedies,
            cold,
            service_count,
        ),
    )
    subject = replace(subject_of(spec, kwargs, imports, script), kind=_kind(spec, function))
    if subject.kind != FUNCTION and (asked.storage or asked.managers):  # no function has those
        subject = replace(subject, kind=ENVIRONMENT)
    asked = replace(asked, callable_=subject.kind == FUNCTION)
    return _examined(for_leak(_settings(), subject, asked))


def _settings() -> Settings:
    """Those of a program: no configuration but what it says itself."""
    return Settings(None, frozenset(), os.getcwd(), command_line=False)


def _several(spec: Spec | Iterable[Spec]) -> tuple[Spec, ...]:
    """The SPECs of an argument that may be one of them. Raises UsageError."""
    _refuse_instance(spec)
    if isinstance(spec, str) or callable(spec):
        return (spec,)
    every = tuple(spec) if isinstance(spec, Iterable) else ()
    if not every:
        raise UsageError("name an environment, for example CartPole-v1, or hand over its class")
    return every


def _common(
    python: Any,
    managers: Any,
    start_methods: Any,
    timeout: Any,
    memory_limit: Any,
    seed: Any,
    steps: Any,
    episodes: Any,
    action: Any,
    actions: Any,
    anonymous: bool,
    try_remedies: bool,
    cold: bool,
    service_count: Any,
) -> dict[str, Any]:
    """The options that both examinations have, each of its type. Raises UsageError."""
    action_source, asked = played.given(action, actions, named)
    return {
        "action": action_source,
        "actions": asked,
        "python": arguments.text("python", python),
        "managers": arguments.texts("managers", managers),
        "start_methods": arguments.texts("start_methods", start_methods),
        "timeout": arguments.seconds("timeout", timeout),
        "memory_limit": arguments.text("memory_limit", memory_limit),
        "seed": arguments.whole("seed", seed, 0, MOST_SEED),
        "steps": arguments.whole("steps", steps, 1, MOST_STEPS),
        "episodes": arguments.whole("episodes", episodes, 1, MOST_EPISODES),
        "anonymous": anonymous,
        "no_try_remedies": not try_remedies,
        "cold": cold,
        "service_count": arguments.text("service_count", service_count),
    }


def render(report: Report, format_name: str = "terminal", **options: Any) -> str:
    """A report as text, in one of the formats of `--format`. Options are those of the format:
    width, verbosity... Raises UsageError.
    """
    choices.one("format", format_name, formats())
    return reporter(format_name)(report, **{"directory": os.getcwd(), **options})


def exit_code(report: Report, fail_on: str = ERROR) -> ExitCode:
    """What the command would have exited with. Raises UsageError for an unknown severity."""
    return triage.exit_code(report, choices.one("severity", fail_on, SEVERITIES))


def subject_of(
    spec: Spec, kwargs: Mapping[str, Any] | None, imports: Texts = (), script: str | None = None
) -> Subject:
    """The subject of a SPEC, or of a class or function: it is examined in a process of its own,
    which has to find it by its name. Raises UsageError.
    """
    _refuse_instance(spec)
    text, directory = (spec, os.getcwd()) if isinstance(spec, str) else named(spec)
    if not isinstance(kwargs or {}, Mapping):
        raise UsageError(f"kwargs={kwargs!r}: they have to be a dictionary, as {{'size': 5}}")
    path, words = parse_script(arguments.text("script", script), os.getcwd())
    subject = parse(
        text,
        check_kwargs(kwargs or {}),
        arguments.texts("imports", imports),
        directory,
        path,
        words,
    )
    return subject if isinstance(spec, str) else replace(subject, search_path=_search_path())


def _refuse_instance(spec: Any) -> None:
    """Raises UsageError for an environment that was built already. TorchRL's can be called."""
    kind = type(spec)
    if isinstance(spec, (str, type)) or not all(
        callable(getattr(kind, name, None)) for name in ("reset", "step")
    ):
        return
    raise UsageError(
        f"this is an instance of {kind.__name__}: hand over its class, or a function that builds"
        " one, since it is built again in a process of its own"
    )


def _search_path() -> tuple[str, ...]:
    """Where this program imports its own modules from: no place of an interpreter, since another
    one may be asked to examine them.
    """
    libraries = ("site-packages", "dist-packages", "lib-dynload")
    standard = os.path.dirname(os.__file__)
    places = (os.path.abspath(place) for place in sys.path if os.path.isdir(place or "."))
    return tuple(
        place
        for place in dict.fromkeys(places)
        if place != standard and os.path.basename(place) not in libraries
    )


def _kind(spec: Spec, function: bool | None) -> str:
    """What a subject is. Whether a function that was handed over builds environments, its first
    call tells, unless `function` says so.
    """
    if function is None:
        return ENVIRONMENT if isinstance(spec, (str, type)) else UNDECIDED
    return FUNCTION if function else ENVIRONMENT


def named(factory: Callable[..., Any]) -> tuple[str, str]:
    """The SPEC of a class or function, and the directory that its module is imported from.
    Raises UsageError.
    """
    module, name = getattr(factory, "__module__", None) or "", getattr(factory, "__qualname__", "")
    if not name or "<" in name:
        what = f"{module}.{name}" if name else type(factory).__name__
        raise UsageError(
            f"{what} cannot be found by another process; define it at the top of a module, or name"
            " it as package.module:callable"
        )
    try:
        file = inspect.getsourcefile(factory)
    except (TypeError, OSError):
        file = None
    if module == "__main__" and not (file and os.path.isfile(file)):
        raise UsageError(
            f"{name} is defined in a notebook or a prompt, which another process cannot import:"
            f" write `%%writefile {name.partition('.')[0].lower()}.py` as the first line of its"
            " cell, run it, and import it from that file"
        )
    if file is None:
        return f"{module}:{name}", os.getcwd()
    root = _root(Path(file).absolute(), module)
    return (f"{module}:{name}", str(root)) if root else (f"{file}:{name}", os.getcwd())


def _root(file: Path, module: str) -> Path | None:
    """The directory below which a file is found as that module; None where its name does not
    say (`__main__`).
    """
    words = (file.with_suffix("") if file.stem != "__init__" else file.parent).parts
    parts = tuple(module.split("."))
    return Path(*words[: -len(parts)]) if words[-len(parts) :] == parts else None


def _examined(request: Request) -> Report:
    """The report; what would be printed on the way is not."""
    report = examine(request, lambda _said: None)
    if report.interrupted:
        raise KeyboardInterrupt
    return ReadableReport(**{field.name: getattr(report, field.name) for field in fields(report)})


@dataclass(frozen=True, repr=False)
class ReadableReport(Report):
    """A report that shows itself: as the screen of `envdoctor check` where it is printed, as the
    top of the page in a notebook.
    """

    def __str__(self) -> str:
        return render(self)

    def __repr__(self) -> str:
        names = ", ".join(subject.spec for subject in self.subjects)
        number = len(self.findings)
        counted = "1 finding" if number == 1 else f"{number} findings"
        return f"<envdoctor.Report {names}: {self.verdict}, {counted}>"

    def _repr_html_(self) -> str:
        from envdoctor.reporters.html import render_card

        return render_card(self, directory=os.getcwd())
