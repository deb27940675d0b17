"""TorchRL's checker finds that the environment is not as its specifications say.

What it does
    Runs `torchrl.envs.utils.check_env_specs` on the environment, in TorchRL's wrapper where it is
    one of Gymnasium, and tells each entry that differs from its specification. It is run where
    TorchRL's managers are asked for, or where the environment is an EnvBase. What it says of a null
    environment with the same spaces as well, and what Gymnasium's checker or a plain life tells
    already, is left out.

Why it matters
    ParallelEnv and the collectors allocate their buffers from the specifications: an entry of
    another shape or type is cut, converted or refused there, far from the line that made it.

How to fix it
    Specify what is returned, and return what is specified:

        self.observation_spec = Composite(observation=Unbounded(shape=(4,), dtype=torch.float32))

        def _step(self, tensordict):
            return TensorDict({"observation": position.to(torch.float32), "reward": reward, "done":
            done}, batch_size=())
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from envdoctor.model.environment_aims import CastEntry
from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, raised, trace, vector_view, verb
from envdoctor.rules.engine.registry import WHERE_CHECKED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.framework_checkers import pass_on, said

NAME = "check-torchrl"


#: An entry that is returned with another dtype.
OTHER_DTYPE = re.compile(
    r"\['(\w+)'\] is specified as (\w+) (\(.*\)), and returned as \w+"
    r" (\(.*\))$"
)
#: What cannot be copied cannot be sent either.
PICKLING = (Cause.NOT_PICKLABLE, Cause.FAILS_IN_MANAGER)


@rule(
    "API002",
    "forwarded-torchrl",
    where=WHERE_CHECKED,
    needs=(NAME,),
    blames_itself=True,
    gives_way=PICKLING,
)
def forwarded_torchrl(view: View) -> Iterator[Finding]:
    remedy = (
        f"specify in {view.class_name} what it returns, by name, shape and dtype, and return all"
        " that is specified."
    )
    yield from pass_on(forwarded_torchrl, view, "check_env_specs()", remedy, PICKLING, _aim)


def _aim(message: str) -> CastEntry | None:
    """The dtype that is specified for an entry, whose shape is right."""
    other = OTHER_DTYPE.search(message)
    key, dtype, shape, actual = other.groups() if other is not None else ("", "", "", None)
    return CastEntry(key, dtype) if shape == actual else None


_SAID = "['next']['speed'] is specified as float32 (1,), and returned as float64 (1,)"
_OTHER = "['mass'] is returned, and not specified"

EXAMPLES = (
    Example(
        "two entries",
        direct_view(said("torchrl", _SAID, _OTHER)),
        (f"check_env_specs(): {_SAID}", f"check_env_specs(): {_OTHER}"),
    ),
    Example(
        "an environment of Gymnasium",
        vector_view(
            said("torchrl", _SAID, manager="torchrl-serial"),
            manager="torchrl-serial",
            start_method=None,
        ),
        f"check_env_specs(): {_SAID}",
    ),
    Example(
        "it fails by itself, which is reported there",
        direct_view(
            said("torchrl", "no fuel"),
            trace(verb("step:20", "raised", error=raised("ValueError", "no fuel"))),
        ),
    ),
    Example("nothing to say", direct_view(said("torchrl"))),
)
