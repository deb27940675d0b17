"""The number of containers of Docker or Podman grows from cycle to cycle.

What it does
    Counts the containers that the environment asked for before and after blocks of whole cycles,
    and in one instance that stays open. It follows the calls of `docker` and `podman`, as CLS021
    does, which reports what every life leaves; this one also sees what each reset() starts anew.

Why it matters
    Each container is a simulator that runs, with its memory and its ports. After a day of training
    the machine holds thousands, which also stay when the training is killed.

How to fix it
    Remove the container before the next one is started, or use it again:

        def reset(self, *, seed=None, options=None):
            if self._container is not None:
                subprocess.run(["docker", "rm", "--force", self._container], check=True)
            command = ["docker", "run", "--detach", "--rm", "simulator:2"]
            self._container = subprocess.check_output(command, text=True).strip()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.container_clients import SENSOR
from envdoctor.model.finding import ERROR, Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import block, designs, direct_view, growing
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.acquisitions import asked_for_in, lines_that_asked
from envdoctor.rules.evidence.growth import leaks_of, returned_by
from envdoctor.rules.remedies.aims import aim_at
from envdoctor.rules.wording.growth import give_back, held, horizon, reached_after, report, sentence


@rule(
    "LEK013",
    "containers-grow",
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=(SENSOR,),
    about=SENSOR,
    grows="containers",
    gives_way=(Cause.CONTAINERS_LEFT,),
)
def containers_grow(view: View) -> Iterator[Finding]:
    lines = lines_that_asked(view, ("leak", "leak-open", "leak-workers"))
    for leak in leaks_of(view, SENSOR):
        message = (
            f"{sentence(leak, 'leaves', 'container', 'containers')}: 1000 after"
            f" {reached_after(leak, 1000)}{held(view, leak)}; {horizon(leak)}"
        )
        yield report(
            containers_grow,
            view,
            leak,
            (message, f"{give_back(view, leak, 'remove')}{asked_for_in(lines)}."),
            severity=ERROR,
            aim=aim_at("container", lines),
            explained_by=returned_by(view, leak, SENSOR, (Cause.CONTAINERS_LEFT,), ()),
        )


EXAMPLES = (
    Example(
        "each reset() starts another one",
        direct_view(*growing(**{SENSOR: 1}), *designs(SENSOR, reset=1)),
        "every reset() leaves 1 container: 1000 after 1000 resets; steady through 231 cycles",
    ),
    Example(
        "removed again", direct_view(*(block(cycles, **{SENSOR: 0}) for cycles in (7, 7, 7, 14)))
    ),
)
