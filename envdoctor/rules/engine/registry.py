"""The list of rules, and the decorator that puts a function on it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from envdoctor.errors import UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ERROR, NOTE, Finding, Location, Remedy
from envdoctor.model.remedy import Aim
from envdoctor.plugins import plugins
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.measures import Counts, grown
from envdoctor.rules.engine.view import View

# Where a rule is judged.
DIRECT_ONLY = "direct"  # once, on the traces without a manager
VECTOR_ONLY = "vector"  # for each manager and start method
IN_PROCESS = "in-process"  # without a manager, and under those that start no workers
EVERYWHERE = "everywhere"  # all of them
# Directly, and under a manager only where one of the scenarios it needs was played.
WHERE_PLAYED = "where played"
WHERE_CHECKED = "where its checker was run"  # only where the scenario that it needs was played
# Under a manager where whole episodes were followed; without one only where none was under any.
WHERE_FOLLOWED = "where episodes were followed"
WHERE_WATCHED = "where a training was watched"
WHERE_COUNTED = "where a service is counted"  # by a command of the user's, without a manager
WHERE_FAULTY = "where faults were injected"  # under a manager whose environments were made to fail

#: Among what a rule also reads: every scenario of its place.
EVERYTHING = "*"

Judge = Callable[[View], Iterator[Finding]]


def _judged(_view: View) -> str:
    return ""


@dataclass(frozen=True)
class Example:
    """A small case of a rule: a view and the message that it must give, or several (none: it must
    stay silent).
    """

    title: str
    view: View
    messages: str | tuple[str, ...] = ()

    @property
    def expected(self) -> tuple[str, ...]:
        """The messages, where there is one, too."""
        return (self.messages,) if isinstance(self.messages, str) else self.messages


@dataclass(frozen=True)
class Rule:
    """One rule. `needs` are scenarios of which one must have been played: the first one without a
    manager, any of them under one; `verb` must have come to an end in it; `sensors` and `meters`
    must have been read. Where that fails the rule is skipped, with the reason. `start_methods`
    limits it to workers that are started so; empty means all places. `compares` is the fact of a
    comparison of trajectories that must be there. To pass, every scenario in `looks_at` must have
    come to the end of its verbs (`close?`: whether it raised or not), growth of the `meters` must
    have been followed to the horizon, and `unjudged` must have no objection. `counts` tells from
    its evidence how much there is; of what `grows`, the rate. `follow_ups` are the scenarios
    that its findings make worth playing. `about` is what it cannot do without, where that may be
    missing: a part of the survey, or a sensor that few machines have. A rule that
    `judges_rendered` also looks at lives in render modes that were not asked for, one that
    `reports_render_modes` tells which of these could not be played; one that `compares_pairs` looks
    at two windows and at copies. One that is `in_leak_check` is judged where growth is all that is
    looked for, one `of_functions` where a function is examined in place of an environment. A
    `last_resort` gives way wherever another rule tells the same failure. One of a `rare_use` looks
    at what most scripts never do: its notes do not block another finding's remedy. What is
    `cured_in_close` is cured in the wrapper where close() stops before it comes to the environment.
    `explains` is the defect that it reports, where its remedy may take findings of other rules;
    `gives_way` are the defects that may explain its own. `also_reads` are scenarios that it passes
    without, and that say more of what it finds.
    """

    code: str
    name: str
    severity: str
    where: str
    needs: tuple[str, ...]
    verb: str
    sensors: tuple[str, ...]
    meters: tuple[str, ...]
    start_methods: tuple[str, ...]
    blames_itself: bool
    compares: str
    judge: Judge
    manual: str
    looks_at: tuple[tuple[str, str], ...] = ()
    unjudged: Callable[[View], str] = _judged
    counts: Counts | None = None
    grows: str = ""
    follow_ups: tuple[str, ...] = ()
    about: str = ""
    judges_rendered: bool = False
    reports_render_modes: bool = False
    compares_pairs: bool = False
    in_leak_check: bool = False
    of_functions: bool = False
    last_resort: bool = False
    rare_use: bool = False
    cured_in_close: bool = False
    explains: Cause | None = None
    gives_way: tuple[Cause | str, ...] = ()
    also_reads: tuple[str, ...] = ()

    @property
    def subtracts_control(self) -> bool:
        """True if the control's amounts can be subtracted from its findings."""
        return bool(self.sensors or self.meters)

    @property
    def explained_by(self) -> tuple[str, ...]:
        """The codes of the rules that may explain its findings."""
        return codes_of(self.gives_way)

    @property
    def summary(self) -> str:
        """The first line of its manual page."""
        return self.manual.strip().splitlines()[0]

    def finding(
        self,
        message: str,
        remedy: str,
        *,
        commands: tuple[str, ...] = (),
        aim: Aim | None = None,
        location: Location | None = None,
        evidence: dict[str, object] | None = None,
        key: Iterable[object] | None = None,
        explained_by: Iterable[Cause | str] = (),
        explained_alone: Iterable[Cause | str] = (),
        **fields: Any,
    ) -> Finding:
        """A finding of this rule; `fields` may override severity, confidence and blame. `commands`
        are lines for a shell or a script; code for the user's own source follows from `aim`, once
        it was tried.
        """
        if self.counts is not None and "measures" not in fields:
            fields["measures"] = self.counts(evidence or {})
        return Finding(
            code=self.code,
            name=self.name,
            message=message,
            remedy=Remedy(remedy, commands, aim),
            location=location,
            evidence=evidence or {},
            key=None if key is None else tuple(map(str, key)),  # the journal has any type there
            explained_by=codes_of(explained_by),
            explained_alone=codes_of(explained_alone),
            **{"severity": self.severity, **fields},
        )


RULES: dict[str, Rule] = {}


def codes_of(causes: Iterable[Cause | str]) -> tuple[str, ...]:
    """The codes of the rules that report these defects, of those that are judged. Rules of other
    packages may name codes.
    """
    return tuple(
        code
        for cause in causes
        for code in ([cause] if isinstance(cause, str) else _reporting(cause))
    )


def _reporting(cause: Cause) -> list[str]:
    return [rule.code for rule in RULES.values() if rule.explains is cause]


OWN = "envdoctor.rules."  # the modules of our own rules

#: Families of rules that a leak check judges. Rules of other families declare `in_leak_check`.
GROWTH = "LEK"
LEAK_CHECK_FAMILIES = (GROWTH, "HNG", "DOC")

_RULE_FILE = re.compile(r"[a-z]{3}\d{3}_\w+")


def rule(
    code: str,
    name: str,
    *,
    severity: str = ERROR,
    where: str = EVERYWHERE,
    needs: tuple[str, ...] = ("life",),
    verb: str = "",
    sensors: tuple[str, ...] = (),
    meters: tuple[str, ...] = (),
    start_methods: tuple[str, ...] = (),
    blames_itself: bool = False,
    compares: str = "",
    looks_at: Mapping[str, str] | None = None,
    unjudged: Callable[[View], str] = _judged,
    counts: Counts | None = None,
    grows: str = "",
    follow_ups: tuple[str, ...] = (),
    about: str = "",
    judges_rendered: bool = False,
    reports_render_modes: bool = False,
    compares_pairs: bool = False,
    in_leak_check: bool = False,
    of_functions: bool = False,
    last_resort: bool = False,
    rare_use: bool = False,
    cured_in_close: bool = False,
    explains: Cause | None = None,
    gives_way: tuple[Cause | str, ...] = (),
    also_reads: tuple[str, ...] = (),
) -> Callable[[Judge], Rule]:
    """Register a generator of findings as the rule `code`. The manual page is the docstring of its
    module. `verb` are the verbs, with blanks between, that have to have come to an
    end.

    `blames_itself` rules set the blame of their findings; for the others it follows from the
    control and from `direct`.
    """

    def register(judge: Judge) -> Rule:
        manual = inspect.getdoc(inspect.getmodule(judge)) or ""
        made = Rule(
            code,
            name,
            severity,
            where,
            needs,
            verb,
            sensors,
            meters,
            start_methods,
            blames_itself,
            compares,
            judge,
            manual,
            tuple((looks_at or {}).items()),
            unjudged,
            counts or (grown(grows) if grows else None),
            grows,
            follow_ups,
            about,
            judges_rendered,
            reports_render_modes,
            compares_pairs,
            in_leak_check,
            of_functions,
            last_resort,
            rare_use,
            cured_in_close,
            explains,
            gives_way,
            also_reads,
        )
        if code in RULES:
            raise ValueError(f"two rules claim {code}")
        if not judge.__module__.startswith(OWN) and code in _own_codes():
            raise ValueError(f"{code} is a code of envdoctor's own")
        RULES[code] = made
        return made

    return register


@dataclass(frozen=True)
class Entry:
    """One line of the catalogue, as the name of a rule's file tells it."""

    code: str
    name: str
    module: str
    added: bool = False  # by another package

    @property
    def family(self) -> str:
        """The folder of its file, where it is one of ours."""
        return "" if self.added else self.module.split(".")[-2]

    def load(self) -> Rule:
        """The rule. Importing its file registers it. One of another package that cannot be
        imported is a rule that crashes.
        """
        try:
            importlib.import_module(self.module)
            return RULES[self.code]
        except Exception as error:
            if not self.added:
                raise
            return self._broken(
                f"its plug-in {self.module} failed with {type(error).__name__}: {error}"
            )

    def _broken(self, why: str) -> Rule:
        def judge(_view: View) -> Iterator[Finding]:
            raise RuntimeError(why)

        return Rule(
            self.code,
            self.name,
            NOTE,
            DIRECT_ONLY,
            ("survey",),
            "",
            (),
            (),
            (),
            True,
            "",
            judge,
            f"{self.code} cannot be used: {why}.",
        )


@cache
def catalogue() -> tuple[Entry, ...]:
    """Every rule there is, in order of code, without importing one. Other packages add theirs as
    entry points of the group `envdoctor.rules` with names like ACM001-no-telemetry. Raises
    UsageError where such a name means nothing, or a code of ours.
    """
    import envdoctor.rules as package

    own = [
        _entry(f"{package.__name__}.{family}", name) for family, name in _files(package.__path__[0])
    ]
    added = [
        _added(name, module, {entry.code for entry in own})
        for name, module in plugins("rules").items()
    ]
    return tuple(sorted((*own, *added), key=lambda entry: entry.code))


@cache
def _own_codes() -> frozenset[str]:
    import envdoctor.rules as package

    return frozenset(name[:6].upper() for _, name in _files(package.__path__[0]))


def _files(folder: str) -> Iterator[tuple[str, str]]:
    """(family, module name) of each rule of our own."""
    for family in pkgutil.iter_modules([folder]):
        for module in pkgutil.iter_modules([f"{folder}/{family.name}"]):
            if _RULE_FILE.fullmatch(module.name):
                yield family.name, module.name


def _entry(family: str, name: str) -> Entry:
    """The line of the catalogue that the name of a rule's module gives:
    `cls006_close_leaves_descriptors`.
    """
    return Entry(name[:6].upper(), name[7:].replace("_", "-"), f"{family}.{name}")


def _added(name: str, module: str, own: set[str]) -> Entry:
    code, _, words = name.partition("-")
    if not re.fullmatch(r"[A-Z]{3}\d{3}", code) or not words:
        raise UsageError(
            f"the entry point {name} of envdoctor.rules: name it after code and rule, for example"
            " ACM001-no-telemetry"
        )
    if code in own:
        raise UsageError(
            f"the entry point {name} of envdoctor.rules: {code} is a code of envdoctor's own; take"
            " one with letters of yours"
        )
    return Entry(code, words, module, added=True)


@cache
def rule_of(code: str) -> Rule | None:
    """The rule of a code; None where there is none."""
    return next((entry.load() for entry in catalogue() if entry.code == code), None)


@cache
def growing() -> dict[str, str]:
    """{what grows: the code of the rule that says so}."""
    family = (entry for entry in catalogue() if entry.code.startswith(GROWTH))
    return {rule.grows: rule.code for rule in (entry.load() for entry in family) if rule.grows}


@cache
def leak_check_codes() -> tuple[str, ...]:
    """Return the rules of a leak check: on growth, on its causes, and on what prevents a judgement.
    Prefixes of families, and the codes of rules that declare it, for which all are imported.
    """
    declared = (entry.code for entry in catalogue() if entry.load().in_leak_check)
    return (*LEAK_CHECK_FAMILIES, *declared)


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by code, in order of code."""
    return {entry.code: entry.load() for entry in catalogue()}
