"""Tasks, event loops and clients that are left."""

from __future__ import annotations

from collections.abc import Mapping

from envdoctor.frameworks import client_cure
from envdoctor.model.facts import ClientLeft, TaskLeft
from envdoctor.rules.engine.view import View

LOOP, CONNECTION = "event loop", "connection of asyncio"
PER_LOOP = 3  # descriptors: what it waits with, and two sockets to wake it

#: Where asyncio keeps a weak reference to each task that is pending.
_PENDING = ("_all_tasks", "_scheduled_tasks")


def of_pending_tasks(chain: str) -> bool:
    """Return True if a container is asyncio's own list of pending tasks: it shrinks with them."""
    module, _, rest = chain.rpartition(".data")[0].rpartition(".")
    return module in ("_asyncio", "asyncio.tasks") and rest in _PENDING


def tasks_left(view: View) -> list[TaskLeft]:
    """Those that the last life left. An earlier life does not count: a task that all instances
    share is made once.
    """
    trace, life = view.trace("life"), view.last_life()
    if trace is None or life is None:
        return []
    return [task for task in trace.facts(TaskLeft) if task.life == life.number]


def clients_left(view: View) -> list[ClientLeft]:
    """Event loops and clients that the last life left open, which no earlier one made."""
    trace, life = view.trace("life"), view.last_life()
    if trace is None or life is None:
        return []
    return [client for client in trace.facts(ClientLeft) if client.life == life.number]


def sessions_held(view: View) -> list[ClientLeft]:
    """Clients that any life left connected to a server which has a session for each of them."""
    trace = view.trace("life")
    return (
        [client for client in trace.facts(ClientLeft) if client_cure(client.kind)] if trace else []
    )


def are_of_loops(view: View, descriptors: Mapping[str, str]) -> bool:
    """Return True if event loops that were left open hold all of these."""
    loops = sum(client.kind == LOOP for client in clients_left(view))
    waiting = sum(text == "anon_inode:[eventpoll]" for text in descriptors.values())
    waking = sum(text.startswith("unix socket") for text in descriptors.values())
    return 0 < loops == waiting and len(descriptors) == waiting + waking == PER_LOOP * loops
