"""Lines of a script that explain the events of its training, found in its sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from envdoctor.analysis.default_seeds import leaves_out, line_that_seeds
from envdoctor.analysis.episode_counts import set_back_at
from envdoctor.analysis.episode_loops import step_of_episode
from envdoctor.analysis.late_variables import late_variable
from envdoctor.analysis.made_objects import line_that_makes
from envdoctor.analysis.shared_arrays import shared_array
from envdoctor.analysis.wakers import wakers
from envdoctor.model.finding import Location
from envdoctor.model.training_calls import Waker
from envdoctor.model.training_draws import DefaultSeed, LateVariable
from envdoctor.model.training_ends import EpisodeLoop, GivenUp, KeptInstances
from envdoctor.model.training_events import Announced
from envdoctor.model.training_returned import AliasedArray, CountGoesOn
from envdoctor.rules.evidence.stacks import innermost_own, is_installed, parse_stacks

MOST = 16  # threads that are looked at
REGISTERS = "register"


def with_line(program: GivenUp) -> GivenUp:
    """A program that was given up, with the line that made the outer object which had it."""
    used_at = program.used_at
    line = line_that_makes(_text(used_at.file), used_at.line, program.outer)
    return program if line is None else replace(program, made_at=replace(used_at, line=line))


def episode_loop(frames: Sequence[Location]) -> EpisodeLoop | None:
    """The innermost loop around the lines at which Ctrl-C ended a training, if it plays one
    episode, and nothing else ends it.
    """
    for frame in reversed(frames):
        place = step_of_episode(_text(frame.file), frame.line)
        if place is not None:
            return EpisodeLoop(Location(frame.file, *place))
    return None


def wakers_in(stacks: Mapping[int, str]) -> tuple[Waker, ...]:
    """The calls that would end the waits of threads: those of all threads of processes but their
    main ones that wait at a line of the user's, by the stacks of each process.
    """
    return tuple(waker for pid, text in stacks.items() for waker in _of_process(pid, text))


def _of_process(pid: int, stacks: str) -> tuple[Waker, ...]:
    places = dict.fromkeys(map(innermost_own, parse_stacks(stacks)[1:][:MOST]))
    return tuple(
        waker
        for place in places
        if place is not None and not is_installed(place.file)
        for waker in _of_wait(pid, place)
    )


def _of_wait(pid: int, place: Location) -> Iterator[Waker]:
    for line, method, function in wakers(_text(place.file), place.line):
        yield Waker(pid, place, method, Location(place.file, line, function))


def with_names(array: AliasedArray) -> AliasedArray:
    """An array that is two values of step(), with its two names and the lines of them."""
    place = array.defined
    first, second = array.places
    known = shared_array(_text(place.file), place.line, first, second)
    if known is None:
        return array
    bound, written = (replace(place, line=line) for line in (known.bound, known.written))
    return replace(array, names=known.names, bound=bound, location=written)


def with_set_back(count: CountGoesOn) -> CountGoesOn:
    """A count that goes on, with the line of the source that sets it back, where one shows."""
    line = set_back_at(_text(count.defined.file), count.defined.line or 0, count.key)
    return replace(count, set_back=replace(count.defined, line=line)) if line else count


def default_seed(event: Announced) -> DefaultSeed | None:
    """The seed of an event, with the line that makes a generator of it; None where the source does
    not show that the script leaves it out.
    """
    if event.location is None or event.origin is None:
        return None
    text = _text(event.location.file)
    if not leaves_out(text, event.location.line, event.message, event.method, event.calls):
        return None
    seed = DefaultSeed(event.method, event.number, event.message, event.origin, event.location)
    line = line_that_seeds(_text(event.where), event.type)
    return seed if line is None else replace(seed, made_at=Location(event.where, line))


class LateVariables(dict[tuple[str, int, str], LateVariable | None]):
    """The variables of loops that factories look up too late, by the file and the line that makes
    an instance, and its class. Each source is read once in a run: instances are many.
    """

    def of(self, made: Announced | None) -> LateVariable | None:
        """The variable on which an instance depends; None for most, and for files of libraries."""
        place = made.location if made is not None else None
        if made is None or place is None:
            return None
        return self[place.file, place.line, made.type.rpartition(".")[2]]

    def __missing__(self, key: tuple[str, int, str]) -> LateVariable | None:
        file, line, owner = key
        self[key] = None if is_installed(file) else late_variable(_text(file), line, owner)
        return self[key]


def kept_instances(event: Announced, closed_at: Location, made: Announced | None) -> KeptInstances:
    """The closed instances of an event, the first of which was closed at a place, and made as
    another event says, with the line that registers them.
    """
    return KeptInstances(
        event.number,
        event.where,
        event.instance_class,
        closed_at if closed_at.line else None,
        _registration(made.location) if made is not None and made.location is not None else None,
    )


def _registration(place: Location) -> Location | None:
    """The only call of register() in the file of a line."""
    line = line_that_makes(_text(place.file), 0, REGISTERS)
    return Location(place.file, line, place.function) if line is not None else None


def _text(file: str) -> str:
    """The source of a file; nothing where it cannot be read."""
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
