"""Environment classes without a framework's base class: which are recognised, and that the script
behaves as it does without us.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from pathlib import Path

import pytest

from envdoctor.model import page
from envdoctor.model.training_events import announced
from envdoctor.probe.live import own_instances
from envdoctor.probe.live.own_classes import NAMED, SHAPED, rank_of
from envdoctor.watch.own_classes import defines_own_classes
from envdoctor.watch.pages import Counts, PageReport
from envdoctor.watch.pages import instances as instances_of_page
from tests.support.zoo import COMMAND

pytestmark = pytest.mark.waits

TRAINING = Path(__file__).parent / "own"
PATIENCE = 600  # seconds


class Maze:
    """One that is recognised by its methods."""

    def __init__(self, size: int = 3) -> None:
        self.size, self.position = size, 0

    def reset(self) -> int:
        self.position = 0
        return self.position

    def step(self, action: int) -> tuple[int, float, bool, dict]:
        self.position += action
        if self.position > self.size:
            return self.position, 1.0, True, {}
        return self.position, 0.0, False, {}


class Abstract(ABC):
    def __init__(self) -> None:
        self.time = 0

    @abstractmethod
    def reset(self): ...

    @abstractmethod
    def step(self, action): ...


class Clock(Abstract):
    def reset(self):
        return self.time

    def step(self, action):
        self.time += action
        return self.time


class ClockEnv(Clock):
    pass


class ToolsEnv:
    def __init__(self) -> None:
        self.images: list[str] = []

    def reset(self, **example) -> None:
        self.images = example["images"]

    def describe(self, image: str) -> str:
        return image


class Tools(ToolsEnv):
    pass


class TickingEnv(ToolsEnv):
    def step(self):
        return 1


class Fleet:
    """Not recognised: nothing is decided by an action."""

    def __init__(self) -> None:
        self.all: list[Maze] = []

    def reset(self):
        return [each.reset() for each in self.all]

    def step(self):
        return 1, 2, 3


class MazeWrapper(Maze):
    pass


class SubprocVecEnv(Maze):
    pass


class AsyncVectorEnv(Maze):
    pass


class HostEnv(Maze):
    def __init__(self, env_fns) -> None:
        super().__init__(len(env_fns))


class PairEnv(Maze):
    def __init__(self, size: int, *, num_envs: int = 2) -> None:
        super().__init__(size * num_envs)


class RoomEnv(Maze):
    def __init__(self, environment_dim: int, env_config: dict) -> None:
        super().__init__(environment_dim)


class Delegating(Maze):
    def __getattr__(self, name: str):
        raise AttributeError(name)


class Single(Maze):
    def __new__(cls):
        return super().__new__(cls)


class Later(Maze):
    async def step(self, action):
        return 1, 2, 3


class Unmade:
    def reset(self):
        return 0

    def step(self, action):
        return action, 0.0, False


@pytest.mark.parametrize(
    ("cls", "rank"),
    [
        (Maze, SHAPED),
        (ClockEnv, NAMED),
        (Clock, 0),
        (ToolsEnv, NAMED),
        (Tools, 0),
        (TickingEnv, 0),
        (Fleet, 0),
        (MazeWrapper, 0),
        (SubprocVecEnv, 0),
        (AsyncVectorEnv, 0),
        (HostEnv, 0),
        (PairEnv, 0),
        (RoomEnv, NAMED),
        (Delegating, 0),
        (Single, 0),
        (Later, 0),
        (Unmade, 0),
        (int, 0),
        (Path, 0),
    ],
)
def test_class_is_recognised_by_its_name_and_methods(cls: type, rank: int) -> None:
    assert rank_of(cls) == rank


BARE = "class Maze:\n    def reset(self): ...\n    def step(self, action): ...\n"
BASED = "import gymnasium\n" + BARE.replace("Maze", "Maze(gymnasium.Env)")

BASE = "class Base:\n    def reset(self): ...\n"
DERIVED = "class Maze(base.Base):\n    def step(self, action): ...\n"


@pytest.mark.parametrize(
    ("files", "command", "defined"),
    [
        ({"train.py": BARE}, "python train.py --seed 1", True),
        ({"train.py": BASED}, "python train.py", False),
        ({"train.py": "class ToolsEnv:\n def reset(self): ..."}, "python train.py", True),
        ({"train.py": "class Tools:\n def reset(self): ..."}, "python train.py", False),
        ({"train.py": "x = 1", "maze.py": BARE}, "python train.py", False),
        ({"train.py": "import maze", "maze.py": BARE}, "python train.py", True),
        ({"run/train.py": "import maze", "run/maze.py": BARE}, "python run/train.py", True),
        ({"train.py": "from lab.maze import Maze", "src/lab/maze.py": BARE}, "uv run train.py", 1),
        (
            {"lab/__init__.py": "", "lab/train.py": "from .maze import Maze", "lab/maze.py": BARE},
            "python -m lab.train",
            True,
        ),
        (
            {"lab/__init__.py": "", "lab/__main__.py": "from . import maze", "lab/maze.py": BARE},
            "python -m lab",
            True,
        ),
        ({"train.py": "import a", "a.py": "import train, b", "b.py": BARE}, "x train.py", True),
        (
            {"train.py": "import maze", "maze.py": f"import base\n{DERIVED}", "base.py": BASE},
            "x train.py",
            1,
        ),
        ({"train.py": DERIVED + BASE.replace("Base", "Other")}, "python train.py", False),
        ({"train.py": DERIVED.replace("(base.Base)", "(Maze)") + BARE}, "python train.py", True),
        (
            {"train.py": f"import gymnasium\n{DERIVED}{BASE.replace(':', '(gymnasium.Env):', 1)}"},
            "x train.py",
            False,
        ),
        ({"train.py": "class ("}, "python train.py", False),
        ({}, "python train.py", False),
        ({}, f"python -c {'x' * 5000}.py", False),
        ({}, "python -m", False),
    ],
)
def test_script_and_its_imports_are_looked_at(
    files: dict[str, str], command: str, defined: bool, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert defines_own_classes(tuple(command.split()), tmp_path) == bool(defined)


def report_on(folder: Path, *words: str) -> tuple[list[dict], list[str], str]:
    """The instances of a watched training, the codes that were reported, and what it printed."""
    saved, report = folder / "saved.jsonl", folder / "report.json"
    options = ("--save", str(saved), "--format", "json", "--output", str(report))
    done = subprocess.run(
        [str(COMMAND), "watch", *options, "--", *words],
        cwd=TRAINING,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    facts = [json.loads(line) for line in saved.read_text(encoding="utf-8").splitlines()]
    training = next(each for each in reversed(facts) if "events" in each)["events"][0]["value"]
    codes = [each["code"] for each in json.loads(report.read_text())["findings"]]
    return training["instances"], codes, done.stdout


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_script_behaves_as_it_does_without_us(method: str, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "lab.train", method]
    alone = subprocess.run(
        words, cwd=TRAINING, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    instances, codes, printed = report_on(tmp_path, *words)
    assert printed == alone.stdout
    assert "TRN007" not in codes  # nothing failed on our side
    resets = {}
    for each in instances:
        name = each["type"].rpartition(".")[2]
        resets[name] = resets.get(name, 0) + each["reset"]["ended"]
    assert resets == {"Maze": 120, "Corridor": 24}  # not LoggedMaze, which takes one


def test_framework_environments_come_before_classes_without_a_base(tmp_path: Path) -> None:
    instances, codes, _ = report_on(tmp_path, sys.executable, "around.py")
    assert [each["type"].rpartition(".")[2] for each in instances] == ["CartPoleEnv"]
    assert "TRN007" not in codes


@pytest.mark.parametrize(
    ("ranks", "counted"),
    [
        ([0, NAMED, SHAPED], [0]),
        ([SHAPED, NAMED, NAMED], [1, 2]),
        ([SHAPED, SHAPED], [0, 1]),
        ([0, 0], [0, 1]),
    ],
)
def test_only_the_best_known_environments_are_counted(ranks: list[int], counted: list[int]) -> None:
    report, row = PageReport(), tuple([1] * page.WIDTH)
    for at, rank in enumerate(ranks):
        event = {"what": "instance", "pid": 1, "t": 0.0, "page": "p", "row": at, "rank": rank}
        report.take([announced(event)])
    counts = Counts("p", 1, len(ranks), 0, dict.fromkeys(range(len(ranks)), row))
    assert [each.row for each in instances_of_page(counts, report)] == counted


def test_threads_make_instances_at_once(tmp_path: Path) -> None:
    instances, codes, _ = report_on(tmp_path, sys.executable, "at_once.py")
    counts = [(each["type"], each["reset"]["ended"], each["closed"]) for each in instances]
    assert counts == [("__main__.BanditEnv", 50, 1)] * 8
    assert codes == []


def test_parts_of_an_argument_are_looked_at_up_to_a_number() -> None:
    data = [0.5] * 1_000_000
    assert own_instances._parts(data) == data[: own_instances.MOST]
    assert own_instances._parts((1, 2)) == (1, 2)
    assert own_instances._parts("text") == ("text",)


@pytest.mark.parametrize(("words", "codes"), [((), ["TRN021", "TRN029"]), (("mended",), [])])
def test_seeds_and_temporary_files_are_followed_from_their_modules_on(
    words: tuple[str, ...], codes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    _, reported, _ = report_on(tmp_path, sys.executable, "leaves.py", *words)
    assert sorted(reported) == codes
