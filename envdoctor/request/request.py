"""The request to the doctor, checked and complete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ERROR
from envdoctor.model.subject import Subject
from envdoctor.plan.episodes import Bound

if TYPE_CHECKING:
    from envdoctor.plan.leak_session import Effort
    from envdoctor.plan.replay_buffers import StorageRequest


@dataclass(frozen=True)
class Request:
    """The request to the doctor. Empty tuples mean all. `timeout` is seconds for one verb. With
    `leak_check`, only growth is examined, with that effort; otherwise it is examined quickly beside
    all the rest. With `faults`, managers are played with environments that fail on purpose, too;
    with `thorough`, under every start method. `storage` are the replay storages that are filled
    besides the leak check. `memory` is the ceiling of one subject in bytes; 0 is a fair share of
    what is available. With `anonymous`, the report names no user, machine or place. `episodes` is
    how far whole episodes are followed. With `try_remedies`, remedies that are code are played with
    a copy of the user's files, and shown where they cure. With `cold`, no probe is forked from a
    process that has imported before. `service_count` is a command of the shell that counts what a
    service keeps. `fix_roots` are the folders whose files may be changed, where a fix is asked for:
    verified remedies are then tried in one copy.
    """

    subjects: tuple[Subject, ...]
    python: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()
    start_methods: tuple[str, ...] = ()
    fail_on: str = ERROR
    timeout: float = 30.0
    seed: int = 0
    jobs: int = 1
    verbosity: int = 0
    command: tuple[str, ...] = ()
    leak_check: Effort | None = None
    faults: bool = False
    thorough: bool = False
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    storage: StorageRequest | None = None
    memory: int = 0
    budget: float = 0.0
    anonymous: bool = False
    episodes: Bound = field(default_factory=Bound)
    try_remedies: bool = True
    cold: bool = False
    service_count: str = ""
    fix_roots: tuple[str, ...] = ()

    def of(self, subject: Subject) -> Request:
        """Return the request for one subject: with its own values of `overrides`."""
        return replace(self, **self.overrides.get(subject.text, {}))
