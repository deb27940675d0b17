"""close() leaves a window.

What it does
    Asks the toolkits that the environment has loaded what is open after close() that was not before
    the first constructor: the window of pygame, windows of pyglet, glfw and tkinter, figures of
    matplotlib, contexts of EGL and OSMesa. An environment that offers render modes is drawn in each
    of them, without a screen; what stays only there is a note.

Why it matters
    A frozen window stays on the screen until the program ends, and each evaluation opens one more.
    Invisible figures and contexts take memory, on the graphics card, too.

How to fix it
    Close what was opened, where it was opened, and let reset() or render() open it again:

        def close(self):
            if self._window is not None:
                pygame.display.quit()       # plt.close(self._figure), window.close(),
                self._window = None         # context.free()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.drawing import OFF_SCREEN
from envdoctor.model.environment_aims import CallInClose
from envdoctor.model.finding import WARNING, Finding
from envdoctor.rules.engine.examples import direct_view, reading, sensor_life, trace
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import left_open
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.drawing_contexts import drawing_cost
from envdoctor.rules.wording.leftovers import has_close, its_close, leaves, listing

#: How each toolkit closes what it opened, as a line of close().
CURES = {
    "pygame": "pygame.display.quit()",
    "pyglet": "self.window.close()",
    "glfw": "glfw.destroy_window(self.window)",
    "matplotlib": "plt.close(self.figure)",
    "tkinter": "self.root.destroy()",
    "EGL": "self.context.free()",
    "OSMesa": "self.context.free()",
}


def windows_at(view: View, point: str) -> dict[str, str]:
    """The windows that the last life shows at a point and that were not there before the first one.
    pygame has one in a process: what a first life leaves is there before the second.
    """
    run, last = view.trace("life"), view.last_life()
    if run is None or last is None:
        return {}
    before = run.lifecycles[0].by_key("windows", "before")
    return {key: text for key, text in last.by_key("windows", point).items() if key not in before}


@rule(
    "CLS019",
    "close-leaves-window",
    severity=WARNING,
    where=DIRECT_ONLY,
    verb="drop",
    sensors=("windows",),
    looks_at={"life": LIFECYCLE},
    counts=left_open("windows"),
    judges_rendered=True,
    reports_render_modes=True,
    cured_in_close=True,
)
def close_leaves_window(view: View) -> Iterator[Finding]:
    collected = windows_at(view, "collected")
    left = windows_at(view, "held") if has_close(view) else collected
    if not left:
        return
    until = "" if collected else " until the closed object is dropped"
    cures = list(
        dict.fromkeys(CURES[text.split()[0]] for text in left.values() if text.split()[0] in CURES)
    )
    drawn = any(text.split()[0] in OFF_SCREEN for text in left.values())
    cost = drawing_cost(view) if drawn else ""
    memory = f"; an instance that has drawn takes {cost} of native memory" if cost else ""
    yield close_leaves_window.finding(
        f"{leaves(view)} open{until}: {listing(left.values())}{memory}",
        f"close what is open in {its_close(view)}, and open it again when something is drawn.",
        aim=CallInClose(tuple(cures)) if cures else None,
        location=view.locate("close"),
        evidence={
            "held": list(left.values()),
            "collected": list(collected.values()),
            **({"taken": cost} if cost else {}),
        },
    )


_WINDOW = {"pygame window": "pygame window 'Maze', 400x400"}
_FIGURE = {"matplotlib figure 1": "matplotlib figure 1"}


def _two_lifecycles(before: dict[str, str], left: dict[str, str]) -> View:
    readings = [
        reading("before", {"windows": before}),
        reading("held", {"windows": left}),
        reading("collected", {"windows": left}),
    ]
    readings += [
        reading(point, {"windows": left}, 1) for point in ("before", "made", "held", "collected")
    ]
    return direct_view(trace(*readings))


EXAMPLES = (
    Example(
        "pygame's only window is there before the second life",
        _two_lifecycles({}, _WINDOW),
        "close() leaves open: pygame window 'Maze', 400x400",
    ),
    Example(
        "a figure that goes with the object",
        direct_view(sensor_life("windows", before={}, held=_FIGURE, dropped={}, collected={})),
        "close() leaves open until the closed object is dropped: matplotlib figure 1",
    ),
    Example("it was there before the environment", _two_lifecycles(_WINDOW, _WINDOW)),
    Example("closed again", direct_view(sensor_life("windows", before={}, held={}, collected={}))),
)
