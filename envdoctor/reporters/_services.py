"""The services that environments are connected to, in words."""

from __future__ import annotations

from collections.abc import Iterable

from envdoctor.model.report import ServiceReport

MOST, LONG = 3, 80  # services that are named; characters of a command line


def connected(services: Iterable[ServiceReport]) -> str:
    """`127.0.0.1:20124 (python service.py 20124)`, and how many more there are."""
    reports = tuple(services)
    named = [f"{report.address}{_listening(report.listener)}" for report in reports]
    more = len(named) - MOST
    return ", ".join(named[:MOST]) + (f" and {more} more" if more > 0 else "")


def _listening(command: str) -> str:
    cut = command if len(command) <= LONG else f"{command[: LONG - 3]}..."
    return f" ({cut})" if cut else ""


def not_looked_at(spec: str, services: Iterable[ServiceReport]) -> str:
    """That what an environment leaves in a service is not looked at; nothing where it is."""
    reports = [service for service in services if not service.counted]
    if not reports:
        return ""
    return (
        f"{spec} is connected to {connected(reports)} while it lives, and what it leaves there is"
        " not looked at: --service-count COMMAND counts it"
    )
