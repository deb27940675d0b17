"""The list of rules, and the decorator that puts a function on it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from envdoctor.errors import UsageError
from envdoctor.model.finding import ERROR, NOTE, Finding, Location, Remedy
from envdoctor.plugins import plugins
from envdoctor.rules.view import View

# Where a rule is judged.
DIRECT_ONLY = "direct"  # once, on the traces without a manager
VECTOR_ONLY = "vector"  # for each manager and start method
IN_PROCESS = "in-process"  # without a manager, and under those that start no workers
EVERYWHERE = "everywhere"  # all of them
WHERE_PLAYED = "where played"  # directly, and under a manager only where one of the scenarios it needs was played
WHERE_CHECKED = "where its checker was run"  # only where the scenario that it needs was played
WHERE_FAULTY = "where faults were injected"  # under a manager whose environments were made to fail

Judge = Callable[[View], Iterator[Finding]]


@dataclass(frozen=True)
class Example:
    """A small case of a rule: a view and the messages that it must give (none: it must stay silent)."""

    title: str
    view: View
    messages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One rule. `needs` are scenarios of which one must have been played: the first one without a manager, any of them under
    one; `verb` must have come to an end in it; `sensors` and `meters` must have been read. Where that fails the rule is skipped,
    with the reason. `start_methods` limits it to workers that are started so; empty means all places. `compares` is the fact of a comparison of
    trajectories that must be there.
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

    @property
    def subtracts_control(self) -> bool:
        """Whether its findings are only what the control does not show: what is counted can be taken off."""
        return bool(self.sensors or self.meters)

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
        location: Location | None = None,
        evidence: dict[str, object] | None = None,
        **fields: str,
    ) -> Finding:
        """A finding of this rule; `fields` may override severity, confidence and blame."""
        return Finding(
            code=self.code,
            name=self.name,
            message=message,
            remedy=Remedy(remedy, commands),
            location=location,
            evidence=evidence or {},
            **{"severity": self.severity, **fields},
        )


RULES: dict[str, Rule] = {}


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
) -> Callable[[Judge], Rule]:
    """Register a generator of findings as the rule `code`. The manual page is the docstring of the module it stands in. `verb` are the
    verbs, with blanks between, that have to have come to an end.

    `blames_itself` rules set the blame of their findings; for the others it follows from the control and from `direct`.
    """

    def register(judge: Judge) -> Rule:
        manual = inspect.getdoc(inspect.getmodule(judge)) or ""
        made = Rule(code, name, severity, where, needs, verb, sensors, meters, start_methods, blames_itself, compares, judge, manual)
        if code in RULES:
            raise ValueError(f"two rules claim {code}")
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

    def load(self) -> Rule:
        """The rule. Importing its file registers it. One of another package that cannot be imported is a rule that crashes."""
        try:
            importlib.import_module(self.module)
            return RULES[self.code]
        except Exception as error:
            if not self.added:
                raise
            return self._broken(f"its plug-in {self.module} failed with {type(error).__name__}: {error}")

    def _broken(self, why: str) -> Rule:
        def judge(_view: View) -> Iterator[Finding]:
            raise RuntimeError(why)

        return Rule(self.code, self.name, NOTE, DIRECT_ONLY, ("survey",), "", (), (), (), True, "", judge, f"{self.code} cannot be used: {why}.")


@cache
def catalogue() -> tuple[Entry, ...]:
    """Every rule there is, in order of code, without importing one. Other packages add theirs as entry points of the group
    `envdoctor.rules` with names like ACM001-no-telemetry. Raises UsageError where such a name means nothing, or a code of ours.
    """
    import envdoctor.rules as package

    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if re.match(r"[a-z]{3}\d{3}_", module.name))
    own = [Entry(name[:6].upper(), name[7:].replace("_", "-"), f"{package.__name__}.{name}") for name in names]
    added = [_added(name, module, {entry.code for entry in own}) for name, module in plugins("rules").items()]
    return tuple(sorted((*own, *added), key=lambda entry: entry.code))


def _added(name: str, module: str, own: set[str]) -> Entry:
    code, _, words = name.partition("-")
    if not re.fullmatch(r"[A-Z]{3}\d{3}", code) or not words:
        raise UsageError(f"the entry point {name} of envdoctor.rules: name it after code and rule, for example ACM001-no-telemetry")
    if code in own:
        raise UsageError(f"the entry point {name} of envdoctor.rules: {code} is a code of envdoctor's own; take one with letters of yours")
    return Entry(code, words, module, added=True)


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by code, in order of code."""
    return {entry.code: entry.load() for entry in catalogue()}
