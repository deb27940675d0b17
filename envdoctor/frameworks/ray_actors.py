"""Ray: environments in plain actors."""

from __future__ import annotations

from envdoctor.frameworks.defects import Defect
from envdoctor.frameworks.hidden_instances import dropped_unclosed
from envdoctor.frameworks.profile import (
    FailingLaunch,
    Launch,
    Lines,
    Profile,
    Vectorizer,
    with_factory,
)

ACTOR = "ray-actor"
SOURCE = "https://docs.ray.io/en/latest/ray-core/actors/terminating-actors.html"

#: Played for what becomes of environments whose actors are dropped.
DROPPED = FailingLaunch("dropped", "spawn", ())


DEFECTS = (
    Defect(
        "dropped-not-closed",
        "ray",
        "2.40",
        "",
        "an actor that is dropped or killed ends without close() of the environment in it",
        "call ray.get(actor.close.remote()) before the last handle goes, or ray.kill()",
        SOURCE,
        dropped_unclosed,
        manager=ACTOR,
    ),
)


def launch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    """The lines that launch one actor a factory."""
    name = vectorizer.class_name
    return (
        "import gymnasium, ray",
        "@ray.remote",
        f"class {name}(gymnasium.Wrapper):",
        "    def __init__(self):",
        f"        super().__init__({wanted.call})",
        f"actors = [{name}.remote() for _ in range({wanted.instances})]",
    )


PROFILE = Profile(
    word="ray",
    title="Ray",
    package="ray",
    distribution="ray",
    vectorizers=(
        Vectorizer(
            ACTOR, "EnvActor", default_words="as Ray starts all its workers", failing_launch=DROPPED
        ),
    ),
    defects=DEFECTS,
    import_seconds=150.0,
    patience=10.0,
    farewell_seconds=15.0,
    hosts="ray-actor hosts each instance in an actor of its own, and builds none in the parent.",
    launch=launch,
    launch_id=with_factory(launch),
    make_inside="gymnasium.make",
)
