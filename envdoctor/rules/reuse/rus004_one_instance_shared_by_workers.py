"""The factory returns the same object twice.

What it does
    Gives every innermost object a number of its own. Two instances of one process that are alive at
    the same time and carry the same number are one object.

Why it matters
    Both slots of a vector environment then step one world: each sees the other's actions, episodes
    end twice as early, and the first close() closes the other one too. Training still runs, only
    wrongly.

How to fix it
    Build inside the factory, not outside it:

        env = MyEnv()
        vector = gymnasium.vector.SyncVectorEnv([lambda: env] * 4)      # four times the same
        vector = gymnasium.vector.SyncVectorEnv([MyEnv] * 4)            # four of them
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import MakeEach
from envdoctor.model.errors import Frame
from envdoctor.model.finding import Finding
from envdoctor.model.records import InstanceRecord
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, instance, trace, vector_view
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.reuse.rus001_instance_not_reused import place_of_subject

GONE = ("closing", "finalized")

Pair = tuple[InstanceRecord, InstanceRecord]


def shared(run: Trace) -> list[Pair]:
    """Pairs of `made` events with one innermost object between them, the first still open when
    the second came.
    """
    alive: dict[tuple[int, int], InstanceRecord] = {}
    pairs = []
    for event in run.records(InstanceRecord):
        key = event.key
        if event.what in GONE:
            alive.pop(key, None)
        elif event.what == "made" and event.base is not None:
            pairs += [
                (other, event)
                for other in alive.values()
                if (other.pid, other.base) == (event.pid, event.base)
            ]
            alive[key] = event
    return pairs


@rule(
    "RUS004",
    "one-instance-shared-by-workers",
    explains=Cause.SHARED_BY_WORKERS,
    needs=("two-at-once", "life"),
    verb="make",
    looks_at={"two-at-once": "make", "life": "make"},
)
def one_instance_shared(view: View) -> Iterator[Finding]:
    for name in ("two-at-once", "life"):
        run = view.trace(name)
        pairs = shared(run) if run else []
        if pairs:
            place = place_of_subject(view)
            yield one_instance_shared.finding(
                f"two instances in one process are the same {view.class_name} object",
                "build a new environment in each call of the factory instead of returning one that"
                " was made before.",
                aim=MakeEach(Frame(place.file, place.line)) if place else None,
                location=place,
                evidence={
                    "shared": [
                        [
                            {
                                "pid": record.pid,
                                "serial": record.serial,
                                "base": record.base,
                                "id": record.id,
                            }
                            for record in pair
                        ]
                        for pair in pairs
                    ]
                },
            )
            return


EXAMPLES = (
    Example(
        "both slots get the module's only instance",
        vector_view(
            trace(instance("made", 1, base=5), instance("made", 2, base=5)),
            manager="gymnasium-sync",
        ),
        "two instances in one process are the same Sick object",
    ),
    Example(
        "two objects",
        direct_view(trace(instance("made", 1), instance("made", 2), name="two-at-once")),
    ),
    Example(
        "reopened after close",
        direct_view(
            trace(
                instance("made", 1, base=5),
                instance("closing", 1, base=5),
                instance("made", 2, base=5),
            )
        ),
    ),
    Example(
        "numbers of two processes have nothing in common",
        vector_view(trace(instance("made", 1, pid=7, base=5), instance("made", 1, pid=8, base=5))),
    ),
)
