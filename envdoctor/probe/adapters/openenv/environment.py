"""Environments that a server offers to its sessions: OpenEnv's. They are known, and not played yet:
their actions are objects of a class of each environment's own.
"""

from __future__ import annotations

from typing import Any

from envdoctor.probe.adapters.names import is_instance_of
from envdoctor.probe.adapters.shapes import Shape

MODULES = ("openenv.core.env_server.interfaces", "openenv_core.env_server.interfaces")


class Served(Shape):
    """Recognised, and refused."""

    NAME = "openenv"

    def recognises(self, environment: Any) -> bool:
        """By its class."""
        return any(is_instance_of(environment, module, "Environment") for module in MODULES)

    def refuses(self, environment: Any) -> str:
        """It cannot be asked for anything."""
        return (
            "an OpenEnv Environment takes actions of a class of its own, which are not played yet"
        )


SHAPE = Served()
