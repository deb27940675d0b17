"""dm_env: environments that answer with TimeSteps, those of dm_control among them."""

from __future__ import annotations

from envdoctor.frameworks.profile import Profile

SINGLE = Profile(
    word="dm_env",
    title="dm_env",
    package="dm_env",
    distribution="dm-env",
    api="dm_env",
    environment="an environment of dm_env's kind",
    base_classes=("Environment",),
)
