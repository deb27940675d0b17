"""The driver's readings of GPU memory, for the rules on it."""

from __future__ import annotations

from collections.abc import Mapping

from envdoctor.analysis.growth.sides import INSTANCE, LIFECYCLE
from envdoctor.model.facts import CountedOnGpu, GpuCounters
from envdoctor.model.gpu import NOT_READ, SENSOR
from envdoctor.model.trace import Life
from envdoctor.model.traits import LIFECYCLES, OPEN_INSTANCE
from envdoctor.model.units import size
from envdoctor.rules.engine.view import View

ONE_LIFECYCLE = (
    "only one lifecycle was played: what a GPU's driver keeps once in a process would be counted"
)


def left_on_gpu(view: View, point: str) -> dict[str, int]:
    """{pid: bytes} that the last life shows at a point and that were not there before it. The
    first one is never judged: a context, once opened, stays until the process ends.
    """
    life = view.last_life()
    return left_in(life, point) if life is not None and life.number else {}


def reason_unread(view: View) -> str:
    """Return the reason why the driver did not report GPU memory, or nothing."""
    trace = view.direct.trace("life")
    reasons = (reason_in(life) for life in (trace.lifecycles if trace else ()))
    return next(filter(None, reasons), "")


def left_in(life: Life, point: str) -> dict[str, int]:
    """{pid: bytes} that processes hold at a point of a life, and did not before it."""
    if not life.has(SENSOR, point):
        return {}
    return rises(life.by_key(SENSOR, "before"), life.by_key(SENSOR, point))


def rises(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, int]:
    """{pid: bytes} that processes hold now, and did not before."""
    result = {
        pid: int(text) - int(before.get(pid, "0")) for pid, text in now.items() if text.isdigit()
    }
    return {pid: more for pid, more in result.items() if more > 0}


def reason_in(life: Life) -> str:
    """Return the reason why the driver did not report GPU memory in a life, or nothing."""
    for reading in life.readings.values():
        values = reading.get(SENSOR)
        if isinstance(values, Mapping) and NOT_READ in values:
            return str(values[NOT_READ])
    return ""


#: In which scenarios the cycles of a side are played.
GROWTH_OF_SIDE = {LIFECYCLE: LIFECYCLES, INSTANCE: OPEN_INSTANCE}


def counted_by_libraries(view: View, side: str) -> dict[str, str]:
    """{library: what it counts on GPUs after the first block of cycles and after the last one}, of
    those that are loaded in the process.
    """
    traces = [
        trace for trace in view.traces if trace.scenario.traits.growth == GROWTH_OF_SIDE.get(side)
    ]
    counters = [fact.libraries for trace in traces for fact in trace.facts(GpuCounters)]
    if not counters:
        return {}
    first = {counter.library: counter for counter in counters[0]}
    return {
        counter.library: _in_words(first.get(counter.library, counter), counter)
        for counter in counters[-1]
    }


def _in_words(first: CountedOnGpu, last: CountedOnGpu) -> str:
    if last.not_seen:
        return f"not seen: {last.not_seen}"
    return f"{size(first.bytes)} after the first block, {size(last.bytes)} after the last one"
