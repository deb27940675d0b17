"""Ended processes were never waited for.

What it does
    Counts the zombies below the process before an environment, or a manager, is made and after it
    was closed, dropped and collected.

Why it matters
    A zombie holds its process number until its parent asks how it ended. A search that leaves one
    at every trial runs into the limit on processes, and then nothing on the machine can start.

How to fix it
    Wait for what you end:

        def close(self):
            self._simulator.kill()
            self._simulator.wait()  # kill() alone leaves a zombie
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import WARNING, Finding
from envdoctor.rules.engine.examples import direct_view, life_trace, vector_view
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import close_failed, worker_pids
from envdoctor.rules.remedies.aims import aim_at
from envdoctor.rules.wording.leftovers import (
    count,
    listing,
    pronoun,
    single_site,
    taken_at,
)


@rule(
    "PRC002",
    "zombies-after-manager-close",
    severity=WARNING,
    verb="close drop",
    sensors=("zombies",),
    looks_at={"life": LIFECYCLE},
    counts=counted("zombies left", "zombies"),
    also_reads=("acquisitions",),
)
def zombies_after_manager_close(view: View) -> Iterator[Finding]:
    zombies = view.left("zombies", "collected")
    # Then its workers were not waited for, and why it failed is another rule's.
    if close_failed(view.trace("life")):
        workers = worker_pids(view.trace("life"))
        zombies = {pid: text for pid, text in zombies.items() if pid not in workers}
    if zombies:
        yield zombies_after_manager_close.finding(
            f"close() leaves {count(zombies, 'zombie')}: {listing(zombies.values())}",
            f"call wait() on {pronoun(zombies)} after terminate() or kill() in"
            f" {view.class_name}.close().",
            aim=aim_at("zombie", [line for line in [single_site(view, "process")] if line]),
            location=view.locate("close"),
            evidence={"zombies": zombies, "taken_at": taken_at(view, "process")},
        )


EXAMPLES = (
    Example(
        "killed, not waited for",
        direct_view(
            life_trace(
                before={"zombies": {}},
                held={"zombies": {"9": "simulator"}},
                collected={"zombies": {"9": "simulator"}},
            )
        ),
        ("close() leaves 1 zombie: simulator",),
    ),
    Example(
        "a manager that joins none of its workers",
        vector_view(
            life_trace(
                before={"zombies": {}},
                held={},
                collected={"zombies": {"9": "python", "10": "python"}},
            )
        ),
        ("close() leaves 2 zombies: python, python",),
    ),
    Example(
        "collecting the object waits for it",
        direct_view(
            life_trace(
                before={"zombies": {}},
                held={"zombies": {"9": "simulator"}},
                collected={"zombies": {}},
            )
        ),
    ),
)
