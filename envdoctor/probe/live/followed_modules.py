"""Parts of a framework's module that are followed besides its environments."""

from __future__ import annotations

from types import ModuleType
from typing import Protocol

from envdoctor.probe.live.counted import launching, passing, replace_method
from envdoctor.probe.live.drawn_spaces import WatchedSpaces, follow_spaces
from envdoctor.probe.live.evaluations import EvaluatedProcess, follow_evaluations
from envdoctor.probe.live.hosted_twice import HostedInstances, look_at_hosted
from envdoctor.probe.live.raw_observations import follow_policies
from envdoctor.probe.live.settings import Journaled, follow_settings

FINAL = "envdoctor.probe.live.unreturned_keys"


class FollowedProcess(Journaled, WatchedSpaces, EvaluatedProcess, HostedInstances, Protocol):
    """Instances of a process, in which vectorizers are made and step."""

    def beat(self, vectorizer: object) -> None:
        """A vectorizer steps."""

    def launch(self) -> object:
        """A vectorizer makes its instances."""

    def launched(self, before: object, vectorizer: object) -> None:
        """It has them."""

    def launch_raised(self, kind: type, launch_arguments: object, error: BaseException) -> None:
        """It cannot be made."""


def follow_module(watched: FollowedProcess, hooks: object, module: ModuleType) -> None:
    """Follow the vectorizers of a module, and what is set, drawn and evaluated by it."""
    for name in getattr(hooks, "PROGRESS_METHODS", {}).get(module.__name__, ()):
        replace_method(module, name, passing, watched.beat)

    def launched(before: object, vectorizer: object) -> None:
        watched.launched(before, vectorizer)
        look_at_hosted(watched, vectorizer)

    calls = (watched.launch, launched, watched.launch_raised)
    for name in getattr(hooks, "LAUNCHES", {}).get(module.__name__, ()):
        replace_method(module, name, launching, *calls)
    follow_settings(watched, hooks, module)
    follow_spaces(watched, hooks, module)
    follow_evaluations(watched, hooks, module)
    follow_policies(watched, hooks, module)
    if module.__name__ in getattr(hooks, "FINAL_KEYS", {}):
        watched.hook.load(FINAL).follow_final_keys(watched, hooks, module)
