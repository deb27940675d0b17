"""PettingZoo: environments of many agents. It hosts none here, so there are two environment APIs
and no vectorizer.
"""

from __future__ import annotations

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

AEC = Profile(
    word="pettingzoo",
    title="PettingZoo",
    package="pettingzoo",
    distribution="pettingzoo",
    api="pettingzoo-aec",
    environment="an AECEnv of PettingZoo's kind",
    base_classes=("AECEnv",),
    seeds_in_reset=True,
)
