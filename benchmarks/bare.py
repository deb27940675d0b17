"""The least that a person writes to try an environment: import, make, reset, 20 steps, close, exit.
verdicts.py compares `check` to it.

    bare.py SPEC [--no-close]

SPEC is an id of Gymnasium, module:Class or path/to/file.py:Class. It imports nothing of envdoctor,
and only what the environment itself imports. `--no-close` exits at once after the steps.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

STEPS = 20


def build(spec):
    place, _, name = spec.partition(":")
    if not name:
        import gymnasium

        return gymnasium.make(spec)
    path = Path(place)
    if path.suffix == ".py":
        sys.path.insert(0, str(path.parent))
        place = path.stem
    build = getattr(importlib.import_module(place), name)
    return build({}) if hasattr(build, "random_action") else build()  # DI-engine's take a config


def main(spec, closes):
    env = build(spec)
    draw = getattr(env, "random_action", None) or env.action_space.sample
    env.reset()
    for _ in range(STEPS):
        result = env.step(draw())
        if any(part for part in result[2:-1]):  # terminated, truncated; or done
            env.reset()
    if not closes:
        os._exit(0)
    env.close()


if __name__ == "__main__":
    main(sys.argv[1], "--no-close" not in sys.argv)
