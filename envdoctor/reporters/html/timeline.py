"""The timeline of a scenario as swim lanes: verbs across, a lane for each process, its
instances in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.timeline import (
    ENDED,
    OUTLIVED,
    PROBE,
    THERE,
    UNSEEN,
    InstanceSpan,
    Timeline,
    TimelineProcess,
    timeline,
)
from envdoctor.model.trace import Trace
from envdoctor.reporters._verdict import number
from envdoctor.reporters.html.columns import Scale, duration, scale
from envdoctor.reporters.html.markup import Element, Node, clipped, percent, tag
from envdoctor.reporters.html.parts import sideways

# Pixels: the row of verbs, the line above a lane, a bar, the space below a lane.
HEAD, LABEL, BAR, GAP = 44, 18, 16, 12
COLUMN = 76  # pixels that a verb has at least
MAX_PROCESSES, MAX_ROWS, MAX_VERBS = 12, 3, 24  # drawn
THIN = 0.004  # of the width: the least that is seen
ENDS = {
    OUTLIVED: "outlived everything: still there when all had to be gone",
    THERE: "still there at the end",
    UNSEEN: "its end was not seen",
    ENDED: "ended by the doctor with all the rest",
}


def draw(trace: Trace, title: str) -> Node:
    """The drawing, and the same as words; nothing where nothing can be drawn."""
    line = timeline(trace)
    if line is None or len(line.verbs) > MAX_VERBS:
        return None
    where, parts, top = scale(line), list(_verbs(line)), HEAD
    for process in line.processes[:MAX_PROCESSES]:
        drawn, height = _process(process, line, where, top)
        parts += drawn
        top += height
    text = f"{title}: " + "; ".join(_line(process) for process in line.processes[:MAX_PROCESSES])
    drawing = tag(
        "svg",
        tag("title", title),
        tag("desc", text),
        _grid(line, where, top),
        parts,
        role="img",
        aria_label=text,
        class_="timeline",
        width=COLUMN * len(line.verbs),
        height=top,
    )
    rest = len(line.processes) - MAX_PROCESSES
    return tag(
        "figure",
        tag(
            "figcaption",
            title,
            tag("span", f" {trace.outcome.kind} after {duration(line.seconds)}", class_="quiet"),
        ),
        sideways(drawing, f"Timeline, {title}"),
        tag("p", f"and {number(rest, 'more process')}", class_="quiet") if rest > 0 else None,
    )


def _verbs(line: Timeline) -> Iterator[Element]:
    """The heading of each column: the verb and how long it took. What does not fit is cut at
    the edge of its own drawing.
    """
    where = scale(line)
    for verb in line.verbs:
        ended = line.seconds if verb.ended is None else verb.ended
        left = where(verb.began)
        width = max(0.0, where(ended) - left)
        took = duration(max(0.0, ended - verb.began)) if verb.ended is not None else "did not end"
        text = f"{verb.name}: {took}" + (f", {verb.error}" if verb.error else "")
        style = "failed" if verb.error or verb.ended is None else None
        name = tag("text", f"{verb.name} ✗" if style else verb.name, x=5, y=17, class_="verb")
        box = tag("rect", width="100%", height="100%", class_="column")
        yield tag(
            "svg",
            tag("title", clipped(text, 200)),
            box,
            name,
            tag("text", took, x=5, y=33, class_="took"),
            x=percent(left),
            y=0,
            width=percent(width),
            height=HEAD - 6,
            class_=style,
        )


def _grid(line: Timeline, where: Scale, height: int) -> Iterator[Element]:
    for verb in line.verbs:
        x = percent(where(verb.began))
        yield tag("line", x1=x, x2=x, y1=0, y2=height, class_="grid")


def _process(
    process: TimelineProcess, line: Timeline, where: Scale, top: int
) -> tuple[list[Element], int]:
    """The lane of a process: a label, its own bar, its instances in rows below that."""
    rows = _rows(process.instances, line.seconds)
    bar = top + LABEL
    label = tag(
        "text",
        _name(process),
        tag("tspan", f"  {_fate(process)}", class_="gone" if process.end == OUTLIVED else "quiet"),
        x=0,
        y=top + 13,
    )
    drawn = [label, *_life(process, line, where, bar)]
    for at, row in enumerate(rows[:MAX_ROWS]):
        for span in row:
            drawn += _instance(span, line, where, bar + (BAR + 3) * (at + 1))
    return drawn, LABEL + (BAR + 3) * (1 + min(len(rows), MAX_ROWS)) + GAP


def _rows(instances: tuple[InstanceSpan, ...], last: float) -> list[list[InstanceSpan]]:
    """Instances that lived at the same time, one below the other."""
    rows: list[list[InstanceSpan]] = []
    for span in instances:
        free = next(
            (
                row
                for row in rows
                if (last if row[-1].ended is None else row[-1].ended) <= span.began
            ),
            None,
        )
        if free is None:
            rows.append([span])
        else:
            free.append(span)
    return rows


def _life(process: TimelineProcess, line: Timeline, where: Scale, y: int) -> Iterator[Element]:
    ended = line.seconds if process.ended is None else process.ended
    if process.began > process.launched:
        starts = f"started, and not heard of for {duration(process.began - process.launched)}"
        yield _bar(
            where(process.launched), where(process.began), y + 5, BAR - 10, "starting", starts
        )
    yield _bar(
        where(process.began),
        where(ended),
        y,
        BAR,
        f"process {process.role}",
        f"{_name(process)}: {_fate(process)}",
    )
    if process.end == OUTLIVED or process.end.startswith("signal") or process.end == "timed-out":
        yield tag(
            "text",
            "✗" if process.end != OUTLIVED else "▶",
            x=percent(where(ended)),
            y=y + 12,
            dx=-14,
            class_="mark bad",
        )


def _instance(span: InstanceSpan, line: Timeline, where: Scale, y: int) -> Iterator[Element]:
    ended = line.seconds if span.ended is None else span.ended
    text = (
        f"instance {span.serial} {span.type}: {number(len(span.resets), 'reset')} seen, closed"
        f" {number(len(span.closings), 'time')}"
    )
    text += ", still there at the end" if span.kept else ", gone" if span.ended is not None else ""
    yield _bar(
        where(span.began),
        where(ended),
        y,
        BAR - 4,
        "instance kept" if span.kept else "instance",
        text,
    )
    for reset in span.resets:
        x = percent(where(reset))
        yield tag(
            "line",
            tag("title", f"reset at {duration(reset)}"),
            x1=x,
            x2=x,
            y1=y,
            y2=y + BAR - 4,
            class_="reset",
        )
    for closing in span.closings:
        over = line.seconds if closing.ended is None else closing.ended
        words = closing.error or (
            "closed" if closing.ended is not None else "close() did not return"
        )
        style = "closing" if closing.ended is not None and not closing.error else "closing bad"
        yield _bar(where(closing.began), where(over), y, BAR - 4, style, words)


def _bar(left: float, right: float, y: int, height: int, style: str, text: str) -> Element:
    width = max(right - left, THIN)
    spot = {"x": percent(min(left, 1 - width)), "y": y, "width": percent(width), "height": height}
    return tag("rect", tag("title", clipped(text, 240)), rx=2, class_=style, **spot)


def _name(process: TimelineProcess) -> str:
    text = f": {clipped(process.text, 60)}" if process.text else ""
    return f"{process.role} {process.pid}{text}"


def _fate(process: TimelineProcess) -> str:
    if process.role == PROBE and process.end == THERE:
        return "plays the verbs"
    return ENDS.get(process.end, process.end)


def _line(process: TimelineProcess) -> str:
    """A process as words."""
    lived = f", {number(len(process.instances), 'instance')}" if process.instances else ""
    kept = sum(span.kept for span in process.instances)
    return (
        f"{_name(process)}{lived}{f' ({kept} still there at the end)' if kept else ''},"
        f" {_fate(process)}"
    )
