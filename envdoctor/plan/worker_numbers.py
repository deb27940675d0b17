"""The comparison of worker numbers: how many, where, and their script. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from envdoctor.model.scenario import DIRECT, Scenario

NAME = "workers"
WARM = 50  # steps that are not counted


def numbers(cores: int) -> tuple[int, ...]:
    """1, 2, 4... up to the cores, and the cores themselves."""
    doubled = [1 << power for power in range(max(1, cores).bit_length())]
    return tuple(sorted({*(each for each in doubled if each <= cores), max(1, cores)}))


def alone(steps: int) -> Scenario:
    """One instance without a manager, which all the rest is held against."""
    return Scenario(NAME, script(steps), DIRECT)


def launched(place: tuple[str, str | None], workers: int, steps: int) -> Scenario:
    """So many instances under a manager."""
    return Scenario(NAME, script(steps), *place, workers=workers)


def script(steps: int) -> str:
    """Return the script of each of them."""
    return f"make reset step:{WARM} step:{steps} close drop"


def places(scenarios: Iterable[Scenario]) -> tuple[tuple[str, str | None], ...]:
    """The managers and start methods of what would be played for `check`."""
    return tuple(dict.fromkeys(scenario.place for scenario in scenarios if scenario.traits.plain))
