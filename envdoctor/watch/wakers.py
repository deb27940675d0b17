"""Calls that would end the waits of a process's threads, as the sources of the script have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from envdoctor.analysis.wakers import wakers
from envdoctor.model.finding import Location
from envdoctor.model.training_calls import Waker
from envdoctor.rules.evidence.stacks import innermost_own, is_installed, parse_stacks

MOST = 16  # threads that are looked at


def wakers_in(stacks: Mapping[int, str]) -> tuple[Waker, ...]:
    """The calls for all threads of processes but their main ones that wait at a line of the user's,
    by the stacks of each process.
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


def _text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
