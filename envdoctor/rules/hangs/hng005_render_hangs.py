"""render() hangs.

What it does
    Renders once before close() when the environment was made with a render mode, and in the modes
    that it lists and that can be rendered without a window, under a deadline. When the time is up,
    the stacks are written, and the last frame of the environment's own code is named.

Why it matters
    Rendering runs in evaluation and while videos are recorded, hours into a run. A window system or
    a graphics driver that never answers then stops the whole training.

How to fix it
    Do not wait for a display that may not be there; render off screen, or give up with a reason:

        if self.render_mode == "rgb_array":
            os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.model.trace import TIMED_OUT
from envdoctor.rules.engine.examples import direct_view, trace, verb
from envdoctor.rules.engine.looked_at import missing_evidence
from envdoctor.rules.engine.registry import DIRECT_ONLY, EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import first_hang, report_hang


def _never_rendered(view: View) -> str:
    """Return the reason why render() was not called, if so: without a render mode there is nothing
    to render.
    """
    if view.survey.render_mode is not None:
        return missing_evidence(view, (("life", "render?"),))
    drawn = [
        optional_trace
        for optional_trace in view.optional_traces
        if optional_trace.reached("render")
    ]
    return "" if drawn else "no render mode was asked for, so render() was not called"


@rule(
    "HNG005",
    "render-hangs",
    where=DIRECT_ONLY,
    verb="reset",
    unjudged=_never_rendered,
    also_reads=(EVERYTHING,),
)
def render_hangs(view: View) -> Iterator[Finding]:
    hung = first_hang(view, "render")
    if hung is not None:
        remedy = (
            f"give what {view.class_name}.render() waits for a time-out, and do without a display"
            " in the mode rgb_array."
        )
        yield from report_hang(render_hangs, view, hung, "render()", verb="render", remedy=remedy)


_STACKS = (
    'Current thread 0x01 (most recent call first):\n  File "/home/me/walker.py", line 51 in'
    " render\n"
)

EXAMPLES = (
    Example(
        "the window never opens",
        direct_view(
            trace(verb("render", "began"), outcome=TIMED_OUT, verb="render", stacks=_STACKS)
        ),
        "render() hangs in walker.py:51, render",
    ),
    Example("it comes back", direct_view(trace(verb("render")))),
)
