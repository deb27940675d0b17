"""The older gym, whose API old environments follow. It hosts none here."""

from __future__ import annotations

from envdoctor.frameworks.defects import Defect, Saying
from envdoctor.frameworks.profile import Profile, Registry

DEFECTS = (
    Defect(
        "numpy-bool8",
        "gym",
        "0.24",
        "",
        "its passive checker, which gym.make() puts around every environment, uses a name that"
        " numpy 2 removed",
        'move to gymnasium, or: python -m pip install "numpy<2"',
        "https://github.com/openai/gym/issues/3294",
        Saying(r"module 'numpy' has no attribute 'bool8'"),
        beside=(("numpy", "2"),),
    ),
    Defect(
        "entry-points-get",
        "gym",
        "0.21",
        "0.26",
        "it asks for plugins in a way that importlib-metadata 5 and Python 3.12 no longer know, and"
        " cannot be imported",
        'python -m pip install "importlib-metadata<5", or move to gymnasium',
        "https://github.com/openai/gym/issues/3122",
        Saying(r"'EntryPoints' object has no attribute 'get'"),
    ),
)

PROFILE = Profile(
    word="gym",
    title="gym",
    package="gym",
    distribution="gym",
    api="gym",
    environment="an environment of the older gym",
    base_classes=("Env",),
    defects=DEFECTS,
    make_inside="gym.make",
    registry=Registry(
        make="gym.make", register="gym.register", spec="gym.spec", through_json="", wrapper=()
    ),
)
