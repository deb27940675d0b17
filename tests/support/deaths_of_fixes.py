"""Kill `check --fix` at random moments, from its start to its end: each file is the old or the new
text, and the next `--fix` completes what was begun.

    python -m tests.support.deaths_of_fixes [--times 100] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from envdoctor.cli.replacing import JOURNAL

ARM = """\
import gymnasium as gym


class {name}(gym.Env):
    observation_space = gym.spaces.Discrete(2)
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self.log = open(__file__)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {{}}

    def step(self, action):
        return 0, 0.0, False, False, {{}}
"""
NAMES = {"arm.py": "Arm", "leg.py": "Leg"}
FIX = (sys.executable, "-m", "envdoctor", "check", *(f"{file}:{NAMES[file]}" for file in NAMES))
FIX = (*FIX, "--select", "CLS006", "--managers", "direct", "--fix", "-q")
SECONDS = 300

Texts = Mapping[str, str]


def texts(folder: Path) -> dict[str, str]:
    """The texts of the two files."""
    return {name: (folder / name).read_text() for name in NAMES}


def write(folder: Path) -> Texts:
    """Write the files as they are before the fix, and nothing else."""
    for path in folder.iterdir():
        path.unlink() if path.is_file() else None
    for name, kind in NAMES.items():
        (folder / name).write_text(ARM.format(name=kind))
    return texts(folder)


def fix(folder: Path, kill_after: float | None = None) -> bool:
    """Run the command; True where it ended by itself."""
    process = subprocess.Popen(
        FIX, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        _, trouble = process.communicate(timeout=SECONDS if kill_after is None else kill_after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        if kill_after is None:
            raise
        return False
    if process.returncode:
        sys.exit(f"{' '.join(FIX)} ends with {process.returncode}: {trouble.decode()}")
    return True


def wrong(state: Texts, old: Texts, new: Texts) -> str:
    """The file that is neither the old nor the new text, or nothing."""
    return next((name for name in NAMES if state[name] not in (old[name], new[name])), "")


def main() -> None:
    """Kill as often as asked for, and print how far the command was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--from", type=float, default=0.0, dest="share", help="of the time it takes"
    )
    asked = parser.parse_args()
    draw, kinds = random.Random(asked.seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        old = write(folder)
        began = time.monotonic()
        fix(folder)
        span, new = time.monotonic() - began, texts(folder)
        assert all(old[each] != new[each] for each in NAMES), "both files get a cure"
        print(f"the command takes {span:.1f} s", flush=True)
        for number in range(asked.times):
            write(folder)
            ended = fix(folder, draw.uniform(asked.share * span, span))
            state, is_open = texts(folder), (folder / JOURNAL).exists()
            if bad := wrong(state, old, new):
                sys.exit(f"death {number}: {bad} is neither the old nor the new text")
            changed = sum(state[each] == new[each] for each in NAMES)
            kind = "ended" if ended else f"{changed} of {len(NAMES)} files new"
            kinds[f"{kind}, {'with' if is_open else 'without'} a journal"] += 1
            print(f"{number + 1}: {kind}", flush=True)
            if state == old and not is_open:
                continue  # as before the first fix, which has completed
            fix(folder)
            if texts(folder) != new or (folder / JOURNAL).exists():
                sys.exit(f"death {number}: the next --fix does not complete")
    print(f"{asked.times} killed; {', '.join(f'{kinds[each]} {each}' for each in sorted(kinds))}")


if __name__ == "__main__":
    main()
