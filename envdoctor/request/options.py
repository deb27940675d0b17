"""The options of an examination, as the command line, the Python API and plug-ins of pytest give
them: each name and each default once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envdoctor.model.actions import ActionSource


Words = Iterable[str] | None

#: The least and the most of what is counted.
BOUNDS = {
    "seed": (0, 2**32 - 1),
    "jobs": (1, 1000),
    "steps": (1, 10**7),
    "episodes": (1, 10**5),
    "cycles": (1, 10**6),
    "capacity": (1, 10**12),
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of every examination. Sizes and times are texts, as `4G` and `5m`; `timeout` is
    seconds. Words may hold several names, separated by commas; no word means no choice. `action` is
    played at each step: TOML, or an ActionSource made of a value; `actions` is the SPEC of a
    function that is called for each. `service_count` is a command of the shell that prints how much
    a service keeps.
    """

    python: str | None = None
    managers: Words = None
    start_methods: Words = None
    fail_on: str = "error"
    timeout: float = 30.0
    memory_limit: str | None = None
    seed: int = 0
    steps: int = 2000
    episodes: int = 1
    action: str | ActionSource | None = None
    actions: str | ActionSource | None = None
    anonymous: bool = False
    no_try_remedies: bool = False
    cold: bool = False
    service_count: str | None = None


@dataclass(frozen=True, kw_only=True)
class CheckOptions(Options):
    """The options of `check`."""

    select: Words = None
    ignore: Words = None
    budget: str | None = None
    jobs: int = 1
    quick: bool = False
    faults: bool = False
    thorough: bool = False


@dataclass(frozen=True, kw_only=True)
class LeakOptions(Options):
    """The options of `leak`."""

    callable_: bool = False
    cycles: int | None = None
    thorough: bool = False
    time_budget: float = 60.0
    save_memray: Path | None = None
    storage: Words = None
    capacity: int | None = None
