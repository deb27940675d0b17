"""Stable-Baselines3's checker refuses the environment.

What it does
    Runs `stable_baselines3.common.env_checker.check_env`, where Stable-Baselines3's managers are
    asked for, and passes on what it refuses. Left out are its advice, its demand that rewards and
    ends of episodes are not numbers of NumPy, what it says of a null environment with the same
    spaces, and what Gymnasium's checker or a plain life reports already.

Why it matters
    Its algorithms build policies and buffers from the spaces, and fail, or learn from wrong
    numbers, where what the environment returns is something else.

How to fix it
    Follow the message. Often it is compute_reward() of an environment with goals, which has to take
    batches:

        def compute_reward(self, achieved_goal, desired_goal, info):
            distance = np.linalg.norm(achieved_goal - desired_goal, axis=-1)
            return -(distance > self.tolerance).astype(np.float32)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import TakeBatches
from envdoctor.model.events import Event
from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import fact, raised, trace, vector_view
from envdoctor.rules.engine.registry import WHERE_CHECKED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.framework_checkers import pass_on, said

NAME = "check-sb3"


OF_BATCHES = "vectorized computation of reward"
#: What cannot be copied cannot be sent either.
PICKLING = (Cause.NOT_PICKLABLE, Cause.FAILS_IN_MANAGER)


@rule(
    "API003",
    "forwarded-stable-baselines",
    severity="warning",
    where=WHERE_CHECKED,
    needs=(NAME,),
    blames_itself=True,
    gives_way=PICKLING,
)
def forwarded_stable_baselines(view: View) -> Iterator[Finding]:
    remedy = (
        f"let {view.class_name} return what its spaces declare; Stable-Baselines3 refuses it as"
        " it is."
    )
    yield from pass_on(forwarded_stable_baselines, view, "check_env()", remedy, PICKLING, _aim)


def _aim(message: str) -> TakeBatches | None:
    return TakeBatches() if OF_BATCHES in message else None


_SAID = (
    "Error while checking key=image: The observation returned by the `reset()` method does not"
    " match the data type"
)
_COMPLETE = {
    "checker": "sb3",
    "version": "2.9.2",
    "kind": "raised",
    "message": "'map'",
    "error": raised("builtins.KeyError", "'map'"),
}


def _dummy(*events: Event) -> View:
    return vector_view(
        trace(*events, name=NAME, script="check:sb3", manager="sb3-dummy"),
        manager="sb3-dummy",
        start_method=None,
    )


EXAMPLES = (
    Example("it refuses a type", _dummy(*said("sb3", _SAID).events), f"check_env(): {_SAID}"),
    Example(
        "the environment fails at what is asked of it",
        _dummy(fact("check", _COMPLETE)),
        "check_env(): KeyError: 'map'",
    ),
    Example("nothing to say", _dummy()),
)
