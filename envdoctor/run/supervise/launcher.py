"""The way a probe of one subject begins: forked from a template, or as a process of its own."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from envdoctor.frameworks import profile_of
from envdoctor.model.preload import Preload
from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.run.supervise.probe_process import ProbeProcess
from envdoctor.run.supervise.templates import POSSIBLE, TemplateProcess, Templates

FORKED = "forked after the imports"
COLD = "--cold"
NOT_HERE = "probes are forked on Linux only"
FIRST = "nothing is known of the imports yet"
WATCHED = "its imports are watched"
HASHES = "it hashes in another way"
CONFIRMS = "the forked one died"
DIES_FORKED = "forked ones die where new ones do not"


class Launcher:
    """Starts the probes of one subject, and counts how: `forked`, and `started` by the reason why
    they were not.

    `python` may be a path or a command. `directory` is where the probes write down what they
    imported. `templates` is None where each probe is to be a process of its own, as `python` with
    the bundle.
    """

    def __init__(
        self,
        python: str,
        bundle: Path,
        orphan: Path,
        directory: Path,
        templates: Templates | None = None,
    ) -> None:
        self.forked = 0
        self.forbidden = ""  # the reason why no probe is forked any more
        self.started: Counter[str] = Counter()
        self.python = os.path.abspath(shutil.which(python) or python)
        self._bundle = bundle
        self._orphan = orphan
        self._directory = directory
        self._templates = templates if POSSIBLE else None

    @property
    def probes(self) -> dict[str, int]:
        """The numbers of probes, by the way in which they began."""
        forked = {FORKED: self.forked} if self.forked else {}
        return {**forked, **{f"new: {reason}": number for reason, number in self.started.items()}}

    @property
    def forks(self) -> bool:
        """True if the next probe starts almost at once."""
        return self.forked > 0

    def start(
        self, home: Path, imports_from: str | None = None, hash_seed: int = 0
    ) -> ProbeProcess:
        """A process of its own. Raises OSError."""
        return ProbeProcess(
            self.python, self._bundle, home, self._orphan, hash_seed, imports_from=imports_from
        )

    def launch(
        self, home: Path, scenario: Scenario, is_stopped: Callable[[], bool]
    ) -> ProbeProcess:
        """A probe that lives in `home`, for a scenario. Raises OSError."""
        template = self._template(scenario, is_stopped)
        if isinstance(template, TemplateProcess):
            try:
                probe = ProbeProcess(
                    self.python, self._bundle, home, self._orphan, template=template
                )
            except OSError as error:
                assert self._templates is not None
                self._templates.forget(template)
                template = f"the template did not answer: {error}"
            else:
                self.forked += 1
                return probe
        self.started[template] += 1
        return self.start(home, hash_seed=scenario.hash_seed)

    def imports(self, scenario: Scenario) -> Path | None:
        """The file in which a scenario's probe writes down what it imported; None for no file."""
        if self._templates is None or scenario.hash_seed or not scenario.traits.enters:
            return None
        return self._directory / f"imports-{scenario.enters}.json"

    def _template(
        self, scenario: Scenario, is_stopped: Callable[[], bool]
    ) -> TemplateProcess | str:
        """The template for a scenario, or the reason why its probe is not forked."""
        if self._templates is None:
            return COLD if POSSIBLE else NOT_HERE
        if self.forbidden:
            return self.forbidden
        if scenario.hash_seed:
            return HASHES
        watched = scenario.watched_sensors
        if not scenario.traits.enters and watched is None:
            return WATCHED
        names = self._names(scenario)
        if names is None:
            return FIRST
        template = self._templates.template_for(*names, is_stopped)
        changed = set(watched or ()) & set(getattr(template, "changed", ()))
        return f"{WATCHED}, and they change {', '.join(sorted(changed))}" if changed else template

    def _names(self, scenario: Scenario) -> tuple[frozenset[str], Path] | None:
        """The modules that a scenario imports, as far as that was seen, and the file. Managers of
        one framework import the same.
        """
        beside = (each.name for each in profile_of(scenario.enters).vectorizers)
        for enters in (scenario.enters, *beside, DIRECT):
            file = self._directory / f"imports-{enters}.json"
            try:
                return frozenset(Preload.read(str(file)).modules), file
            except (OSError, ValueError):
                continue
        return None
