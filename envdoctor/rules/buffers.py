"""What is said where a batch of TorchRL's stopped: how it does without the memory that it shares with its instances."""

from __future__ import annotations

from envdoctor.model.scenario import WITHOUT_BUFFERS
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.launching import TORCHRL_CLASSES, launch_code
from envdoctor.rules.view import View

OPTIONS = (("use_buffers", False),)


def plays_without(view: View) -> bool:
    """Whether the same life was played to its end in this place without that memory."""
    return any(went_well(played) for played in view.aside if played.scenario.name == WITHOUT_BUFFERS)


def went_well(played: Trace) -> bool:
    """Whether nothing raised, up to the last step."""
    return played.outcome.kind == FINISHED and bool(played.verbs("step", "ended")) and not any(played.of("verb", state="raised"))


def advice(view: View) -> str:
    """A sentence that goes on where another ended, or nothing."""
    kind = TORCHRL_CLASSES.get(view.manager)
    return f" Where it differs on purpose: {kind}(..., use_buffers=False) takes it as it is. Verified: it works." if plays_without(view) else ""


def lines(view: View) -> tuple[str, ...]:
    """The launch without that memory, where it was seen to work."""
    if not plays_without(view):
        return ()
    return launch_code((view.manager, view.start_method), "make_env", options=OPTIONS, dialect=str(view.survey.get("dialect")))


def last_words(stderr: str) -> str:
    """The error that ended a worker of ParallelEnv, as Python printed it last; nothing where its last line is none."""
    said = [line.strip() for line in stderr.splitlines() if line.strip()]
    kind = said[-1].partition(":")[0].rpartition(".")[2] if said else ""
    return said[-1][:200] if kind.endswith(("Error", "Exception")) and kind.isidentifier() else ""
