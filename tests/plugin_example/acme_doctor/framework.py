"""A profile: how a person launches Acme's loop. Remedies show it."""

from __future__ import annotations

from envdoctor.frameworks.profile import Launch, Profile, Vectorizer


def launch(vectorizer: Vectorizer, wanted: Launch) -> tuple[str, ...]:
    """The lines that launch the loop on factories."""
    kind = vectorizer.class_name
    return (f"from acme_simulator import {kind}", f"envs = {kind}({wanted.factories})")


PROFILE = Profile(
    word="acme",
    title="Acme",
    package="acme_simulator",
    distribution="acme-simulator",
    vectorizers=(Vectorizer("acme-loop", "Loop", in_process=True),),
    launch=launch,
)
