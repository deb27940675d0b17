"""Memory that stays allocated, as a flame graph from its root down: callers above, what they call
below, as wide as what is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from envdoctor.model.facts import AllocationRecord, Allocations
from envdoctor.model.finding import Location
from envdoctor.reporters._growth import CALLS, amount
from envdoctor.reporters._verdict import number
from envdoctor.reporters.html.markup import Element, Node, clipped, percent, tag
from envdoctor.reporters.html.parts import folded, legend, sideways, table

ROW = 22  # pixels
MAX_DEPTH = 30  # rows; deeper stacks lose their outermost frames
MAX_RECORDS = 40
MAX_FRAMES = 400  # boxes of one drawing

OWN, NATIVE, LIBRARY = "own", "native", "library"


@dataclass
class FlameFrame:
    """One box: what it is, whose code, the bytes below it, and what it calls."""

    name: str
    place: str
    kind: str
    bytes: float = 0.0
    count: int = 0
    calls: dict[tuple[str, str], FlameFrame] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """Rows from here down."""
        return 1 + max((each.depth for each in self.calls.values()), default=0)


def tree(records: Sequence[AllocationRecord], own_file: str = "") -> FlameFrame:
    """All stacks as one tree from the outermost frame inwards. What grows is measured in bytes, or
    by count where there are none.
    """
    root = FlameFrame("all that is kept", "", LIBRARY)
    for record in records[:MAX_RECORDS]:
        node = root
        node.bytes, node.count = node.bytes + record.bytes, node.count + record.count
        for frame in reversed(record.frames[:MAX_DEPTH]):
            node = _below(node, frame, OWN if _is_own(frame, record, own_file) else "")
            node.bytes, node.count = node.bytes + record.bytes, node.count + record.count
    return root


def _is_own(frame: Location, record: AllocationRecord, own_file: str) -> bool:
    """The user's frame of a record, and every other frame of the same file or of the subject's."""
    own = record.own_line
    return bool(own_file and frame.file == own_file) or (own is not None and frame.file == own.file)


def _below(node: FlameFrame, frame: Location, kind: str) -> FlameFrame:
    known = frame.file.strip("<>") not in ("unknown", "")
    place = f"{frame.file}:{frame.line}" if known else ""
    name = frame.function or "?"
    kind = kind or (LIBRARY if frame.file.endswith(".py") else NATIVE)
    return node.calls.setdefault((name, place), FlameFrame(name, place, kind))


def flame(allocations: Allocations, own_file: str = "") -> Node:
    """The drawing, its key, and the command that opens what was recorded, if it was kept;
    nothing where nothing was recorded.
    """
    records = allocations.records
    if not records:
        return None
    root = tree(records, own_file)
    if not root.bytes:
        return None
    calls = CALLS.get(allocations.operation, "cycles")
    title = (
        f"What stays allocated after {allocations.cycles} {calls}:"
        f" {amount('heap', root.bytes)} in {number(root.count, 'allocation', form=',')}"
    )
    text = f"{title}. The widest way: {' calls '.join(_widest(root))}"
    boxes: list[Element] = []
    _draw(root, 0.0, 1.0, 0, root.bytes, boxes)
    drawing = tag(
        "svg",
        tag("title", title),
        tag("desc", text),
        boxes,
        role="img",
        aria_label=clipped(text, 900),
        class_="flame",
        width="100%",
        height=root.depth * ROW,
    )
    kept = (
        tag("p", "To go deeper: ", tag("code", f"memray flamegraph --leaks {allocations.file}"))
        if allocations.file
        else None
    )
    return (
        tag("figure", tag("figcaption", title), sideways(drawing, "Flame graph"), legend(_KEY)),
        _stacks(records, calls),
        kept,
    )


_KEY = (
    (OWN, "the environment's own file"),
    (LIBRARY, "Python of libraries"),
    (NATIVE, "native code"),
)


def _draw(
    frame: FlameFrame, left: float, width: float, row: int, total: float, boxes: list[Element]
) -> None:
    """The box of a frame, and those of what it calls below it, widest first."""
    if len(boxes) >= MAX_FRAMES:
        return
    share = amount("heap", frame.bytes)
    text = " ".join(
        part
        for part in (
            frame.name,
            frame.place,
            f"{share} ({frame.bytes / total:.0%}), {number(frame.count, 'allocation', form=',')}",
        )
        if part
    )
    name = frame.name if row else f"{frame.name}: {share}"
    short = f"  {frame.place.rsplit('/', 1)[-1]}" if frame.place else ""
    label = tag("text", name, tag("tspan", short, class_="at") if short else None, x=6, y=15)
    box = tag("rect", width="100%", height=ROW - 2, rx=2)
    spot = {"x": percent(left), "y": row * ROW, "width": percent(width), "height": ROW}
    boxes.append(
        tag("svg", tag("title", clipped(text, 280)), box, label, class_=frame.kind, **spot)
    )
    for below in sorted(frame.calls.values(), key=lambda each: -each.bytes):
        wide = width * below.bytes / frame.bytes if frame.bytes else 0.0
        _draw(below, left, wide, row + 1, total, boxes)
        left += wide


def _widest(frame: FlameFrame) -> Iterator[str]:
    while frame.calls:
        frame = max(frame.calls.values(), key=lambda each: each.bytes)
        yield f"{frame.name} ({frame.place.rsplit('/', 1)[-1]})" if frame.place else frame.name


def _stacks(records: Sequence[AllocationRecord], calls: str) -> Element:
    """A table of the same, for readers who do not see the drawing or want to copy a line."""
    rows: list[tuple[Node, ...]] = []
    for record in records[:MAX_RECORDS]:
        frames = record.frames
        own = record.own_line or (frames[-1] if frames else None)
        where = f"{own.file}:{own.line}" if own else "not known"
        rows.append(
            (
                amount("heap", record.bytes),
                f"{record.count:,}",
                tag("code", where, class_="path"),
                tag("code", frames[0].function if frames else ""),
            )
        )
    element = table(("kept", "allocations", "line", "allocated by"), rows)
    return folded(
        f"The same as a table, by line ({calls})",
        sideways(element, "What stays allocated, by line"),
    )
