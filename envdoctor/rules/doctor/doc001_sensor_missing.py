"""A sensor of the doctor does not work here.

What it does
    Reports each sensor that the target cannot offer, and why: a C library without counters, a /proc
    that is not mounted, a package that is not installed. On a machine without a GPU, rules on GPU
    memory are not judged for that reason, without a note.

Why it matters
    What cannot be measured cannot be found. A run without this note would pass as healthy what
    was not looked at.

How to fix it
    Where the reason names a package, install it for the interpreter that owns the environment, or
    let the doctor examine it on another system:

        python -m pip install psutil
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import NOTE, Finding
from envdoctor.rules.engine.examples import direct_view
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View


@rule(
    "DOC001",
    "sensor-missing",
    severity=NOTE,
    where=DIRECT_ONLY,
    needs=("survey",),
    verb="survey",
    blames_itself=True,
)
def sensor_missing(view: View) -> Iterator[Finding]:
    for sensor, reason in view.survey.sensors.items():
        if reason and sensor not in view.survey.absent:
            yield sensor_missing.finding(
                f"{sensor} cannot be measured here: {reason}",
                "rules that need it are skipped; examine the environment where it works to have"
                " them judged.",
                evidence={"sensor": sensor, "reason": reason},
            )


EXAMPLES = (
    Example(
        "a C library without counters",
        direct_view(sensors={"descriptors": "", "native-heap": "this C library has no mallinfo2"}),
        "native-heap cannot be measured here: this C library has no mallinfo2",
    ),
    Example(
        "a machine without a GPU",
        direct_view(sensors={"gpu-memory": "no driver"}, absent=["gpu-memory"]),
    ),
    Example("all of them work", direct_view(sensors={"descriptors": "", "native-heap": ""})),
)
