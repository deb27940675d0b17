"""close() leaves containers of Docker or Podman.

What it does
    Follows the calls of `docker` and `podman` that the environment makes, directly, through a shell
    or `compose`, and asks the client after close() which of the containers that they asked for are
    still there: by the name, the file for the id or the labels that a call gave, else by its image
    where only so many are new. What was there before is never counted, and what is left is removed
    when the examination ends. What the Python libraries `docker` and `podman` create is followed as
    well, where a client is installed; containers that are asked for by other means are not seen.

Why it matters
    A container belongs to its engine: it goes on when the training has ended, also when it was
    killed, with its memory, its GPU and its ports. The next one of that name cannot start.

How to fix it
    Start it so that it is removed when it stops, and stop it in close():

        def reset(self, *, seed=None, options=None):
            if self._container is None:
                command = ["docker", "run", "--detach", "--rm", "simulator:2"]
                self._container = subprocess.check_output(command, text=True).strip()

        def close(self):
            if self._container is not None:
                subprocess.run(["docker", "rm", "--force", self._container], check=True)
                self._container = None
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envdoctor.model.container_clients import SENSOR
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, ended_afterwards, life_trace, sensor_life
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import left_open
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.acquisitions import asked_for_in, lines_that_asked
from envdoctor.rules.remedies.aims import aim_at
from envdoctor.rules.wording.leftovers import (
    begun_in_close,
    count,
    its_close,
    leaves,
    listing,
    pronoun,
    severity,
    still_there,
    verb_words,
)


@rule(
    "CLS021",
    "close-leaves-containers",
    explains=Cause.CONTAINERS_LEFT,
    verb="drop",
    sensors=(SENSOR,),
    about=SENSOR,
    looks_at={"life": LIFECYCLE},
    counts=left_open("containers"),
    judges_rendered=True,
    cured_in_close=True,
)
def close_leaves_containers(view: View) -> Iterator[Finding]:
    left, gone = still_there(view, SENSOR)
    if not left:
        return
    lines = lines_that_asked(view, ("life",))
    named = listing(f"{name} ({text})" for name, text in left.items())
    acquired = asked_for_in(lines) or verb_words(view, SENSOR)
    stopping = begun_in_close(view)
    if stopping:
        begun = count(stopping, "process", "processes")
        gone = f", and {begun} that it began still {'runs' if len(stopping) == 1 else 'run'}"
    yield close_leaves_containers.finding(
        f"{leaves(view)} {count(left, 'container')}{gone}: {named}",
        f"remove {pronoun(left)} in {its_close(view)}{acquired}; with --rm nothing"
        " stays of a container that was stopped.",
        aim=aim_at("container", lines),
        location=view.locate("close"),
        severity=NOTE if stopping else severity(view, SENSOR),
        evidence={
            "held": left,
            "collected": view.left(SENSOR, "collected"),
            "taken_at": [line.wire for line in lines],
        },
    )


SIMULATOR = {"sim-1": "docker, image simulator:2"}
SEVERAL: Mapping[str, str] = {**SIMULATOR, "sim-2": "docker, image simulator:2"}


def _still_stopped() -> Trace:
    stopping = {SENSOR: SIMULATOR, "processes": {"9": "sh -c sleep 60; docker stop sim-1"}}
    none: Mapping[str, str] = {}
    before = {SENSOR: none, "processes": none}
    return life_trace(
        before=before,
        stepped={SENSOR: SIMULATOR, "processes": none},
        held=stopping,
        collected=stopping,
    )


EXAMPLES = (
    Example(
        "a simulator in a container goes on",
        direct_view(sensor_life(SENSOR, before={}, held=SIMULATOR, collected=SIMULATOR)),
        "close() leaves 1 container: sim-1 (docker, image simulator:2)",
    ),
    Example(
        "each reset() starts one, and close() stops the last",
        direct_view(sensor_life(SENSOR, before={}, held=SEVERAL, collected=SEVERAL)),
        "close() leaves 2 containers: sim-1 (docker, image simulator:2), sim-2 (docker,"
        " image simulator:2)",
    ),
    Example(
        "close() removes it",
        direct_view(sensor_life(SENSOR, before={}, made=SIMULATOR, held={}, collected={})),
    ),
    Example(
        "close() has it stopped in the background",
        direct_view(
            ended_afterwards(
                sensor_life(SENSOR, before={}, held=SIMULATOR, collected=SIMULATOR),
                11.2,
                SENSOR,
                "sim-1",
            )
        ),
        "close() leaves 1 container until 11 s after it: sim-1 (docker, image simulator:2)",
    ),
    Example(
        "close() has the last one stopped in the background, and forgets the first",
        direct_view(
            ended_afterwards(
                sensor_life(SENSOR, before={}, held=SEVERAL, collected=SEVERAL),
                11.2,
                SENSOR,
                "sim-1",
            )
        ),
        "close() leaves 1 container: sim-2 (docker, image simulator:2)",
    ),
    Example(
        "what close() began, and what may stop it, is not followed to its end",
        direct_view(_still_stopped()),
        "close() leaves 1 container, and 1 process that it began still runs: sim-1 (docker,"
        " image simulator:2)",
    ),
)
