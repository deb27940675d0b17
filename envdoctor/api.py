"""The doctor for programs: the same examinations as the commands `check` and `leak`, from values to a Report.

Nothing here prints or exits. What is asked for wrongly raises UsageError with one sentence; what is wrong with an environment
is a finding, never an exception.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from envdoctor import triage
from envdoctor.cli import choices
from envdoctor.errors import ExitCode, UsageError
from envdoctor.examine import Request, examine
from envdoctor.model.finding import ERROR, SEVERITIES
from envdoctor.model.report import Report
from envdoctor.model.scenario import DIRECT
from envdoctor.model.subject import Subject
from envdoctor.planning import GROWTH_CODES, STORAGE_CODES
from envdoctor.reporters import formats, reporter
from envdoctor.specs import check_kwargs, parse, parse_script

Spec = str | Callable[..., Any]


def check(
    spec: Spec | Iterable[Spec],
    *,
    kwargs: Mapping[str, Any] | None = None,
    imports: Iterable[str] = (),
    script: str | None = None,
    python: str | None = None,
    managers: Iterable[str] = (),
    start_methods: Iterable[str] = (),
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    timeout: float = 30.0,
    memory_limit: str | None = None,
    seed: int = 0,
    faults: bool = False,
    anonymous: bool = False,
) -> Report:
    """Examine environments, as `envdoctor check` does. `spec` is a SPEC, a class or function that can be imported by its name, or
    several of these; `timeout` is seconds for one call, `memory_limit` a size such as "4G". Empty choices mean all.

    Raises UsageError for what means nothing, NothingToCheck for a file without an environment, KeyboardInterrupt when the user ends it.
    """
    specs = (spec,) if isinstance(spec, str) or callable(spec) else tuple(spec)
    request = Request(
        subjects=tuple(subject_of(each, kwargs or {}, imports, script) for each in specs),
        python=choices.interpreter(python),
        select=tuple(select),
        ignore=tuple(ignore),
        managers=choices.chosen_managers(managers, python),
        start_methods=choices.several("start method", start_methods, choices.START_METHODS),
        timeout=choices.seconds("timeout", timeout),
        memory=choices.size("memory_limit", memory_limit),
        seed=seed,
        faults=faults,
        anonymous=anonymous,
    )
    return _examined(request)


def leak(
    spec: Spec,
    *,
    kwargs: Mapping[str, Any] | None = None,
    imports: Iterable[str] = (),
    script: str | None = None,
    python: str | None = None,
    managers: Iterable[str] = (),
    start_methods: Iterable[str] = (),
    cycles: int = 0,
    thorough: bool = False,
    time_budget: float = 60.0,
    storage: Iterable[str] = (),
    capacity: int | None = None,
    timeout: float = 30.0,
    memory_limit: str | None = None,
    seed: int = 0,
    anonymous: bool = False,
) -> Report:
    """Hunt for growth, as `envdoctor leak` does: for at most `cycles` cycles (0: as many as it takes) in about `time_budget` seconds.
    `storage` names replay storages that are filled as well, up to `capacity` transitions and past them.

    Raises what check() raises.
    """
    wish = choices.wish(storage, capacity, time_budget)
    request = Request(
        subjects=(subject_of(spec, kwargs or {}, imports, script),),
        python=choices.interpreter(python),
        select=GROWTH_CODES + (STORAGE_CODES if wish else ()),
        managers=choices.chosen_managers(managers, python) or (DIRECT,),
        start_methods=choices.several("start method", start_methods, choices.START_METHODS),
        timeout=choices.seconds("timeout", timeout),
        memory=choices.size("memory_limit", memory_limit),
        seed=seed,
        hunt=choices.effort(cycles or None, time_budget, thorough, None, wish),
        storage=wish,
        anonymous=anonymous,
    )
    return _examined(request)


def render(report: Report, format_name: str = "terminal", **options: Any) -> str:
    """A report as text, in one of the formats of `--format`. Options are those of the format: width, verbosity... Raises UsageError."""
    choices.one("format", format_name, formats())
    return reporter(format_name)(report, **{"directory": os.getcwd(), **options})


def exit_code(report: Report, fail_on: str = ERROR) -> ExitCode:
    """What the command would have exited with. Raises UsageError for an unknown severity."""
    return triage.exit_code(report, choices.one("severity", fail_on, SEVERITIES))


def subject_of(spec: Spec, kwargs: Mapping[str, Any], imports: Iterable[str] = (), script: str | None = None) -> Subject:
    """The subject of a SPEC, or of a class or function: it is examined in a process of its own, which has to find it by its
    name. Raises UsageError.
    """
    text, directory = (spec, os.getcwd()) if isinstance(spec, str) else named(spec)
    return parse(text, check_kwargs(kwargs), imports, directory, parse_script(script, os.getcwd()))


def named(factory: Callable[..., Any]) -> tuple[str, str]:
    """The SPEC of a class or function, and the directory that its module is imported from. Raises UsageError."""
    module, name = getattr(factory, "__module__", None) or "", getattr(factory, "__qualname__", "")
    if not name or "<" in name:
        what = f"{module}.{name}" if name else type(factory).__name__
        raise UsageError(f"{what} cannot be found by another process; define it at the top of a module, or name it as package.module:callable")
    try:
        file = inspect.getsourcefile(factory)
    except TypeError:
        file = None
    if file is None:
        return f"{module}:{name}", os.getcwd()
    root = _root(Path(file).absolute(), module)
    return (f"{module}:{name}", str(root)) if root else (f"{file}:{name}", os.getcwd())


def _root(file: Path, module: str) -> Path | None:
    """The directory below which a file is found as that module; None where its name does not say (`__main__`)."""
    words = (file.with_suffix("") if file.stem != "__init__" else file.parent).parts
    parts = tuple(module.split("."))
    return Path(*words[: -len(parts)]) if words[-len(parts) :] == parts else None


def _examined(request: Request) -> Report:
    """The report; what would be printed on the way is not."""
    report = examine(request, lambda _said: None)
    if report.interrupted:
        raise KeyboardInterrupt
    return report
