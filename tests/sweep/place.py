"""A folder with environments and a command in it, for tests of what people run."""

from __future__ import annotations

import os
import secrets
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from envdoctor.sweep.ledger import RESULTS
from tests.support.waiting import PATIENCE
from tests.support.zoo import COMMAND

MARK = "SWEEP_TEST"
QUICK = ("--managers", "direct", "--select", "CLS006", "--no-try-remedies")

WAREHOUSE = '''
import os

import gymnasium


class Belt(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 1.0, False, False, {}


class Crane(Belt):
    """Never closes its log."""

    def reset(self, *, seed=None, options=None):
        if not hasattr(self, "log"):
            self.log = open("/dev/null", "w")
        return super().reset(seed=seed, options=options)


class Bomb(Belt):
    """Kills the doctor that examines it."""

    def reset(self, *, seed=None, options=None):
        pid = os.getpid()
        while pid > 1:
            with open(f"/proc/{pid}/cmdline") as file:
                if "envdoctor.cli.examination" in file.read():
                    os.kill(pid, 9)
                    break
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        return super().reset(seed=seed, options=options)
'''


@dataclass
class Place:
    """A folder with environments, whose drivers can be told from others."""

    folder: Path
    mark: str = field(default_factory=lambda: secrets.token_hex(8))
    command: tuple[str, ...] = (str(COMMAND),)
    variables: dict[str, str] = field(default_factory=dict)
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        self.tmp.mkdir()
        (self.folder / "warehouse.py").write_text(WAREHOUSE)
        (self.folder / "mark").write_text(self.mark)

    @property
    def tmp(self) -> Path:
        return self.folder / "t"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.command, *words],
            cwd=self.folder,
            env={**os.environ, **self.variables, "TMPDIR": str(self.tmp), MARK: self.mark},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *words: str) -> tuple[int, str, str]:
        with self.start(*words) as process:
            try:
                stdout, stderr = process.communicate(timeout=self.patience)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        assert "Traceback" not in stderr, stderr
        return process.returncode, stdout, stderr

    def processes(self) -> list[int]:
        return [
            process.pid
            for process in psutil.process_iter(["environ"])
            if (process.info["environ"] or {}).get(MARK) == self.mark
        ]

    def results(self) -> int:
        return len(list((self.out / RESULTS).iterdir())) if (self.out / RESULTS).is_dir() else 0
