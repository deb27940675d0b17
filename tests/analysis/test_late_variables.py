"""Variables of loops that factories look up when they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from envdoctor.analysis.late_variables import late_variable
from envdoctor.model.training_draws import LateVariable
from envdoctor.watch.script_lines import LateVariables

FUNCTION = "def build(rank):\n    return Arm(rank)\n\n"
LOOP = "for size in (5, 10):\n    "


@pytest.mark.parametrize(
    ("text", "line", "differ"),
    [
        ("envs = Vec([lambda: Arm(size) for size in range(4)])", 1, True),
        ("envs = Vec([lambda: gym.make('Arm-v0', size=size) for size in sizes])", 1, False),
        ("sizes = [5, 10]\nenvs = Vec([lambda: Arm(2 * size) for size in sizes])", 2, True),
        ("envs = Vec([lambda: Arm(size) for rank, size in enumerate(sizes)])", 1, False),
        (f"{LOOP}makers.append(lambda: Arm(size))", 2, True),
        (f"{LOOP}def make():\n        return Arm(size)\n    makers.append(make)", 3, True),
        (f"{FUNCTION}envs = Vec([lambda: build(size) for size in range(4)])", 2, True),
        ("envs = Vec([lambda: Monitor(Arm(size)) for size in range(4)])", 1, True),
    ],
)
def test_variable_that_is_looked_up_after_its_loop(text: str, line: int, differ: bool) -> None:
    known = late_variable(text, line, "Arm")
    assert known is not None
    assert (known.name, known.differ) == ("size", differ)


@pytest.mark.parametrize(
    "text",
    [
        "envs = Vec([lambda size=size: Arm(size) for size in range(4)])",
        "envs = Vec([lambda: Arm(5) for size in range(4)])",
        "envs = Vec([lambda: Arm(size) for size in (5, 5)])",
        "envs = Vec([lambda: Arm(size) for size in range(1)] * 4)",
        "envs = Vec([make(size) for size in range(4)])",
        "envs = Vec([(lambda size: lambda: Arm(size))(size) for size in range(4)])",
        "envs = Vec([lambda: Monitor(Arm(), f'{size}.csv') for size in range(4)])",
        f"{LOOP}train(Vec([lambda: Arm(size) for _ in range(4)]))",
        f"{LOOP}makers.append(lambda: Arm(size)); train(Vec(makers))",
        f"{LOOP}makers.append(lambda size=size: Arm(size))",
        f"{LOOP}train(lambda: Arm(size))",
        "envs = Vec([lambda: Arm(size for size in sizes",
    ],
)
def test_values_that_are_kept_or_do_not_matter(text: str) -> None:
    line = 2 if text.startswith(LOOP) else 1
    assert late_variable(text, line, "Arm") is None


def test_line_is_that_of_the_factory() -> None:
    text = f"{FUNCTION}envs = Vec([lambda: build(size) for size in range(4)])"
    assert late_variable(text, 2, "Arm") == LateVariable("size", 4, differ=True)


def test_source_is_read_once_in_a_run(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("envs = Vec([lambda: Arm(size) for size in range(4)])")
    run, key = LateVariables(), (str(script), 1, "Arm")
    known = run[key]
    script.unlink()
    assert run[key] is known is not None
    assert LateVariables()[key] is None  # the next run reads it anew


@pytest.mark.parametrize(("folder", "is_read"), [("site-packages", False), ("arms", True)])
def test_source_of_a_library_is_not_read(tmp_path: Path, folder: str, is_read: bool) -> None:
    script = tmp_path / folder / "train.py"
    script.parent.mkdir()
    script.write_text("envs = Vec([lambda: Arm(size) for size in range(4)])")
    assert (LateVariables()[str(script), 1, "Arm"] is not None) == is_read
