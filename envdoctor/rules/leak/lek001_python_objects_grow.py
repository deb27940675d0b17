"""The number of Python objects grows with every cycle.

What it does
    Builds, resets, steps, closes and gives up the environment again and again, with the same seed
    and the same actions, and counts the blocks of memory that Python's objects have. The counter is
    exact: a healthy environment adds nothing, a leak adds the same number a cycle. Where whole
    lives add nothing, episodes of one instance that stays open are followed as well. Further blocks
    tell whether it is the constructor, reset() or step(); a last pass names the line (memray), the
    types that grew and who holds them.

Why it matters
    An object at every reset() is a million after a million episodes. It fills the memory of the
    machine over days, and every pass of the garbage collector walks over it.

How to fix it
    Bound what is kept, or let go of it: in close() what the module or class keeps, in reset() what
    the instance does.

        self.history.clear()                         # in reset()
        _HISTORY = collections.deque(maxlen=100)     # instead of a list of the module
        logging.getLogger(__name__)                  # not one for each instance: they all stay
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envdoctor.analysis.growth.leaks import MINOR, Leak
from envdoctor.analysis.growth.sides import CALL
from envdoctor.model.environment_aims import Clear
from envdoctor.model.errors import Frame
from envdoctor.model.finding import Finding, Location
from envdoctor.model.kept_chains import FIGURES, LOG_HANDLERS
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import designs, direct_view, growing, held_in, kept_at, record
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.growth import (
    OBJECTS_OF_A_HANDLE,
    compiled_anew,
    grown_containers,
    keeps_instances,
    leaks_of,
    line_for,
    records,
)
from envdoctor.rules.evidence.stacks import is_in_library
from envdoctor.rules.evidence.tasks import of_pending_tasks
from envdoctor.rules.wording.growth import (
    CLOSE_FIGURES,
    at_line,
    cleanup,
    compile_once,
    compiled,
    horizon,
    kept_in,
    last_chance,
    per_million,
    report,
    sentence,
    types,
)

#: The rules that tell the growth of what a container of handles is made of.
HANDLES = {
    "threads": Cause.THREADS_GROW,
    "processes": Cause.PROCESSES_GROW,
    "descriptors": Cause.DESCRIPTORS_GROW,
    "segments": Cause.SHARED_MEMORY_GROWS,
    "gpu": Cause.GPU_MEMORY_GROWS,
}


@rule(
    "LEK001",
    "python-objects-grow",
    explains=Cause.OBJECTS_GROW,
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=("objects",),
    grows="python objects",
    gives_way=(Cause.INSTANCE_KEPT, Cause.TASK_LEFT, *HANDLES.values()),
)
def python_objects_grow(view: View) -> Iterator[Finding]:
    for leak in _without_parts(view, tuple(leaks_of(view, "objects"))):
        anew = compiled_anew(view, leak)
        line = line_for(view, leak, records(view, leak.side))
        line = anew.most.location if anew and anew.most else line
        own = None if line is None or _is_foreign(view, line) else line
        chains = [leak.holder.chain] if leak.holder else grown_containers(view, leak.side)[:1]
        message = (
            f"{sentence(leak, 'keeps', 'Python object')}{types(view, leak)}{per_million(leak)}"
            f"{compiled(anew) or kept_in(leak, chains)}; {horizon(leak)}"
        )
        made = f"what is kept is made{at_line(own)}; " if own and not anew else ""
        yield report(
            python_objects_grow,
            view,
            leak,
            (message, compile_once(anew) if anew else made + _let_go(view, leak)),
            line if anew else own,
            aim=None if anew else _clear(leak, own),
            explained_by=_explanations(view, leak),
        )


def _without_parts(view: View, leaks: Sequence[Leak]) -> list[Leak]:
    """The leaks, and of those on one side that are made of compiled programs the largest alone: it
    has them all. What no container keeps beside it, and is much less, is noise of their division.
    """
    largest: dict[str, Leak] = {}
    for leak in leaks:
        if compiled_anew(view, leak) and leak.rate > getattr(largest.get(leak.side), "rate", 0.0):
            largest[leak.side] = leak
    return [leak for leak in leaks if not _is_part(view, leak, largest.get(leak.side, leak))]


def _is_part(view: View, leak: Leak, largest: Leak) -> bool:
    if leak is largest:
        return False
    little = leak.holder is None and leak.rate < MINOR * largest.rate
    return little or compiled_anew(view, leak) is not None


def _is_foreign(view: View, line: Location) -> bool:
    """Return whether a line is a library's, and the environment is not: addHandler() of logging
    keeps what reset() gives it, and nothing is to be mended there.
    """
    source = view.survey.source
    return is_in_library(line.file) and (source is None or not is_in_library(source.file))


def _clear(leak: Leak, line: Location | None) -> Clear | None:
    if leak.holder is None or leak.operation == CALL or of_pending_tasks(leak.holder.chain):
        return None
    place = Frame(line.file, line.line) if line else None
    return Clear(leak.holder.chain, last_chance(leak), place)


def _let_go(view: View, leak: Leak) -> str:
    """Return the remedy for its holder."""
    where = cleanup(view, leak)
    if leak.holder is not None and of_pending_tasks(leak.holder.chain):
        return f"in {where}, cancel() the task, and let its loop run until it has ended."
    if leak.holder is not None and leak.holder.chain == FIGURES:
        return CLOSE_FIGURES
    if leak.holder is not None and LOG_HANDLERS.fullmatch(leak.holder.chain):
        return (
            f"take the handler out again in {where}, by removeHandler(), and close it; or add it"
            " once, where the program sets up its logs: each message is written once for every"
            " handler."
        )
    if leak.holder is not None:
        return f"bound {leak.holder.chain}, or take out of it in {where} what was put in."
    return f"let go of it in {where}."


def _explanations(view: View, leak: Leak) -> tuple[Cause, ...]:
    """The rules whose remedy takes all of this: instances that outlive close() take with them what
    they hold; threads, processes and files that are ended take what stands for them. Files that
    end with their container do not explain it: closed ones would stay there.
    """
    if keeps_instances(view, leak):
        return (Cause.INSTANCE_KEPT,)
    if leak.holder is not None and of_pending_tasks(leak.holder.chain):
        return (Cause.TASK_LEFT,) if leak.operation == "create" else ()
    if leak.holder is None or leak.holder.handle not in HANDLES:
        return ()
    if leak.holder.handle in (leak.things or {}):
        return ()
    grown = sum(other.rate for other in view.leaks if other.meter == leak.holder.handle)
    small = leak.rate <= grown * OBJECTS_OF_A_HANDLE
    return (HANDLES[leak.holder.handle],) if small else ()


HANDLERS = held_in(
    "logging.getLogger('sick').handlers",
    "logging.FileHandler",
    (1, 0, 0),
    {"objects": 19},
    rest={"objects": 0},
    lines=[
        {
            "file": "/usr/lib/python3.11/logging/__init__.py",
            "line": 1653,
            "function": "Logger.addHandler",
        }
    ],
)
EXAMPLES = (
    Example(
        "a list of the module keeps something of every episode",
        direct_view(
            *growing(objects=2, heap=0, python=120),
            held_in(
                "sick.HISTORY",
                "sick.Episode",
                (0, 1, 0),
                {"objects": 2, "heap": 0, "python": 120},
                rest={"objects": 0, "heap": 0},
                overhead=8.45,
            ),
        ),
        "every reset() keeps 2 Python objects (sick.Episode): 122.5 MiB per million resets;"
        " kept in sick.HISTORY; steady through 231 cycles",
    ),
    Example(
        "each instance adds a handler to one logger",
        direct_view(
            *growing(objects=19),
            held_in(
                "logging.getLogger('sick').handlers",
                "logging.FileHandler",
                (1, 0, 0),
                {"objects": 19},
                rest={"objects": 0},
            ),
        ),
        "every new instance keeps 19 Python objects (logging.FileHandler); kept in"
        " logging.getLogger('sick').handlers; steady through 231 cycles",
    ),
    Example(
        "Python's own line adds to the list, and one of the user's calls it",
        direct_view(
            *growing(objects=19),
            HANDLERS,
            kept_at(
                record("/home/me/sick.py", 39, "__init__", 203),
                record("/home/me/sick.py", 12, "reset", 3),
            ),
        ),
        "every new instance keeps 19 Python objects (logging.FileHandler); kept in"
        " logging.getLogger('sick').handlers; steady through 231 cycles",
    ),
    Example(
        "Python's own line adds to the list, and who calls it is not known",
        direct_view(*growing(objects=19), HANDLERS),
        "every new instance keeps 19 Python objects (logging.FileHandler); kept in"
        " logging.getLogger('sick').handlers; steady through 231 cycles",
    ),
    Example(
        "each render() makes a figure",
        direct_view(
            *growing(objects=3892),
            held_in(
                FIGURES,
                "matplotlib.figure.Figure",
                (0, 1, 0),
                {"objects": 3892},
                rest={"objects": 0},
            ),
        ),
        "every reset() keeps 3892 Python objects (matplotlib.figure.Figure); kept in"
        " matplotlib._pylab_helpers.Gcf.figs; steady through 231 cycles",
    ),
    Example(
        "no container got longer",
        direct_view(
            *growing(objects=2),
            *designs("objects", reset=2, types={"sick.Episode": 14}, chain="sick.LAST.previous"),
            kept_at(record("/home/me/sick.py", 31, "reset", 202, 120)),
        ),
        "every reset() keeps 2 Python objects (sick.Episode); kept in sick.LAST.previous;"
        " steady through 231 cycles",
    ),
    Example(
        "now and then, and nothing more is known",
        direct_view(*growing(objects=0.2)),
        "every 5th cycle of make, reset, steps and close keeps 1 Python object; steady"
        " through 231 cycles",
    ),
    Example("a cache that is full", direct_view(*growing(objects=0))),
)
