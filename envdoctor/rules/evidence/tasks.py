"""Tasks of event loops that are left."""

from __future__ import annotations

from envdoctor.model.facts import TaskLeft
from envdoctor.rules.engine.view import View

#: Where asyncio keeps a weak reference to each task that is pending.
_PENDING = ("_all_tasks", "_scheduled_tasks")


def of_pending_tasks(chain: str) -> bool:
    """Whether a container is asyncio's own, of the tasks that are pending: it shrinks with them."""
    module, _, rest = chain.rpartition(".data")[0].rpartition(".")
    return module in ("_asyncio", "asyncio.tasks") and rest in _PENDING


def tasks_left(view: View) -> list[TaskLeft]:
    """Those that the last life left. An earlier life does not count: a task that all instances
    share is made once.
    """
    played, life = view.trace("life"), view.last_life()
    if played is None or life is None:
        return []
    return [one for one in played.facts(TaskLeft) if one.life == life.number]
