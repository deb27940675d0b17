"""The cost of an instance that draws off the screen: traces in, values for the report out."""

from __future__ import annotations

from collections.abc import Iterable

from envdoctor.model.report import DrawingReport
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import Life, Trace

#: Where it is read after an instance has drawn.
DRAWN = ("rendered", "stepped")
#: The toolkits that draw into memory.
OFF_SCREEN = ("EGL", "OSMesa")
HEAVY = 2**25  # bytes from which on what an instance takes is worth a word

HEAP, WINDOWS = "native-heap", "windows"


def memory_of_drawing(life: Life) -> int:
    """The bytes of native memory of an open instance that has drawn, in render() or with each
    step; 0 where it is little or was not read.
    """
    most = max(life.change(HEAP, "before", point) or 0 for point in DRAWN)
    return most if most >= HEAVY else 0


def summarise(traces: Iterable[Trace]) -> DrawingReport | None:
    """Return the cost of the last instance of the plain life; None without such a context."""
    drawn = [
        life
        for trace in traces
        if trace.scenario.traits.plain and trace.scenario.manager == DIRECT
        for life in trace.lifecycles
        if memory_of_drawing(life) and life.change(HEAP, "before", "held") is not None
    ]
    return _of(drawn[-1]) if drawn else None


def _of(life: Life) -> DrawingReport | None:
    shown = [text for point in DRAWN for text in life.by_key(WINDOWS, point).values()]
    contexts = [text for text in shown if text.split()[0] in OFF_SCREEN]
    most, left = memory_of_drawing(life), life.change(HEAP, "before", "held") or 0
    return DrawingReport(contexts[0], most, max(0, most - max(0, left))) if contexts else None
