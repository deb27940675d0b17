"""The owner of a hang: a search of the doctor's own, or a call of the environment."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import envdoctor
from envdoctor.run.supervise.own_frames import (
    CALLS,
    CHECKED_CALL,
    GIVEN_FUNCTION,
    SEARCHES,
    call_in,
    is_in_given_function,
    is_own_work,
    without_own,
)

BUNDLE = "/tmp/envdoctor-1/bundle.pyz/envdoctor/probe"
LIBRARY = "/usr/lib/python3.11"
PLAYER = (f"{BUNDLE}/verbs/cycles.py", f"{BUNDLE}/player.py", "<frozen runpy>")


def stack(*files: str, head: str = "Current thread") -> str:
    lines = [f'  File "{file}", line 3 in f\n' for file in files]
    return f"{head} 0x01 (most recent call first):\n" + "".join(lines)


@pytest.mark.parametrize(
    ("files", "own"),
    [
        ((f"{BUNDLE}/growth/holders.py", *PLAYER), True),
        ((f"{BUNDLE}/growth/census.py", *PLAYER), True),
        ((f"{BUNDLE}/readings.py", *PLAYER), True),
        ((f"{LIBRARY}/ast.py", f"{BUNDLE}/growth/growing_lines.py", *PLAYER), True),
        # The environment is asked: a call into C has no frame of its own.
        ((f"{BUNDLE}/environment_api.py", f"{BUNDLE}/growth/cycles.py", *PLAYER), False),
        ((f"{BUNDLE}/growth/cycles.py", *PLAYER), False),
        # A finalizer of the environment's runs in our collection.
        (("/home/me/walker.py", f"{BUNDLE}/growth/settle.py", *PLAYER), False),
        ((f"{LIBRARY}/threading.py", "/home/me/walker.py", *PLAYER), False),
        (("/venv/lib/python3.11/site-packages/sim.py", f"{BUNDLE}/growth/settle.py"), False),
        ((), False),
    ],
)
def test_search_of_the_main_thread_is_own_work(files: tuple[str, ...], own: bool) -> None:
    assert is_own_work(f"Process 7 (python):\n{stack(*files)}") is own


def test_other_threads_and_processes_do_not_count() -> None:
    search = f"{BUNDLE}/growth/holders.py"
    thread = stack("/home/me/walker.py", head="Thread")
    worker = f"Process 8 (python):\n{stack('/home/me/walker.py')}"
    assert is_own_work(f"Process 7 (python):\n{thread}{stack(search)}{worker}")
    assert not is_own_work(
        f"Process 7 (python):\n{stack('/home/me/walker.py')}{stack(search, head='Thread')}"
    )
    assert not is_own_work(f"{worker}Process 7 (python):\n{stack(search)}")
    assert not is_own_work("")


def test_frames_of_the_probe_are_not_shown() -> None:
    walker = "/home/me/walker.py"
    assert without_own(stack(walker, *PLAYER)) == stack(walker)
    assert without_own(stack(walker)) == stack(walker)
    assert without_own(stack("/home/me/app.pyz/walker.py")) == stack("/home/me/app.pyz/walker.py")


PROBE = Path(envdoctor.__file__).parent / "probe"


@pytest.mark.parametrize("function", [*CALLS, CHECKED_CALL, GIVEN_FUNCTION])
def test_function_that_is_looked_for_in_stacks_exists_and_is_public(
    function: tuple[str, str],
) -> None:
    file, name = function
    nodes = ast.walk(ast.parse((PROBE / file).read_text()))
    assert name in {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    assert not name.startswith("_")


def test_folders_that_count_as_searches_exist() -> None:
    names = re.findall(r"(\w+)(/|\\\.py)", SEARCHES.pattern.partition("probe/")[2])
    assert len(names) >= 7
    for name, kind in names:
        assert (PROBE / name).is_dir() if kind == "/" else list(PROBE.rglob(f"{name}.py"))


@pytest.mark.parametrize(
    ("lines", "call"),
    [
        ([("environment_api.py", "transition"), ("player.py", "play")], "step"),
        ([("environment_api.py", "reset")], "reset"),
        ([("heartbeat.py", "followed_call"), ("verbs/checks.py", "check")], ""),
        ([("adapters/direct.py", "reset")], ""),
    ],
)
def test_call_of_the_environment_is_read_from_the_stack(
    lines: list[tuple[str, str]], call: str
) -> None:
    assert call_in("".join(f'  File "{BUNDLE}/{f}", line 3 in {n}\n' for f, n in lines)) == call


def test_call_of_a_checker_is_the_frame_above() -> None:
    text = (
        '  File "/home/me/walker.py", line 3 in render\n'
        f'  File "{BUNDLE}/heartbeat.py", line 9 in followed_call\n'
    )
    assert call_in(text) == "render"


def test_function_with_another_name_is_not_the_given_one() -> None:
    text = f'  File "{BUNDLE}/given_actions.py", line 3 in %s\n'
    assert is_in_given_function(text % "ask_function")
    assert is_in_given_function(text % "Given.ask_function")
    assert not is_in_given_function(text % "_fitted")
