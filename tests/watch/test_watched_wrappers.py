"""Wrappers that `watch` does not count as environments: their names are those of their frameworks."""

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
        found = getattr(importlib.import_module(module), kind)
    except (ImportError, AttributeError):
        continue  # of another version
    known += 1
    real = "%s.%s" % (found.__module__, found.__qualname__)
    assert real in hooks.WRAPPERS, "%s is %s" % (name, real)
assert known
"""


@pytest.mark.parametrize(("variable", "framework"), [(OWN, "gymnasium"), (TORCHRL, "torchrl")])
def test_wrapper_has_the_name_that_its_framework_gives_it(variable: str, framework: str) -> None:
    ended = subprocess.run(
        [python(variable), "-c", NAMES, framework, str(ROOT)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
