"""Parts of a framework's module that are followed besides its environments."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from envdoctor.probe.live.counted import launching, passing, replace_method
from envdoctor.probe.live.drawn_spaces import follow_spaces
from envdoctor.probe.live.evaluations import follow_evaluations
from envdoctor.probe.live.settings import follow_settings

if TYPE_CHECKING:
    from envdoctor.probe.live.instances import WatchedInstances


def follow_module(watched: WatchedInstances, hooks: object, module: ModuleType) -> None:
    """Follow the vectorizers of a module, and what is set, drawn and evaluated by it."""
    for name in getattr(hooks, "PROGRESS_METHODS", {}).get(module.__name__, ()):
        replace_method(module, name, passing, watched.beat)
    calls = (watched.launch, watched.launched, watched.launch_raised)
    for name in getattr(hooks, "LAUNCHES", {}).get(module.__name__, ()):
        replace_method(module, name, launching, *calls)
    follow_settings(watched, hooks, module)
    follow_spaces(watched, hooks, module)
    follow_evaluations(watched, hooks, module)
