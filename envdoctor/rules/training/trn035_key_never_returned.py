"""A training reads a key of the infos that its vectorizer never returns.

What it does
    Looks at the code that calls step() of a vectorizer: which keys for the ends of episodes
    ("final_obs", "final_info" and their older names) it reads of the infos. Reported is one that no
    step() returned until several episodes had ended.

    Left out is code that looks for another way, too: for "episode", for the mode or the version of
    the vectorizer, or whether an observation is there. It is a note: what reads it may not matter.

Why it matters
    Since version 1.0 the vectorizers of Gymnasium reset in the step after an end, unless they are
    asked to do it in the same one, and have no such keys. What is logged of episodes silently stays
    empty, or the training ends by KeyError at the first episode that is truncated. The step after
    an end ignores its action and returns the first observation of the next episode: as a
    transition of the environment it is wrong.

How to fix it
    Let the vectorizer reset in the same step, as before:

        from gymnasium.vector import AutoresetMode

        envs = SyncVectorEnv(functions, autoreset_mode=AutoresetMode.SAME_STEP)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.training import Training
from envdoctor.model.training_aims import GiveArgument
from envdoctor.model.training_returned import UnreturnedKey
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view

SAME_STEP = "AutoresetMode.SAME_STEP"


@rule(
    "TRN035",
    "key-never-returned",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def key_never_returned(view: View) -> Iterator[Finding]:
    for each in {known.location: known for known in training_of(view).unreturned}.values():
        place = each.location
        yield key_never_returned.finding(
            f'{short(place.file)}:{place.line} in {place.function} reads "{each.key}" of the infos'
            f" of {each.vectorizer}.step(), which had none until {of(each.ends, 'episode')} had"
            " ended: it resets in the step after an end",
            f"make {each.vectorizer} with autoreset_mode=AutoresetMode.SAME_STEP, so that it has"
            " the key; or leave the step after each end out of what is learned, and read"
            ' infos["episode"] of RecordEpisodeStatistics.',
            aim=GiveArgument(
                Frame(place.file, place.line), each.vectorizer, "autoreset_mode", SAME_STEP
            ),
            location=place,
            key=(each.vectorizer, each.key),
            blame=UNKNOWN,
            evidence={"key": each.key, "ends": each.ends},
        )


def _view(*keys: UnreturnedKey) -> View:
    return watched_view(Training((), 7, unreturned=keys))


_LINE = Location("/train.py", 28, "collect")
_KEY = UnreturnedKey(7, "final_info", "BatchEnv", 4, _LINE)

EXAMPLES = (
    Example(
        "returns of episodes are not logged",
        _view(_KEY, replace(_KEY, pid=8)),
        'train.py:28 in collect reads "final_info" of the infos of BatchEnv.step(), which'
        " had none until 4 episodes had ended: it resets in the step after an end",
    ),
    Example("all keys that are read are returned", _view()),
)
