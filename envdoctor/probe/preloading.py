"""The modules that a scenario needs besides the subject's own: written down by the first probe that
imported them, imported ahead by a template process.
"""

from __future__ import annotations

import gc
import importlib
import os
import random
import sys
import sysconfig
import zlib
from functools import lru_cache
from typing import Any, Collection, Iterator, List, Mapping, Tuple

from envdoctor.model.preload import Preload
from envdoctor.probe import loaded

INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
OURS = "envdoctor"
MAIN = ("__main__", "__mp_main__")


def write(file: str, own: Collection[str]) -> None:
    """Write down what is imported now, whole or not at all. `own` are the subject's files and
    folders.
    """
    here = Preload(
        tuple(name for name, module in list(sys.modules.items()) if _is_library(module, own)),
        tuple(own),
        tuple(sys.path),
        tuple(digest for _, digest in generators()),
    )
    part = "%s.%d" % (file, os.getpid())
    try:
        with open(part, "w", encoding="utf-8") as opened:
            opened.write(here.encoded())
        os.replace(part, file)
    except (
        OSError,
        ValueError,
    ):  # a full disk, or a path that is not text: each probe imports anew
        return


def load(preload: Preload) -> str:
    """Import the modules. Why what is there now is not what was there then, or nothing."""
    before, sys.path[:] = list(sys.path), preload.path
    try:
        for name in preload.modules:
            try:
                if name not in sys.modules:
                    importlib.import_module(name)
            except BaseException as error:
                return "import %s failed: %s" % (name, type(error).__name__)
    finally:
        sys.path[:] = before
    return next(_strangers(preload), "")


def _strangers(preload: Preload) -> Iterator[str]:
    """Modules that would be the subject's, or of its folder."""
    for name, module in list(sys.modules.items()):
        file = _file(module)
        if file and not _is_library(module, preload.own) and not _is_ours(name):
            yield "the libraries import %s (%s)" % (name, file)


def _is_ours(name: str) -> bool:
    return name in MAIN or name.split(".", maxsplit=1)[0] == OURS


def _is_library(module: object, own: Collection[str]) -> bool:
    """Return whether it is the standard library's or a package's, and not the subject's."""
    file = _file(module)
    name = getattr(getattr(module, "__spec__", None), "name", None)
    if not file or not isinstance(name, str) or sys.modules.get(name) is not module:
        return False
    if _is_ours(name) or any(file == root or file.startswith(root + os.sep) for root in own):
        return False
    return any(part in file for part in INSTALLED) or file.startswith(_standard())


def _file(module: object) -> str:
    """Return the path of the file of a module; nothing for those that have no file."""
    origin = getattr(getattr(module, "__spec__", None), "origin", None)
    return origin if isinstance(origin, str) and os.path.isabs(origin) else ""


@lru_cache(maxsize=None)
def _standard() -> Tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple(paths[name] + os.sep for name in ("stdlib", "platstdlib") if name in paths)


def generators() -> List[Tuple[object, int]]:
    """Every random generator of Python and NumPy that lives now, with a digest of its state."""
    kinds: Tuple[type, ...] = (random.Random,)
    numpy = getattr(loaded.module("numpy"), "random", None)
    if numpy is not None:
        kinds += (numpy.Generator, numpy.RandomState)
    instances = [thing for thing in gc.get_objects() if issubclass(type(thing), kinds)]
    return [
        (generator, zlib.crc32(repr(_state(generator)).encode()))
        for generator in instances
        if not isinstance(generator, random.SystemRandom)
    ]


def _state(generator: Any) -> object:
    if isinstance(generator, random.Random):
        return generator.getstate()
    if hasattr(generator, "bit_generator"):
        return _plain(generator.bit_generator.state)
    return _plain(generator.get_state(legacy=False))


def _plain(state: object) -> object:
    """Return the state with lists in place of arrays, of which repr() shows only the ends."""
    if isinstance(state, Mapping):
        return {name: _plain(value) for name, value in state.items()}
    return state.tolist() if hasattr(state, "tolist") else state


def seeded_by_chance(preload: Preload) -> List[object]:
    """The generators whose state is another one in each process that imports the modules."""
    same = set(preload.generators)
    return [generator for generator, digest in generators() if digest not in same]


def seed_anew(chosen: Collection[Any]) -> None:
    """Give generators the state that a process of their own would have given them: a new one. May
    raise anything: classes of others may be seeded in their own way.
    """
    for generator in chosen:
        bits = getattr(generator, "bit_generator", None) or getattr(
            generator, "_bit_generator", None
        )
        if bits is None:
            generator.seed()
        else:
            bits.state = type(bits)().state
