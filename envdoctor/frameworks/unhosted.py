"""Frameworks of which nothing is hosted here: their environment APIs alone. PettingZoo's are of
many agents, dm_env's answers with TimeSteps, and those of the rest are played with texts.
"""

from __future__ import annotations

from dataclasses import replace

from envdoctor.frameworks import gymnasium
from envdoctor.frameworks.profile import Profile

PARALLEL = Profile(
    word="pettingzoo",
    title="PettingZoo",
    package="pettingzoo",
    distribution="pettingzoo",
    api="pettingzoo-parallel",
    environment="a ParallelEnv of PettingZoo's kind",
    base_classes=("ParallelEnv",),
    seeds_in_reset=True,
)

AEC = replace(
    PARALLEL,
    api="pettingzoo-aec",
    environment="an AECEnv of PettingZoo's kind",
    base_classes=("AECEnv",),
)

DM_ENV = Profile(
    word="dm_env",
    title="dm_env",
    package="dm_env",
    distribution="dm-env",
    api="dm_env",
    environment="an environment of dm_env's kind",
    base_classes=("Environment",),
)

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

#: Their instances are played as they are.
UNHOSTED = (gymnasium.VECTOR, PARALLEL, AEC, DM_ENV, GEM, SKYRL, TEXTARENA, TOOLS)
