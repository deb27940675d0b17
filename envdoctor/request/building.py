"""From options to a request, with the configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from envdoctor.errors import UsageError
from envdoctor.frameworks import COMMON_WORKERS
from envdoctor.model.finding import SEVERITIES
from envdoctor.model.scenario import DIRECT
from envdoctor.model.subject import Subject
from envdoctor.plan.episodes import Bound
from envdoctor.plan.scenarios import STORAGE_CODES
from envdoctor.request import actions, choices
from envdoctor.request.options import CheckOptions, LeakOptions, Options
from envdoctor.request.request import Request
from envdoctor.request.settings import Settings
from envdoctor.rules.engine.registry import leak_check_codes

#: What --quick plays where nothing else is named: the environment by itself, and the workers that
#: see least of what the parent imported.
QUICK_MANAGERS, QUICK_METHODS = (DIRECT, COMMON_WORKERS), ("spawn",)
QUICK_BUDGET = "60s"


def for_check(settings: Settings, subjects: tuple[Subject, ...], options: CheckOptions) -> Request:
    """Return the request of `check`. Raises UsageError."""
    quick, subjects = options.quick, _with_actions(settings, subjects, options)
    if quick and (options.faults or options.thorough):
        quick_, *others = map(settings.spelled, ("quick", "thorough", "faults"))
        raise UsageError(f"{quick_} does not go together with {' or '.join(others)}")
    return Request(
        subjects=subjects,
        **_common(settings, subjects, options, QUICK_METHODS if quick else ()),
        managers=settings.managers(options.managers, options.python)
        or (QUICK_MANAGERS if quick else ()),
        select=choices.words(settings.pick("select", options.select)),
        ignore=choices.words(options.ignore),
        budget=choices.budget(
            settings.spelled("budget"), options.budget or (QUICK_BUDGET if quick else None)
        ),
        jobs=settings.pick("jobs", options.jobs),
        faults=options.faults or options.thorough,
        thorough=options.thorough,
    )


def for_leak(settings: Settings, subject: Subject, options: LeakOptions) -> Request:
    """Return the request of `leak`: managers only where they are named, here or in the
    configuration, because each costs as much as all the rest. Raises UsageError.
    """
    seconds = choices.seconds(settings.spelled("time-budget"), options.time_budget)
    storage_request = choices.storage_request(options.storage, options.capacity, seconds)
    managers = settings.managers(options.managers, options.python)
    if options.callable_:
        subject = choices.function(subject, storage_request, managers)
    subjects = _with_actions(settings, (subject,), options)
    return Request(
        subjects=subjects,
        **_common(settings, subjects, options),
        managers=managers or (DIRECT,),
        select=leak_check_codes() + (STORAGE_CODES if storage_request else ()),
        leak_check=choices.effort(
            options.cycles,
            seconds,
            options.thorough,
            choices.folder(settings.spelled("save-memray"), options.save_memray),
            storage_request,
        ),
        storage=storage_request,
    )


def _with_actions(
    settings: Settings, subjects: tuple[Subject, ...], options: Options
) -> tuple[Subject, ...]:
    """The subjects, each with what is played in it. Raises UsageError."""
    return tuple(
        replace(subject, action=actions.chosen(settings, subject.text, options))
        for subject in subjects
    )


def _common(
    settings: Settings,
    subjects: tuple[Subject, ...],
    options: Options,
    methods: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the fields that both requests share; `methods` where no start method is named."""
    return {
        "python": settings.python(options.python),
        "start_methods": settings.several(
            "start-methods", "start method", options.start_methods, choices.START_METHODS
        )
        or methods,
        "fail_on": choices.one_of(
            "severity", settings.pick("fail-on", options.fail_on), SEVERITIES
        ),
        "timeout": choices.seconds(
            settings.spelled("timeout"), settings.pick("timeout", options.timeout)
        ),
        "memory": settings.memory(options.memory_limit),
        "anonymous": options.anonymous,
        "episodes": Bound(
            settings.pick("steps", options.steps), settings.pick("episodes", options.episodes)
        ),
        "try_remedies": not options.no_try_remedies,
        "cold": options.cold,
        "service_count": options.service_count or "",
        "seed": settings.pick("seed", options.seed),
        "overrides": settings.overrides(subjects),
    }
