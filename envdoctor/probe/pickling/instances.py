"""Parts of an instance that travel: what it sends to other processes, how its errors arrive there,
and whether its specification is enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from envdoctor.model.subject import Subject
from envdoctor.probe import environment_api
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.pickling import exceptions as raising
from envdoctor.probe.pickling import payloads
from envdoctor.probe.subject import registries, respec
from envdoctor.probe.wrappers import innermost

if TYPE_CHECKING:
    from envdoctor.probe.adapters import Host


def carry(host: Host, subject: Subject, journal: Journal, ownership: Ownership) -> None:
    """Journal the facts payloads, exceptions and respec of the instance that `host` drives."""
    environment = host.subject()
    journal.write("fact", key="payloads", value=payloads.try_payloads(host, ownership))
    journal.write(
        "fact", key="exceptions", value=raising.try_exceptions(type(innermost(environment)))
    )
    specification = (
        registries.specification(_id_of(environment)) if subject.name or subject.module else None
    )
    journal.write(
        "fact", key="respec", value=respec.round_trip(environment, specification, ownership)
    )


def _id_of(environment: object) -> str:
    """The id that it was made from, or nothing. One of TorchRL's that wraps such an environment
    was not.
    """
    if not environment_api.is_registered(environment_api.api_of(environment)):
        return ""
    return str(getattr(getattr(environment, "spec", None), "id", None) or "")
