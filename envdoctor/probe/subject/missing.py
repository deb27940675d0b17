"""The thing that an error says is not there: a module, with the requirements that would bring it,
as the package that asks for it declares them; a variable of the environment.

For errors after which nothing more is measured: to read the metadata imports a module.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from typing import (
    TYPE_CHECKING,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Tuple,
)

from envdoctor.probe.frameworks.names import REGISTRIES
from envdoctor.probe.loaded import module_of
from envdoctor.probe.ownership import is_ours

if TYPE_CHECKING:
    from importlib.metadata import Distribution

NAME = "Name"  # of a distribution, among what it says of itself
MAX_CAUSES = 8
#: Modules of distributions with other names; those are named only where a package declares them.
OTHER_NAMES = {
    "cv2": ("opencv-python", "opencv-python-headless"),
    "PIL": ("pillow",),
    "pygame": ("pygame-ce",),
    "skimage": ("scikit-image",),
    "sklearn": ("scikit-learn",),
    "traci": ("eclipse-sumo",),
}
#: Extras that bring what their own package does not need to run.
BROAD = frozenset(["all", "dev", "develop", "docs", "doc", "test", "tests", "testing"])
_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;()]*)\)?\s*(?:;(.*))?")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")


class Requirement(NamedTuple):
    """One line of a distribution's metadata: `pygame>=2.1; extra == "box2d"`. `extra` is empty
    where it is always required.
    """

    name: str
    versions: str
    extra: str


def missing_of(error: BaseException) -> Dict[str, Mapping[str, object]]:
    """`{"missing": ...}` for the error value (see `model.errors.MissingRequirement`); empty where
    nothing is known to be missing.
    """
    for each in _chain(error):
        variable = _variable(each)
        if variable:
            return {"missing": {"variable": variable}}
        module = _module(each)
        if module:
            asking = _asking(each)
            return {"missing": {"module": module, "requirements": _requirements(module, asking)}}
    return {}


def installable(name: str) -> List[str]:
    """The extras of registries' distributions that may bring the namespace of an id: `ale-py`, that
    of `ALE/Pong-v5`, is in `gymnasium[atari]`.
    """
    namespace, slash, _ = name.partition("/")
    return requirements_for(namespace, _declared(REGISTRIES)) if slash else []


def requirements_for(module: str, declared: Iterable[Tuple[str, List[str]]]) -> List[str]:
    """The requirement to install for a module: `gymnasium[box2d]` where an extra brings it,
    `pygame>=2.1` where it is always required. `declared` are distributions, and the lines of what
    they require.
    """
    wanted = _names_of(module)
    for distribution, lines in declared:
        every = [each for each in map(parsed, lines) if each is not None]
        named = [each for each in every if wanted & _stems(each.name)]
        always = [each.name + each.versions for each in named if not each.extra]
        if always:
            return always[:1]
        extras = sorted(
            (each.extra for each in named),
            key=lambda extra: (
                extra.lower() in BROAD,
                sum(each.extra == extra for each in every),
                extra,
            ),
        )
        if extras:
            return ["%s[%s]" % (distribution, extras[0])]
    return []


def parsed(line: str) -> Optional[Requirement]:
    """A line of metadata; None for what cannot be read."""
    match = _REQUIREMENT.match(line.strip())
    if match is None:
        return None
    extra = _EXTRA.search(match.group(3) or "")
    return Requirement(
        match.group(1), "".join(match.group(2).split()), extra.group(1) if extra else ""
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The errors that it was raised from, the first one first: a library says in its own words that
    a module is missing. An error that is raised while an import error is handled may be of
    something else.
    """
    every: List[BaseException] = []
    each: Optional[BaseException] = error
    while each is not None and len(every) < MAX_CAUSES:
        every.append(each)
        follows = isinstance(each, ImportError) and not each.__suppress_context__
        each = each.__cause__ or (each.__context__ if follows else None)
    return reversed(every)


def _variable(error: BaseException) -> str:
    """The name in a KeyError of `os.environ`, or nothing."""
    if not isinstance(error, KeyError) or len(error.args) != 1:
        return ""
    modules = [module_of(frame) for frame, _ in traceback.walk_tb(error.__traceback__)]
    is_of_os = modules[-1:] == [os.__name__]
    name = error.args[0]
    return name if is_of_os and isinstance(name, str) else ""


def _module(error: BaseException) -> str:
    """The package that is not there. A package that lacks one of its own modules is there."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    package = (name or "").partition(".")[0]
    return "" if package in sys.modules else package


def _asking(error: BaseException) -> str:
    """The package whose line imports it: Python's own import, and what listens to imports, are in
    the frames after that.
    """
    names = [
        module_of(frame).partition(".")[0]
        for frame, _ in traceback.walk_tb(error.__traceback__)
        if not is_ours(frame.f_code.co_filename)
    ]
    others = [name for name in names if name not in ("importlib", "_frozen_importlib", "")]
    return others[-1] if others else ""


def _requirements(module: str, asking: str) -> List[str]:
    try:
        return requirements_for(module, _declared((asking,)))
    except Exception:  # metadata that cannot be read says nothing
        return []


def _declared(packages: Iterable[str]) -> Iterator[Tuple[str, List[str]]]:
    """The distributions that packages come from, and what each requires."""
    from importlib import metadata

    for package in filter(None, packages):
        for distribution in metadata.distributions():
            name = str(distribution.metadata[NAME] or "")
            if _plain(name) == _plain(package) or package in _tops(distribution):
                yield name, list(distribution.requires or ())


def _tops(distribution: "Distribution") -> List[str]:
    """The packages that a distribution says that it brings."""
    return (distribution.read_text("top_level.txt") or "").split()


def _names_of(module: str) -> FrozenSet[str]:
    others = (_plain(each) for each in OTHER_NAMES.get(module, ()))
    return frozenset([_plain(module), *others]) | _stems(module)


def _stems(name: str) -> FrozenSet[str]:
    """A name without what says that it is for Python: `box2d` of `Box2D-py`."""
    plain = _plain(name)
    return frozenset([plain, re.sub(r"^(python-|py-?)|(-python|-py)$", "", plain) or plain])


def _plain(name: str) -> str:
    """A name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()
