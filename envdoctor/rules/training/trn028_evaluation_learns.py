"""An evaluation changes the statistics that its observations are normalized with, or has none.

What it does
    Looks at vectorizers that normalize observations and rewards with running statistics, where the
    functions play in them by which a framework evaluates, or a callback of it does. Reported is the
    line of the script that does so while the vectorizer still learns: at least 20 steps of an
    evaluation changed its statistics. Where rewards are normalized meanwhile, too, that is said.

    Reported is, too, the line that plays at least 20 steps in one that does not learn, and whose
    statistics are those that it was made with: it normalizes nothing. What is played before the
    first one of the script learns is left out. And the line that gives a policy at least 20
    observations of an environment as they are, where that policy was trained, in the same script,
    in a vectorizer that normalizes them. Scripts that normalize by hand are left out.

    It is a note: what the training itself plays in is not concerned, and where the statistics are
    copied from it before each evaluation, only the scores are.

Why it matters
    The same observation is another number at the beginning and at the end of the evaluation, so
    that no score is that of one policy; what is saved with the model afterwards has seen episodes
    that the training has not. The sum of normalized rewards is in other units than the rewards of
    the environment, and changes with the statistics: a threshold that stops the training or begins
    its next stage is compared with something else. A policy that learned from normalized
    observations does not know those of the environment: it plays as if it had learned nothing.

How to fix it
    Let the vectorizer of the evaluation learn nothing:

        eval_env.training = False
        eval_env.norm_reward = False

    Let it have what the training's has learned: save that with the model, and load it:

        env.save("statistics.pkl")
        eval_env = VecNormalize.load("statistics.pkl", make_vec_env(...))
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.training import Training
from envdoctor.model.training_aims import EvaluateOnly
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.model.training_settings import Evaluation
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import nothing_made, training_of, watched_view


@rule(
    "TRN028",
    "evaluation-learns",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def evaluation_learns(view: View) -> Iterator[Finding]:
    for each in dict.fromkeys(training_of(view).evaluations):
        if each.is_unlearned or each.policy:
            yield _unlearned(each) if each.is_unlearned else _as_they_are(each)
            continue
        place, learns, scales = each.location, each.learns, each.scales
        rewards = f"; {scales} is on, too, and its rewards are normalized ones" if scales else ""
        names = f"{learns} and {scales}" if scales else learns
        yield evaluation_learns.finding(
            f"{short(place.file)}:{place.line} in {place.function} plays an evaluation in a"
            f" {each.vectorizer} whose {learns} is on: each step changes the statistics that"
            f" observations are normalized with{rewards}",
            f"set {names} of the {each.vectorizer} to False for the evaluation, and leave that of"
            " the training as it is.",
            location=place,
            key=(each.vectorizer, learns),
            blame=UNKNOWN,
            aim=EvaluateOnly(Frame(place.file, place.line), tuple(filter(None, (learns, scales)))),
            evidence={"vectorizer": each.vectorizer, "rewards": "normalized" if scales else "own"},
        )


def _unlearned(evaluation: Evaluation) -> Finding:
    place, name = evaluation.location, evaluation.vectorizer
    return evaluation_learns.finding(
        f"{short(place.file)}:{place.line} in {place.function} plays in a {name} whose"
        f" {evaluation.learns} is off, and whose statistics are those that it was made with: its"
        " observations are not normalized",
        "give it the statistics that the policy was trained with: save those of the training's"
        f" {name} with the model, and load them; or copy them from it, as"
        " sync_envs_normalization() does.",
        location=place,
        key=(name, "statistics"),
        blame=UNKNOWN,
        evidence={"vectorizer": name},
    )


def _as_they_are(evaluation: Evaluation) -> Finding:
    place, name = evaluation.location, evaluation.vectorizer
    return evaluation_learns.finding(
        f"{short(place.file)}:{place.line} in {place.function} gives {evaluation.policy} the"
        f" observations of {evaluation.learns} as they are, and it learned from those that a {name}"
        " normalized",
        f"play in a {name} that has the statistics of the training, such as one that it was saved"
        " with and loaded from, and that learns nothing; or give predict() what normalize_obs() of"
        " that returns.",
        location=place,
        key=(name, evaluation.policy),
        blame=UNKNOWN,
        evidence={"vectorizer": name, "policy": evaluation.policy},
    )


_LINE = Location("/train.py", 63, "Curriculum.evaluate")


def _view(*evaluations: Evaluation) -> View:
    arm = Instances(1, 1, "arm.Arm", _LINE, "vectorizer", reset=Calls(9, 9), step=Calls(360, 360))
    return watched_view(Training((), 1, instances=(arm,), evaluations=evaluations))


EXAMPLES = (
    Example(
        "a callback evaluates, and sums normalized rewards",
        _view(Evaluation("Normalizer", "training", "norm_reward", _LINE)),
        "train.py:63 in Curriculum.evaluate plays an evaluation in a Normalizer whose"
        " training is on: each step changes the statistics that observations are normalized"
        " with; norm_reward is on, too, and its rewards are normalized ones",
    ),
    Example(
        "rewards are those of the environment",
        _view(Evaluation("Normalizer", "training", "", _LINE)),
        "train.py:63 in Curriculum.evaluate plays an evaluation in a Normalizer whose"
        " training is on: each step changes the statistics that observations are normalized"
        " with",
    ),
    Example(
        "statistics were not saved with the model",
        _view(Evaluation("Normalizer", "training", "", _LINE, True)),
        "train.py:63 in Curriculum.evaluate plays in a Normalizer whose training is off,"
        " and whose statistics are those that it was made with: its observations are not"
        " normalized",
    ),
    Example(
        "a policy is given what an environment alone returns",
        _view(Evaluation("Normalizer", "Arm", "", _LINE, policy="PPO")),
        "train.py:63 in Curriculum.evaluate gives PPO the observations of Arm as they are,"
        " and it learned from those that a Normalizer normalized",
    ),
    Example("nothing is learned in evaluations", _view()),
)
