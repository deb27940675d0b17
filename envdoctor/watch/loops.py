"""The loop of a training that Ctrl-C ended, as its source has it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envdoctor.analysis.episode_loops import step_of_episode
from envdoctor.model.finding import Location
from envdoctor.model.training_ends import EpisodeLoop


def episode_loop(frames: Sequence[Location]) -> EpisodeLoop | None:
    """The innermost loop around these lines, if it plays one episode, and nothing else ends it."""
    for frame in reversed(frames):
        try:
            text = Path(frame.file).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        place = step_of_episode(text, frame.line)
        if place is not None:
            return EpisodeLoop(Location(frame.file, *place))
    return None
