"""The doctor's knowledge of each framework whose vectorizers host environments: one profile each.

A profile is the PROFILE of a module in this package. Other packages add theirs as entry points of
the group `envdoctor.frameworks`, each a module with a PROFILE.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from envdoctor.frameworks import gym, gymnasium, openenv
from envdoctor.frameworks.defects import Defect
from envdoctor.frameworks.profile import (
    Launch,
    Lines,
    Profile,
    Vectorizer,
    keywords,
    vectorizers_of,
)
from envdoctor.frameworks.unhosted import UNHOSTED
from envdoctor.model.errors import ErrorValue
from envdoctor.model.scenario import WITHOUT_BUFFERS
from envdoctor.plugins import plugins

__all__ = ("UNHOSTED", "Defect", "Launch", "Lines", "Profile", "Vectorizer")


def _own_profiles() -> tuple[Profile, ...]:
    """The PROFILE of each module in this package that has one."""
    modules = (
        importlib.import_module(f"{__name__}.{module.name}")
        for module in pkgutil.iter_modules(__path__)
    )
    return tuple(module.PROFILE for module in modules if hasattr(module, "PROFILE"))


PROFILES = _own_profiles()

#: Those of which no checker is known.
UNCHECKED = (*UNHOSTED, openenv.PROFILE)

#: The environment API of what says nothing else.
DEFAULT = gymnasium.PROFILE
DEFAULT_REGISTRY = gymnasium.REGISTRY

_OWN = vectorizers_of(PROFILES)

#: The files of those packages below site-packages, as patterns. The environments that come with a
#: registry are in folders below envs/, and host none.
HOSTING_FILES = (
    *(
        f"{profile.package}/" + (r"(?!envs/\w+/)" if profile.registry else "")
        for profile in PROFILES
    ),
    *(f"{name}/" for name in ("numpy", "cloudpickle", "tensordict", "torch")),
)

#: What the errors of registries and checkers begin with.
REGISTRY_ERRORS = tuple(f"{profile.package}.error." for profile in PROFILES if profile.registry)

#: The managers of our own, as users write them.
MANAGERS = ("direct", *sorted(_OWN))

#: The vectorizer with workers whose framework nearly everybody has.
COMMON_WORKERS = next(
    vectorizer.name for vectorizer in gymnasium.PROFILE.vectorizers if not vectorizer.in_process
)

#: The libraries that ids are registered with, as they are imported.
REGISTRIES = (gymnasium.PROFILE.package, gym.PROFILE.package)

#: The replay storages of our own.
STORAGES = tuple(sorted(name for profile in PROFILES for name in profile.storages))

#: What hosts environments, or is needed by those who do, as it is imported.
PACKAGES = (*(profile.package for profile in PROFILES), "numpy", "torch", "multiprocessing")


@cache
def added() -> tuple[Profile, ...]:
    """The profiles of other packages. One that cannot be imported is left out: its managers are
    known by name alone.
    """
    profiles = []
    for module in plugins("frameworks").values():
        try:
            profile = importlib.import_module(module).PROFILE
        except Exception:
            continue
        if isinstance(profile, Profile):
            profiles.append(profile)
    return tuple(profiles)


@cache
def profile_of(manager: str) -> Profile:
    """The profile of the framework that a manager belongs to; one that knows its name alone where
    there is none.
    """
    if manager in _OWN:
        return _OWN[manager][0]
    known = vectorizers_of(added()).get(manager)
    return known[0] if known else Profile(manager.partition("-")[0], manager, manager, manager)


@cache
def vectorizer_of(manager: str) -> Vectorizer:
    """A manager, as its framework's profile knows it; else by its name alone."""
    return profile_of(manager).named(manager) or Vectorizer(manager, manager)


@cache
def profile_of_api(api: str) -> Profile | None:
    """The profile of the framework that defines an environment API."""
    known = (profile for profile in (*PROFILES, *UNHOSTED, *added()) if profile.api)
    return next((profile for profile in known if profile.api == api), None)


def profile_of_storage(storage: str) -> Profile | None:
    """The profile of the framework that a replay storage belongs to."""
    known = (*PROFILES, *added())
    return next((profile for profile in known if storage in profile.storages), None)


def defects() -> tuple[Defect, ...]:
    """Every known defect."""
    return tuple(defect for profile in (*PROFILES, *added()) for defect in profile.defects)


def launch_lines(manager: str, wanted: Launch) -> Lines:
    """The lines that launch a manager on factories; none where nothing is known of it."""
    profile, vectorizer = profile_of(manager), vectorizer_of(manager)
    return profile.launch(vectorizer, wanted) if profile.launch else ()


def launch_id_lines(manager: str, identifier: str, wanted: Launch) -> Lines:
    """Return the lines of a launch on a registered id."""
    profile, vectorizer = profile_of(manager), vectorizer_of(manager)
    return profile.launch_id(vectorizer, identifier, wanted) if profile.launch_id else ()


def other_launches(manager: str) -> dict[str, str]:
    """{scenario: words} of the lives in which a manager is launched in another way than by its
    class and its defaults.
    """
    known = vectorizer_of(manager)
    result = {other.scenario: other.words for other in known.other_launches}
    if known.without_buffers:
        result[WITHOUT_BUFFERS] = f"with {keywords(known.without_buffers)}"
    return result


def version_of(manager: str, versions: Mapping[str, str]) -> str:
    """The version that is installed of a manager's framework; empty where it is not known."""
    profile = profile_of(manager)
    return next(
        (versions[name] for name in (profile.distribution, profile.package) if name in versions), ""
    )


def client_cure(kind: str, attribute: str = "") -> str:
    """Return how to end a client that holds a session of a server; empty for one that holds
    none.
    """
    cure = next((profile.client_cure for profile in PROFILES if profile.client == kind != ""), "")
    return cure.format(f"self.{attribute}." if attribute else "its ")


def says_full(error: ErrorValue | None) -> bool:
    """Return True if a server says by this error that it has no room for one more session."""
    text = error.message if error is not None else ""
    return any(profile.full in text for profile in PROFILES if profile.full)


def title_of(package: str) -> str:
    """`DI-engine` of `ding`: what a package is called by those who install it."""
    return next(
        (profile.distribution for profile in PROFILES if profile.package == package), package
    )
