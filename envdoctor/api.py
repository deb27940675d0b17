"""The doctor for programs: the same examinations as the commands `check` and `leak`, from values to
a Report.

Nothing here prints or exits. What is asked for wrongly raises UsageError with one sentence; what is
wrong with an environment is a finding, never an exception.
"""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TypeVar

from envdoctor.errors import ExitCode, UsageError
from envdoctor.model.finding import ERROR, SEVERITIES
from envdoctor.model.report import Report
from envdoctor.model.subject import ENVIRONMENT, FUNCTION, UNDECIDED, Subject
from envdoctor.plan.episodes import STEPS
from envdoctor.reporters import formats, reporter
from envdoctor.request import actions as action_arguments
from envdoctor.request import arguments, choices
from envdoctor.request.building import for_check, for_leak
from envdoctor.request.options import CheckOptions, LeakOptions, Options
from envdoctor.request.request import Request
from envdoctor.request.settings import Settings
from envdoctor.request.specs import check_kwargs, parse, parse_script
from envdoctor.run.examine import examine
from envdoctor.verdict import triage
from envdoctor.verdict.diagnosis import ObservationRecorder

Spec = str | Callable[..., object]
Texts = str | Iterable[str] | None
Asked = TypeVar("Asked", bound=Options)


def check(
    spec: Spec | Iterable[Spec],
    *,
    kwargs: Mapping[str, object] | None = None,
    imports: Texts = (),
    script: str | None = None,
    python: str | None = None,
    managers: Texts = (),
    start_methods: Texts = (),
    select: Texts = (),
    ignore: Texts = (),
    timeout: float = 30.0,
    budget: str | float | None = None,
    memory_limit: str | None = None,
    seed: int = 0,
    jobs: int = 1,
    quick: bool = False,
    steps: int = STEPS,
    episodes: int = 1,
    action: object = None,
    actions: Spec | None = None,
    faults: bool = False,
    thorough: bool = False,
    anonymous: bool = False,
    try_remedies: bool = True,
    cold: bool = False,
    service_count: str | None = None,
    save: str | os.PathLike[str] | None = None,
) -> Report:
    """Examine environments, as `envdoctor check` does. `spec` is a SPEC, a class or function that
    can be imported by its name, or several of these, of which `jobs` are examined at the same time.
    What takes several texts takes one, too; empty choices mean all.

    `timeout` is seconds for one call, `budget` seconds for one environment or a text such as "5m",
    `memory_limit` a size such as "4G". With `quick`, only the most telling minute is played; with
    `faults`, null environments that fail as well; with `thorough`, those and every start method.
    `episodes` whole episodes are played in a row, each for `steps` steps at most. `action` is
    played at each step in place of one that is drawn; `actions` is a function of (observation,
    agent, step) that is asked for each, or its SPEC. With `try_remedies`, remedies that are code
    are played with a copy of the user's files, and shown where they cure. With `cold`, each process
    imports everything anew. `service_count` is a command of the shell that prints how much a
    service keeps. `save` names a file for the run as it was seen: `envdoctor gate` and `envdoctor
    report` read it. A run that could not be saved to its end is a warning.

    Raises UsageError for what means nothing, NothingToCheck for a file without an environment,
    KeyboardInterrupt when the user ends it.
    """
    asked = _options(CheckOptions, locals())
    subjects = tuple(subject_of(each, kwargs, imports, script) for each in _several(spec))
    return _examined(for_check(_settings(), subjects, asked), save)


def leak(
    spec: Spec,
    *,
    kwargs: Mapping[str, object] | None = None,
    imports: Texts = (),
    script: str | None = None,
    python: str | None = None,
    managers: Texts = (),
    start_methods: Texts = (),
    cycles: int = 0,
    thorough: bool = False,
    time_budget: float = 60.0,
    save_memray: str | os.PathLike[str] | None = None,
    storage: Texts = (),
    capacity: int | None = None,
    timeout: float = 30.0,
    memory_limit: str | None = None,
    seed: int = 0,
    steps: int = STEPS,
    episodes: int = 1,
    action: object = None,
    actions: Spec | None = None,
    anonymous: bool = False,
    function: bool | None = None,
    try_remedies: bool = True,
    cold: bool = False,
    service_count: str | None = None,
    save: str | os.PathLike[str] | None = None,
) -> Report:
    """Look for growth, as `envdoctor leak` does: for at most `cycles` cycles (0: as many as it
    takes) in about `time_budget` seconds. `storage` names replay storages that are filled as well,
    up to `capacity` transitions and past them. `function` says that `spec` is a function to be
    called again and again, as --callable does; without it, the first call of a function tells
    whether that builds an environment. `save_memray` is a folder for what memray recorded; that it
    could not be kept there is a warning. All else means what it means in check().

    Raises what check() raises.
    """
    asked = _options(LeakOptions, locals())
    subject = replace(subject_of(spec, kwargs, imports, script), kind=_kind(spec, function))
    if subject.kind != FUNCTION and (asked.storage or asked.managers):  # no function has those
        subject = replace(subject, kind=ENVIRONMENT)
    asked = replace(asked, callable_=subject.kind == FUNCTION)
    return _examined(for_leak(_settings(), subject, asked), save)


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


def _options(kind: type[Asked], values: Mapping[str, object]) -> Asked:
    """The options of an examination out of the arguments of a function, each of its type. Raises
    UsageError.
    """
    action, actions = action_arguments.action_sources(values["action"], values["actions"], named)
    return kind(
        **arguments.options(kind, values),
        action=action,
        actions=actions,
        no_try_remedies=not arguments.flag("try_remedies", values["try_remedies"]),
    )


def render(report: Report, format_name: str = "terminal", **options: object) -> str:
    """A report as text, in one of the formats of `--format`. Options are those of the format:
    width, verbosity... Raises UsageError.
    """
    choices.one_of("format", format_name, formats())
    return reporter(format_name)(report, **{"directory": os.getcwd(), **options})


def exit_code(report: Report, fail_on: str = ERROR, allow_inconclusive: bool = False) -> ExitCode:
    """Return the reason why a memray recording is not in the folder that was named."""
    severity = choices.one_of("severity", fail_on, SEVERITIES)
    return triage.exit_code(report, severity, allow_inconclusive)


def subject_of(
    spec: Spec, kwargs: Mapping[str, object] | None, imports: Texts = (), script: str | None = None
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


def _refuse_instance(spec: object) -> None:
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
    """Return the folders from which this program imports its own modules, without those of the
    interpreter, since another one may be asked to examine them.
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
    """Return the kind of a subject. A function builds environments if its first call returns one,
    unless `function` decides it.
    """
    if function is None:
        return ENVIRONMENT if isinstance(spec, (str, type)) else UNDECIDED
    return FUNCTION if function else ENVIRONMENT


def named(factory: Callable[..., object]) -> tuple[str, str]:
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


def _examined(request: Request, save: object) -> Report:
    """The report; what would be printed on the way is not. Raises UsageError for a run that cannot
    be saved.
    """
    recorder = _recorder(request, save)
    report = examine(request, lambda _said: None, recorder=recorder)
    for trouble in filter(None, (recorder.trouble if recorder else "", _captures(report, request))):
        warnings.warn(trouble, RuntimeWarning, stacklevel=3)
    if report.interrupted:
        raise KeyboardInterrupt
    return ReadableReport(**{field.name: getattr(report, field.name) for field in fields(report)})


def _captures(report: Report, request: Request) -> str:
    """Return the reason why a memray recording is not in the folder that was named for it."""
    if request.leak_check is None or not request.leak_check.save:
        return ""
    from envdoctor.analysis.growth import captures

    reason = captures.lost(report)
    return f"save_memray {request.leak_check.save}: {reason}" if reason else ""


def _recorder(request: Request, save: object) -> ObservationRecorder | None:
    path = arguments.path("save", save)
    if path is None:
        return None
    from envdoctor.saved.writing import RunFile, check_free

    if request.anonymous:
        raise UsageError("save keeps what anonymous would hide: leave out one of them")
    check_free(path, "save")
    return RunFile(path, "save")


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
