"""Ended processes were never waited for.

What it does
    Counts the zombies below the process before an environment, or a manager, is made and after it was closed, dropped
    and collected.

Why it matters
    A zombie holds its process number until somebody asks how it ended. A search that leaves one at every trial runs
    into the limit on processes, and then nothing on the machine can start.

How to fix it
    Wait for what you end:

        def close(self):
            self._simulator.kill()
            self._simulator.wait()  # kill() alone leaves a zombie
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import WARNING, Finding
from envdoctor.rules.cures import release
from envdoctor.rules.deaths import close_failed, worker_pids
from envdoctor.rules.registry import Example, rule
from envdoctor.rules.samples import direct_view, life_trace, vector_view
from envdoctor.rules.view import View
from envdoctor.rules.words import count, listing, pronoun, single_taking, taking_lines


@rule("PRC002", "zombies-after-manager-close", severity=WARNING, verb="close drop", sensors=("zombies",))
def zombies_after_manager_close(view: View) -> Iterator[Finding]:
    zombies = view.left("zombies", "collected")
    if close_failed(view.trace("life")):  # then nobody waited for its workers, and why it failed is another rule's
        workers = worker_pids(view.trace("life"))
        zombies = {pid: text for pid, text in zombies.items() if pid not in workers}
    if zombies:
        yield zombies_after_manager_close.finding(
            f"close() leaves {count(zombies, 'zombie')}: {listing(zombies.values())}",
            f"call wait() on {pronoun(zombies)} after terminate() or kill() in {view.class_name}.close().",
            commands=release(view, "zombie", [line for line in [single_taking(view, "process")] if line]),
            location=view.locate("close"),
            evidence={"zombies": zombies, "taken_at": taking_lines(view, "process")},
        )


EXAMPLES = (
    Example(
        "killed, not waited for",
        direct_view(life_trace(before={"zombies": {}}, held={"zombies": {"9": "simulator"}}, collected={"zombies": {"9": "simulator"}})),
        ("close() leaves 1 zombie: simulator",),
    ),
    Example(
        "a manager that joins none of its workers",
        vector_view(life_trace(before={"zombies": {}}, held={}, collected={"zombies": {"9": "python", "10": "python"}})),
        ("close() leaves 2 zombies: python, python",),
    ),
    Example(
        "collecting the object waits for it",
        direct_view(life_trace(before={"zombies": {}}, held={"zombies": {"9": "simulator"}}, collected={"zombies": {}})),
    ),
)
