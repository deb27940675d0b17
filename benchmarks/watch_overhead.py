"""What `watch` costs a step and a process: paired blocks inside one run, so that a busy machine
costs both the same.

    python benchmarks/watch_overhead.py [--pairs 150] [--python PATH] [--torch PATH]

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
import time
from pathlib import Path

from envdoctor.watch.boot_folder import environment, write_boot

INSIDE = Path(__file__).with_name("watch_inside.py")
OWN = ("null", "CartPole", "CartPole, wrapped")
WITH_TORCH = ("CleanRL's ppo.py", "Stable-Baselines3's PPO")

#: Workers that play a null environment, 200 steps a second each: TRAINING NUMBER SECONDS.
WORKERS = """
import multiprocessing, sys, time
import gymnasium

class Null(gymnasium.Env):
    def reset(self, *, seed=None, options=None):
        return 0, {}
    def step(self, action):
        time.sleep(0.005)
        return 0, 0.0, False, False, {}

def work(until):
    env = Null()
    while time.monotonic() < until:
        env.reset()
        for _ in range(100):
            env.step(0)
    env.close()

if __name__ == "__main__":
    number, seconds = int(sys.argv[1]), float(sys.argv[2])
    context = multiprocessing.get_context("fork")
    until = time.monotonic() + seconds
    workers = [context.Process(target=work, args=(until,)) for _ in range(number)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
"""
WARM, SECONDS = 10, 40  # the doctor's start and its first readings are not counted


def blocks(python: str, env: dict[str, str], pairs: int, names: tuple[str, ...]) -> None:
    """Print what the hook costs in each of some trainings."""
    words = [python, str(INSIDE), str(pairs), *names]
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True) as inside:
        for line in inside.stdout or ():
            found = json.loads(line)
            print(
                f"{found['name']}: {found['without']:.0f} ns a step, {found['more']:+.0f} ns,"
                f" {found['share']:+.1%} ({found['from']:+.1%} to {found['to']:+.1%})",
                flush=True,
            )


def doctors_share(number: int, folder: Path) -> float:
    """The share of a core that the doctor takes beside so many workers."""
    script = folder / "workers.py"
    script.write_text(WORKERS)
    words = [sys.executable, "-m", "envdoctor", "watch", "--", sys.executable, str(script)]
    words += [str(number), str(WARM + SECONDS + 5)]
    with subprocess.Popen(words, cwd=folder, stderr=subprocess.DEVNULL) as doctor:
        time.sleep(WARM)
        before, began = cpu(doctor.pid), time.monotonic()
        time.sleep(SECONDS)
        return (cpu(doctor.pid) - before) / (time.monotonic() - began)


def cpu(pid: int) -> float:
    """Seconds of CPU that a process took itself, up to now."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
    parser.add_argument("--torch", help="a Python with PyTorch and Stable-Baselines3")
    parser.add_argument("--processes", type=int, default=60)
    parser.add_argument("--workers", type=int, nargs="*", default=[8, 64])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_boot(Path(folder))
        env = environment(Path(folder), os.environ)
        blocks(chosen.python, env, chosen.pairs, OWN)
        if chosen.torch:
            blocks(chosen.torch, env, chosen.pairs, WITH_TORCH)
        half = chosen.processes // 4
        with_ = without = 0.0
        for _ in range(4):
            with_ += arming(chosen.python, env, half) / 4
            without += arming(chosen.python, dict(os.environ), half) / 4
        print(f"a process: {1000 * without:.1f} ms of CPU, {1000 * (with_ - without):+.1f} ms")
        for number in chosen.workers:
            print(f"the doctor beside {number} workers: {doctors_share(number, Path(folder)):.1%}")


if __name__ == "__main__":
    main()
