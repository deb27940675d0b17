"""Containers of Docker or Podman that the subject asked for: they are children of the engine, and
in no list of processes below this one.
"""

from __future__ import annotations

from typing import Dict

from envdoctor.model.container_clients import SENSOR
from envdoctor.probe.sensors import Context
from envdoctor.probe.system import container_calls

NAME = SENSOR
GROWS = True


def missing() -> str:
    """Return why containers cannot be counted here, or ""."""
    return absent()


def absent() -> str:
    """Return why no container can be started here, or ""."""
    return "" if container_calls.clients() else "neither docker nor podman is installed"


def read(_context: Context) -> Dict[str, str]:
    """{name: name, client and image}."""
    return {
        container.key: "%s, image %s" % (client, container.image)
        for client, containers in container_calls.present().items()
        for container in containers
    }
