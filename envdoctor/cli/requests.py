"""From the words of a command to a request, the configuration heard."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from envdoctor.cli import choices
from envdoctor.cli.configuring import Settings, Words
from envdoctor.examine import Request
from envdoctor.hunting import Effort
from envdoctor.model.finding import SEVERITIES
from envdoctor.model.scenario import DIRECT
from envdoctor.planning import GROWTH_CODES, STORAGE_CODES

if TYPE_CHECKING:
    from envdoctor.storing import Wish


def for_check(
    settings: Settings,
    specs: Words,
    kwarg: Words,
    imports: Words,
    script: str | None,
    python: str | None,
    managers: Words,
    start_methods: Words,
    timeout: float,
    seed: int,
    jobs: int,
    select: Words = None,
    ignore: Words = None,
    fail_on: str = SEVERITIES[0],
    faults: bool = False,
    verbosity: int = 0,
    memory_limit: str | None = None,
    anonymous: bool = False,
) -> Request:
    """What `check` asks for. Raises UsageError."""
    subjects = settings.subjects(specs, kwarg, imports, script)
    return Request(
        subjects=subjects,
        python=settings.python(python),
        select=choices.words(settings.pick("select", select)),
        ignore=choices.words(ignore),
        managers=settings.managers(managers, python),
        start_methods=settings.several("start-methods", "start method", start_methods, choices.START_METHODS),
        fail_on=choices.one("severity", settings.pick("fail-on", fail_on), SEVERITIES),
        timeout=choices.seconds("--timeout", settings.pick("timeout", timeout)),
        memory=settings.memory(memory_limit),
        anonymous=anonymous,
        seed=settings.pick("seed", seed),
        jobs=settings.pick("jobs", jobs),
        faults=faults,
        verbosity=verbosity,
        command=("envdoctor", *sys.argv[1:]),
        apart=settings.differing(subjects),
    )


def for_leak(
    settings: Settings,
    spec: str,
    kwarg: Words,
    imports: Words,
    script: str | None,
    python: str | None,
    managers: Words,
    start_methods: Words,
    fail_on: str,
    timeout: float,
    seed: int,
    effort: Effort,
    wish: Wish | None,
    verbosity: int,
    memory_limit: str | None = None,
    anonymous: bool = False,
) -> Request:
    """What `leak` asks for: managers only where they are named, here or in the configuration, because each costs as much as all the rest.
    Raises UsageError.
    """
    subjects = settings.subjects((spec,), kwarg, imports, script)
    return Request(
        subjects=subjects,
        python=settings.python(python),
        select=GROWTH_CODES + (STORAGE_CODES if wish else ()),
        managers=settings.managers(managers, python) or (DIRECT,),
        start_methods=settings.several("start-methods", "start method", start_methods, choices.START_METHODS),
        fail_on=choices.one("severity", settings.pick("fail-on", fail_on), SEVERITIES),
        timeout=choices.seconds("--timeout", settings.pick("timeout", timeout)),
        memory=settings.memory(memory_limit),
        anonymous=anonymous,
        seed=settings.pick("seed", seed),
        verbosity=verbosity,
        command=("envdoctor", *sys.argv[1:]),
        hunt=effort,
        storage=wish,
        apart=settings.differing(subjects),
    )
