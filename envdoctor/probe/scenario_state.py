"""The state of one scenario while it is played: its hosts, its current life, and what was asked
for. Verbs read and change it; the player plays them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, List, Optional

from envdoctor.model.scenario import DIRECT, Scenario, Verb
from envdoctor.model.subject import Subject
from envdoctor.model.traits import INDEPENDENT
from envdoctor.probe.comparison.shared_state import Sharing
from envdoctor.probe.growth.containers import ContainerWatch
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.progress import Progress
from envdoctor.probe.readings import IMPATIENT, Readings
from envdoctor.probe.sensors import Sensors
from envdoctor.probe.subject.roots import roots_of
from envdoctor.probe.tracing import instrument
from envdoctor.probe.tracing.loop_reports import LoopReports
from envdoctor.probe.tracing.open_clients import OpenClients
from envdoctor.probe.tracing.unwaited import UnwaitedChildren

if TYPE_CHECKING:
    from envdoctor.probe.growth.cycles import OpenCycles
    from envdoctor.probe.replay.buffer import Stock
    from envdoctor.probe.tracing.handles import HandleTracker

STAYS = "stays"


def judged_life(scenario: Scenario) -> Optional[int]:
    """The number of the life whose leftovers the rules judge: the last one, where they judge
    any.
    """
    return (
        sum(verb.name == "drop" for verb in scenario.verbs) - 1 if scenario.traits.judged else None
    )


def _stays(scenario: Scenario, journal: Journal) -> str:
    """The file of the session that says that the plain life leaves what stays; nothing for a
    scenario in which readings are evidence themselves, or may be a manager's.
    """
    evidence = scenario.traits.watched and not scenario.traits.plain
    if scenario.manager != DIRECT or scenario.control or evidence:
        return ""
    return os.path.join(os.path.dirname(journal.path), STAYS)


class ScenarioState:
    """The state of one scenario: its hosts, its current life, and what was asked for."""

    def __init__(
        self,
        scenario: Scenario,
        subject: Subject,
        seed: int,
        journal: Journal,
        spaces: str,
        budget: float,
        sensors: Sensors,
        imports: str = "",
    ) -> None:
        self.imports = imports
        self.scenario = scenario
        self.subject = subject
        self.seed = seed
        self.journal = journal
        self.spaces = spaces
        self.budget = budget
        # SDL's timer thread stays once and for all: to wait for it would take longer than all that
        # is drawn.
        self.readings = Readings(
            journal,
            sensors,
            judged_life(scenario),
            0.0 if scenario.traits.drawn else IMPATIENT,
            _stays(scenario, journal),
        )
        self.described = False
        self.screenless = False
        self.around: List[Callable[[], object]] = []  # the wrappers, the innermost first
        self.hosts: List[Any] = []
        self.seeded: List[bool] = []
        self.handles: Optional[HandleTracker] = None
        self.stock: Optional[Stock] = None
        self.opened: Optional[OpenCycles] = None
        self.bare: Any = None
        self.initial: Any = None
        self.loop_reports: Optional[LoopReports] = None
        self.open_clients: Optional[OpenClients] = None
        self.unwaited: Optional[UnwaitedChildren] = None
        self.denials: Any = None
        self.progress: Optional[Progress] = None
        self.growth = ContainerWatch()
        self.stop_watching: List[Callable[[], None]] = []
        self.watches_inside = False
        self.survivors_before = set(instrument.alive())
        self.ownership = Ownership(roots_of(subject))
        tries = scenario.traits.beside == INDEPENDENT
        self.sharing = Sharing(self.ownership.is_users) if tries else None

    def host(self, verb: Verb) -> Any:
        """The instance that a verb means: the one it names, else the last one."""
        index = len(self.hosts) - 1 if verb.instance is None else verb.instance
        return self.hosts[index] if 0 <= index < len(self.hosts) else None

    def watch_inside(self, environment: object) -> None:
        """Follow the environment in one of DI-engine's as well, once it is there."""
        if not self.watches_inside:
            from envdoctor.probe.tracing import watching

            stop = watching.watch_inside(environment, self.journal, self.ownership.is_users)
            self.stop_watching += [stop] if stop else []
            self.watches_inside = stop is not None
