"""Names of frameworks that `watch` knows: wrappers that it does not count as environments, and methods
of vectorizers that it replaces.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.watch.test_watch_trainings import OWN, TORCHRL, python

ROOT = Path(__file__).parents[2]

#: A class has the name by which it is looked up, which a framework may give another module's.
NAMES = """
import importlib, sys
sys.path.append(sys.argv[2])
hooks = importlib.import_module("envdoctor.probe.adapters.%s.watch_hooks" % sys.argv[1])
importlib.import_module(hooks.MODULE)
known = 0
for name in hooks.WRAPPERS:
    module, _, kind = name.rpartition(".")
    try:
        wrapper = getattr(importlib.import_module(module), kind)
    except (ImportError, AttributeError):
        continue  # of another version
    known += 1
    real = "%s.%s" % (wrapper.__module__, wrapper.__qualname__)
    assert real in hooks.WRAPPERS, "%s is %s" % (name, real)
assert known
for methods in (hooks.PROGRESS_METHODS, hooks.LAUNCHES):
    for module, names in methods.items():
        for name in names:
            owner, _, method = name.partition(".")
            own = vars(getattr(importlib.import_module(module), owner))
            print(name if type(own.get(method)) is type(lambda: 0) else "")
"""
TORCHRLS = {"ParallelEnv._step", "ParallelEnv.step_and_maybe_reset", "ParallelEnv._start_workers"}
GYMNASIUMS = {"AsyncVectorEnv.step_wait", "AsyncVectorEnv.__init__", "SyncVectorEnv.__init__"}


@pytest.mark.parametrize(
    ("variable", "framework", "replaced"),
    [(OWN, "gymnasium", GYMNASIUMS), (TORCHRL, "torchrl", TORCHRLS)],
)
def test_names_are_those_that_the_framework_gives(
    variable: str, framework: str, replaced: set[str]
) -> None:
    ended = subprocess.run(
        [python(variable), "-c", NAMES, framework, str(ROOT)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert replaced <= set(ended.stdout.split())
