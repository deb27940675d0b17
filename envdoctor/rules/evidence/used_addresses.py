"""Constructors that cannot bind an address, because it is in use."""

from __future__ import annotations

from dataclasses import replace

from envdoctor.model.errors import ErrorValue
from envdoctor.model.facts import UsedAddress
from envdoctor.model.records import VerbRecord
from envdoctor.rules.engine.examples import fact, raised, trace, verb
from envdoctor.rules.engine.view import View

WAITS = "TIME_WAIT"


def used_evidence(error: ErrorValue | None) -> dict[str, object]:
    """The reason to ask which address it is."""
    return {"address_in_use": True} if error and error.address_in_use else {}


def used_address(view: View, error: ErrorValue | None) -> UsedAddress | None:
    """The address that could not be bound, where it is known."""
    if error is None or not error.address_in_use:
        return None
    for run in view.direct.optional("ports"):
        raised = run.records(VerbRecord, state="raised")
        if any(each.error and each.error.address_in_use for each in raised):
            return run.fact(UsedAddress)
    return None


def what_keeps(used: UsedAddress) -> str:
    """A clause on its port."""
    if used.states == (WAITS,):
        return (
            f" (port {used.port} is in {WAITS}, in which the kernel keeps it for about a minute"
            " after its connection was closed)"
        )
    return f" (port {used.port} belongs to another socket: {', '.join(used.states)})"


def another_port(view: View, used: UsedAddress) -> str:
    """The cure; a process for each instance has the same ports."""
    free = "bind port 0 and hand on the port that getsockname() gives"
    if used.states == (WAITS,):
        return (
            f"set SO_REUSEADDR on the socket before {view.class_name} binds it, or {free}, or take"
            f" the port as an argument. Port {used.port} will be free by itself a minute later;"
            " another process does not help, since all of this machine have the same ports."
        )
    return (
        f"{free} in {view.class_name}, or take the port as an argument. Another process does not"
        " help, since all of this machine have the same ports."
    )


def address_of_its_own(view: View) -> str:
    """The cure where the first instance, which is open, has the address."""
    return (
        f"bind port 0 in {view.class_name}, and hand on the port that getsockname() gives, or take"
        " it as an argument: each instance needs an address of its own. A process for each does not"
        " help, since all of this machine have the same ports."
    )


def is_used_by_another(view: View, error: ErrorValue | None) -> bool:
    """Return whether an address is in use that an instance without a manager cannot have either,
    while another one lives in its process.
    """
    both = view.direct.trace("two-at-once")
    return bool(error and error.address_in_use and both) and any(
        each.error and each.error.address_in_use
        for each in (both.records(VerbRecord, state="raised") if both else ())
    )


def fails_alone_too(view: View, error: ErrorValue | None) -> bool:
    """Return whether an address is in use, and a constructor without a manager meets that, too."""
    return bool(error and error.address_in_use) and any(
        each.error and each.error.address_in_use
        for run in view.direct.traces
        for each in run.verbs("make", "raised")
    )


#: An error of a constructor, for examples.
ADDRESS_IN_USE = {**raised("OSError", "Address already in use"), "address_in_use": True}


def with_used_address(view: View, *states: str) -> View:
    """A view in which it was asked what keeps the port, for examples."""
    values = {"host": "localhost", "port": 5005, "states": list(states)}
    failed = verb("make", "raised", error=ADDRESS_IN_USE)
    run = trace(failed, fact("used-address", values), name="ports")
    return replace(view, optional_traces=(run,))
