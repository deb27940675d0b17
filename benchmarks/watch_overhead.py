"""What `watch` costs a step and a process: paired blocks inside one run, so that a busy machine
costs both the same.

    python benchmarks/watch_overhead.py [--pairs 150] [--python PATH]

A pair is a block of steps with the counted methods in the class, and one with the originals in
their place; which comes first alternates.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from envdoctor.watch.boot_folder import environment, write_boot

INSIDE = """
import json, statistics, sys, time
import gymnasium
import numpy as np

PAIRS = int(sys.argv[1])

class Null(gymnasium.Env):
    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None):
        return 0, {}
    def step(self, action):
        return 0, 0.0, False, False, {}

def null(env, steps):
    for _ in range(steps):
        env.step(0)

def loop(env, steps):
    env.action_space.seed(0)
    env.reset(seed=0)
    for _ in range(steps):
        observation, reward, ended, cut, info = env.step(env.action_space.sample())
        np.asarray(observation, dtype=np.float32)
        if ended or cut:
            env.reset()

def pairs(env, body, steps):
    base = type(env.unwrapped)
    inside = {name: vars(base)[name] for name in ("step", "reset") if name in vars(base)}
    plain = {name: method.__wrapped__ for name, method in inside.items()}
    def block(methods):
        for name, method in methods.items():
            setattr(base, name, method)
        began = time.thread_time_ns()
        body(env, steps)
        return (time.thread_time_ns() - began) / steps
    block(inside), block(plain)
    found = []
    for number in range(PAIRS):
        if number % 2:
            with_, without = block(inside), block(plain)
        else:
            without, with_ = block(plain), block(inside)
        found.append((with_, without))
    block(inside)
    return found

def told(found):
    ratios = sorted(a / b - 1 for a, b in found)
    differences = sorted(a - b for a, b in found)
    at = lambda values, share: values[min(len(values) - 1, int(share * len(values)))]
    return {
        "without": statistics.median(b for _, b in found),
        "more": statistics.median(differences),
        "share": statistics.median(ratios),
        "from": at(ratios, 0.5 - 0.98 / len(ratios) ** 0.5),
        "to": at(ratios, 0.5 + 0.98 / len(ratios) ** 0.5),
    }

print(json.dumps({
    "null": told(pairs(Null(), null, 20000)),
    "CartPole": told(pairs(gymnasium.make("CartPole-v1").unwrapped, loop, 2000)),
    "CartPole, wrapped": told(pairs(gymnasium.make("CartPole-v1"), loop, 2000)),
}))
"""


def arming(python: str, env: dict[str, str], times: int) -> float:
    """Seconds of CPU that a process takes which does nothing."""
    code = (
        "import os, subprocess, sys\n"
        f"for _ in range({times}): subprocess.run([sys.executable, '-c', 'pass'])\n"
        "used = os.times(); print(used.children_user + used.children_system)"
    )
    out = subprocess.run([python, "-c", code], env=env, capture_output=True, text=True, check=True)
    return float(out.stdout) / times


def main() -> None:
    """Measure, and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=150)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--processes", type=int, default=60)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_boot(Path(folder))
        env = environment(Path(folder), os.environ)
        words = [chosen.python, "-c", INSIDE, str(chosen.pairs)]
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
        for name, found in json.loads(done.stdout).items():
            print(
                f"{name}: {found['without']:.0f} ns a step, {found['more']:+.0f} ns,"
                f" {found['share']:+.1%} ({found['from']:+.1%} to {found['to']:+.1%})"
            )
        half = chosen.processes // 4
        with_ = without = 0.0
        for _ in range(4):
            with_ += arming(chosen.python, env, half) / 4
            without += arming(chosen.python, dict(os.environ), half) / 4
        print(f"a process: {1000 * without:.1f} ms of CPU, {1000 * (with_ - without):+.1f} ms")


if __name__ == "__main__":
    main()
