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
    base_classes=("Env",),
    seeds_in_reset=True,
)

TOOLS = Profile(
    word="trl",
    title="TRL",
    package="trl",
    distribution="trl",
    api="tools",
    environment="an environment of tools",
    closes=False,
)

SKYRL = Profile(
    word="skyrl",
    title="SkyRL",
    package="skyrl_gym",
    distribution="skyrl-gym",
    api="skyrl",
    environment="a text environment of SkyRL's kind",
    base_classes=("BaseTextEnv",),
    one_episode=True,
)

TEXTARENA = Profile(
    word="textarena",
    title="TextArena",
    package="textarena",
    distribution="textarena",
    api="textarena",
    environment="a text environment of TextArena's kind",
    base_classes=("Env",),
    seeds_in_reset=True,
)
