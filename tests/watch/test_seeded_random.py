"""Seeds of Python's own generator, noticed from the import of its module on."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from types import ModuleType

import pytest

from envdoctor.probe.live import seeded_random


@pytest.fixture
def imported() -> Iterator[ModuleType]:
    """A module `random` that is being imported, with our hook."""
    loader = SourceFileLoader("random", random.__file__)
    spec = spec_from_loader("random", loader)
    assert spec is not None
    module = module_from_spec(spec)
    spec._initializing = True  # type: ignore[attr-defined]
    loader.exec_module(module)
    seeded_random.take(None, module)  # type: ignore[arg-type]
    yield module
    seeded_random._seeded.clear()


@pytest.mark.parametrize(
    ("call", "known"),
    [
        (lambda module: module.random(), False),
        (lambda module: module.seed(3), True),
        (lambda module: module.seed(a="three"), True),
        (lambda module: module.seed(), False),
        (lambda module: module.seed(None), False),
        (lambda module: module.Random(3), False),
        (lambda module: module.setstate(module.getstate()), None),
        (lambda module: [module.seed(3), module.setstate(module.getstate())], True),
        (lambda module: [module.setstate(module.getstate()), module.seed(3)], True),
    ],
)
def test_seed_of_the_process_is_noticed(
    call: Callable[[ModuleType], object], known: bool | None, imported: ModuleType
) -> None:
    call(imported)
    assert seeded_random.was_seeded() is known


def test_seed_does_what_it_did(imported: ModuleType) -> None:
    imported.seed(7)
    assert imported.random() == random.Random(7).random()
    with pytest.raises(TypeError, match="only supported"):
        imported.seed([])
    assert (imported.seed.__name__, imported.seed.__module__) == ("seed", "random")


def test_module_that_was_there_before_is_unknown() -> None:
    function = random.seed
    seeded_random.take(None, random)  # type: ignore[arg-type]
    assert random.seed is function
    assert seeded_random.was_seeded() is None


def test_function_is_pickled_by_its_name() -> None:
    code = (
        "import random, pickle; from envdoctor.probe.live import seeded_random;"
        "random.__spec__._initializing = True; seeded_random.take(None, random);"
        "import sys; sys.stdout.buffer.write(pickle.dumps(random.seed))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert pickle.loads(done.stdout) == random.seed
