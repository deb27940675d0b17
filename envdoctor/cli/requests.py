"""From the words of a command to a request, the configuration heard."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from envdoctor.cli import choices
from envdoctor.cli.configuring import Settings, Words
from envdoctor.errors import UsageError
from envdoctor.frameworks import COMMON_WORKERS
from envdoctor.model.finding import SEVERITIES
from envdoctor.model.scenario import DIRECT
from envdoctor.plan.episodes import STEPS, Bound
from envdoctor.plan.leak_check import Effort
from envdoctor.plan.scenarios import STORAGE_CODES
from envdoctor.rules.engine.registry import leak_check_codes
from envdoctor.run.examine import Request

#: What --quick plays where nothing else is named: the environment by itself, and the workers that
#: see least of what the parent imported.
QUICK_MANAGERS, QUICK_METHODS = (DIRECT, COMMON_WORKERS), ("spawn",)
QUICK_BUDGET = "60s"

if TYPE_CHECKING:
    from envdoctor.plan.replay_buffers import Wish


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
    quick: bool = False,
    fail_on: str = SEVERITIES[0],
    faults: bool = False,
    thorough: bool = False,
    verbosity: int = 0,
    memory_limit: str | None = None,
    budget: str | None = None,
    anonymous: bool = False,
    steps: int = STEPS,
    episodes: int = 1,
    try_remedies: bool = True,
) -> Request:
    """What `check` asks for. Raises UsageError."""
    if quick and (faults or thorough):
        raise UsageError("--quick does not go together with --thorough or --faults")
    subjects = settings.subjects(specs, kwarg, imports, script)
    chosen = settings.managers(managers, python) or (QUICK_MANAGERS if quick else ())
    methods = settings.several(
        "start-methods", "start method", start_methods, choices.START_METHODS
    ) or (QUICK_METHODS if quick else ())
    return Request(
        subjects=subjects,
        python=settings.python(python),
        select=choices.words(settings.pick("select", select)),
        ignore=choices.words(ignore),
        managers=chosen,
        start_methods=methods,
        fail_on=choices.one("severity", settings.pick("fail-on", fail_on), SEVERITIES),
        timeout=choices.seconds("--timeout", settings.pick("timeout", timeout)),
        memory=settings.memory(memory_limit),
        budget=choices.budget("--budget", budget or (QUICK_BUDGET if quick else None)),
        anonymous=anonymous,
        episodes=_bound(settings, steps, episodes),
        try_remedies=try_remedies,
        seed=settings.pick("seed", seed),
        jobs=settings.pick("jobs", jobs),
        faults=faults or thorough,
        thorough=thorough,
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
    function: bool = False,
    steps: int = STEPS,
    episodes: int = 1,
    try_remedies: bool = True,
) -> Request:
    """What `leak` asks for: managers only where they are named, here or in the configuration,
    because each costs as much as all the rest. Raises UsageError.
    """
    subjects = settings.subjects((spec,), kwarg, imports, script)
    chosen = settings.managers(managers, python)
    if function:
        subjects = (choices.function(subjects[0], wish, chosen),)
    return Request(
        subjects=subjects,
        python=settings.python(python),
        select=leak_check_codes() + (STORAGE_CODES if wish else ()),
        managers=chosen or (DIRECT,),
        start_methods=settings.several(
            "start-methods", "start method", start_methods, choices.START_METHODS
        ),
        fail_on=choices.one("severity", settings.pick("fail-on", fail_on), SEVERITIES),
        timeout=choices.seconds("--timeout", settings.pick("timeout", timeout)),
        memory=settings.memory(memory_limit),
        anonymous=anonymous,
        episodes=_bound(settings, steps, episodes),
        try_remedies=try_remedies,
        seed=settings.pick("seed", seed),
        verbosity=verbosity,
        command=("envdoctor", *sys.argv[1:]),
        hunt=effort,
        storage=wish,
        apart=settings.differing(subjects),
    )


def _bound(settings: Settings, steps: int, episodes: int) -> Bound:
    """How far whole episodes are followed."""
    return Bound(settings.pick("steps", steps), settings.pick("episodes", episodes))
