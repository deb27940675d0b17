"""Environments whose actions are texts. Nothing hosts them here."""

from __future__ import annotations

from envdoctor.frameworks.profile import Profile

GEM = Profile(
    word="gem",
    title="gem",
    package="gem",
    distribution="gem-llm",
    api="gem",
    environment="a text environment of gem's kind",
    seeds_in_reset=True,
)

TEXTARENA = Profile(
    word="textarena",
    title="TextArena",
    package="textarena",
    distribution="textarena",
    api="textarena",
    environment="a text environment of TextArena's kind",
    seeds_in_reset=True,
)
