"""The base class of actions where OpenEnv has its own."""

from dataclasses import dataclass, field


@dataclass
class Action:
    metadata: dict = field(default_factory=dict)
