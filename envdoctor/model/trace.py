"""A trace: one scenario's journal, readings and outcome, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional, Set, Tuple

from envdoctor.model.events import Event, one_line, user_frame
from envdoctor.model.scenario import Scenario, verb_name

# How a scenario can end. Each way to die is its own outcome.
FINISHED = "finished"  # every verb was played; single verbs may have raised
EXITED = "exited"  # the probe's process exited by itself with `exit_code`
SIGNALLED = "signalled"  # the probe's process was killed by `signal`
TIMED_OUT = "timed-out"  # `verb` passed its deadline; `stacks` were taken, then the probe was ended
OUT_OF_MEMORY = "out-of-memory"  # over the ceiling, or the kernel's killer came
LOST = "lost"  # the doctor cannot say what happened: `reason`
INTERRUPTED = "interrupted"  # the user ended the run
OUTCOMES = (FINISHED, EXITED, SIGNALLED, TIMED_OUT, OUT_OF_MEMORY, LOST, INTERRUPTED)


@dataclass(frozen=True)
class Outcome:
    """How a scenario ended. `verb` and `at` say what was being played when it did not finish."""

    kind: str
    seconds: float = 0.0
    verb: str = ""
    at: Optional[int] = None
    exit_code: Optional[int] = None
    signal: str = ""
    reason: str = ""
    stacks: str = ""
    stderr: str = ""


@dataclass(frozen=True)
class Life:
    """From one make to the drop: the readings of one instance's (or one manager's) life, by
    point.
    """

    number: int
    readings: Mapping[str, Mapping[str, Any]]

    def left(self, sensor: str, point: str, since: str = "before") -> Dict[str, str]:
        """What `sensor` shows at `point` that was not there at `since`: {key: description}.
        Empty if either is missing.
        """
        earlier = self.readings.get(since, {}).get(sensor)
        later = self.readings.get(point, {}).get(sensor)
        if not isinstance(earlier, Mapping) or not isinstance(later, Mapping):
            return {}
        return {key: text for key, text in later.items() if earlier.get(key) != text}

    def has(self, sensor: str, point: str) -> bool:
        """Whether `sensor` was read before the life and at `point`."""
        return sensor in self.readings.get("before", {}) and sensor in self.readings.get(point, {})

    def change(self, sensor: str, since: str, until: str) -> Optional[int]:
        """How much a counting sensor rose between two points, or None where it was not read."""
        earlier = self.readings.get(since, {}).get(sensor)
        later = self.readings.get(until, {}).get(sensor)
        if isinstance(earlier, int) and isinstance(later, int):
            return later - earlier
        return None


@dataclass(frozen=True)
class Trace:
    """What one scenario left behind. `aftermath` is what the doctor found from outside once the
    probe's processes had to be gone: {"processes": {pid: text}, "files": {path: text}, "memory":
    {name: text}, "exit": {"code": text, "stderr", "stacks"}}; only filled when a probe ended, and
    `exit` only when it did so by itself: negative codes are signals.
    """

    scenario: Scenario
    outcome: Outcome
    events: Tuple[Event, ...] = ()
    aftermath: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, kind: str, **where: Any) -> Iterator[Event]:
        """Events of one kind whose keys equal `where`, in order."""
        for event in self.events:
            if event["event"] == kind and all(
                event.get(key) == value for key, value in where.items()
            ):
                yield event

    def instances(self, what: str, **where: Any) -> Set[Tuple[int, int]]:
        """(pid, serial) of the instances that have such an event."""
        return {
            (event["pid"], event["serial"]) for event in self.of("instance", what=what, **where)
        }

    def fact(self, key: str, default: Any = None) -> Any:
        """The last value written for a fact."""
        values = [event["value"] for event in self.of("fact", key=key)]
        return values[-1] if values else default

    def facts(self, key: str) -> List[Any]:
        """Every value written for a fact, in order."""
        return [event["value"] for event in self.of("fact", key=key)]

    def verbs(self, name: str, state: Optional[str] = None) -> List[Event]:
        """Events of the verb `name` (without argument) in one state, or all."""
        return [
            event
            for event in self.of("verb")
            if verb_name(event["verb"]) == name and state in (None, event["state"])
        ]

    def reached(self, name: str) -> bool:
        """Whether the verb `name` came to an end, well or not."""
        return any(event["state"] != "began" for event in self.verbs(name))

    def hung_in(self, name: str) -> bool:
        """Whether it was ended because the verb `name` passed its deadline."""
        return self.outcome.kind == TIMED_OUT and verb_name(self.outcome.verb) == name

    @property
    def cut_short(self) -> str:
        """Why it ended before it was done, or nothing."""
        end = self.outcome
        if end.kind != FINISHED:
            return "%s ended the process: %s" % (
                end.verb or self.scenario.name,
                end.signal or end.reason or end.kind,
            )
        raised = next(self.of("verb", state="raised"), None)
        if raised is None:
            return ""
        frame = user_frame(raised["error"])
        where = (
            " at %s:%s in %s" % (frame["file"], frame["line"], frame["function"]) if frame else ""
        )
        return "%s raised %s%s" % (raised["verb"], one_line(raised["error"]), where)

    @property
    def lives(self) -> Tuple[Life, ...]:
        """Its lives, in order."""
        lives: Dict[int, Dict[str, Mapping[str, Any]]] = {}
        for event in self.of("reading"):
            lives.setdefault(event["life"], {})[event["point"]] = event["sensors"]
        return tuple(Life(number, readings) for number, readings in sorted(lives.items()))
