"""The number of Python objects grows with every cycle.

What it does
    Builds, resets, steps, closes and gives up the environment again and again, with the same seed and the same actions,
    and counts the blocks of memory that Python's objects have. The counter is exact: a healthy environment adds nothing, a
    leak adds the same number a cycle. Where whole lives add nothing, episodes of one instance that stays open are followed
    as well. Further blocks tell whether it is the constructor, reset() or step(); a last pass
    names the line (memray), the types that grew and who holds them.

Why it matters
    An object at every reset() is a million after a million episodes. It fills the memory of the machine over days, and
    every pass of the garbage collector walks over it.

How to fix it
    Bound what is kept, or let go of it: in close() what the module or class keeps, in reset() what the instance does.

        self.history.clear()                         # in reset()
        _HISTORY = collections.deque(maxlen=100)     # instead of a list of the module
        logging.getLogger(__name__)                  # instead of a logger for each instance, which is never forgotten
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.rules.cures import clear
from envdoctor.rules.growth import objects_leak
from envdoctor.rules.growth_causes import holders, line_of, lines
from envdoctor.rules.growth_words import at_line, bytes_of_objects, horizon, in_a_million, kept_in, last_chance, let_go, report, sentence, types
from envdoctor.rules.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.samples import designs, direct_view, growing, kept_at, record, suspected
from envdoctor.rules.view import View


@rule("LEK001", "python-objects-grow", where=WHERE_PLAYED, needs=("leak", "leak-workers"), meters=("objects",))
def python_objects_grow(view: View) -> Iterator[Finding]:
    leak = objects_leak(view)
    if leak is None:
        return
    line, keepers, size = line_of(lines(view), by="count"), holders(view), bytes_of_objects(view, leak)
    cost = f": {in_a_million(leak, size)}" if size else ""
    message = f"{sentence(leak, 'keeps', 'Python object')}{types(view)}{cost}{kept_in(keepers)}; {horizon(leak)}"
    remedy = f"what is kept is made{at_line(line)}; {let_go(view, leak, keepers)}" if line else let_go(view, leak, keepers)
    commands = clear(view, keepers[0], last_chance(leak)) if keepers else ()
    yield report(python_objects_grow, view, leak, (message, remedy), line, commands=commands)


EXAMPLES = (
    Example(
        "a list of the module keeps something of every episode",
        direct_view(
            *growing(objects=2),
            *designs("objects", reset=2),
            suspected({"sick.Episode": 14}, "sick.HISTORY"),
            kept_at(record("/home/me/sick.py", 31, "reset", 202, 120)),
        ),
        (
            (
                "every reset() keeps 2 Python objects (sick.Episode): 240.0 MB after a million resets; "
                "kept in sick.HISTORY; steady through 231 cycles"
            ),
        ),
    ),
    Example(
        "now and then, and nothing more is known",
        direct_view(*growing(objects=0.2)),
        ("every 5th cycle of make, reset, steps and close keeps 1 Python object; steady through 231 cycles",),
    ),
    Example("a cache that is full", direct_view(*growing(objects=0))),
)
