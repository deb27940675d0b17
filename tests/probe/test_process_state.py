"""State of the process that a play leaves: exactly what differs from the state after the imports."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from envdoctor.probe import process_state
from tests.probe.fresh import run

DEEDS = {
    "os.umask(0o77)": "umask",
    "os.environ['DISPLAY'] = ':7'": "environment variable DISPLAY",
    "os.chdir('/')": "working directory",
    "socket.setdefaulttimeout(3)": "socket timeout",
    "sys.path.append('/lab')": "module search path",
    "sys.setrecursionlimit(4000)": "recursion limit",
    "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))": "limit RLIMIT_CORE",
    "time.sleep = lambda seconds: None": "function time.sleep",
    "multiprocessing.set_start_method('spawn')": "start method",
}


def test_each_change_is_named(tmp_path: Path) -> None:
    told = run(
        f"""
        import multiprocessing, resource, socket, time
        from envdoctor.probe import process_state
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
        found = []
        for deed in {list(DEEDS)}:
            before = process_state.read()
            exec(deed)
            found.append(process_state.changed(before, process_state.read()))
        tell(found)
        """,
        tmp_path,
    )
    assert told == [[change] for change in DEEDS.values()]


def test_change_that_is_undone_is_none() -> None:
    before = process_state.read()
    mask = os.umask(0o77)
    os.umask(mask)
    assert process_state.changed(before, process_state.read()) == []


def test_imports_and_what_multiprocessing_chooses_by_itself_are_no_change(tmp_path: Path) -> None:
    told = run(
        """
        import multiprocessing
        from envdoctor.probe import process_state
        with process_state.importing():
            os.environ["FIRST"] = "1"
        multiprocessing.get_context()
        multiprocessing.SimpleQueue()
        before = process_state.altered()
        os.environ["PLAYED"] = "1"
        with process_state.importing():
            os.environ["LATER"] = "1"
        tell([before, process_state.altered()])
        """,
        tmp_path,
    )
    assert told == [[], ["environment variable PLAYED"]]


@pytest.mark.parametrize(
    ("change", "mild"), [("umask", False), ("environment variable DISPLAY", True)]
)
def test_variables_only_matter_to_launches(change: str, mild: bool) -> None:
    assert process_state.is_mild(change) is mild


def test_functions_are_compared_by_identity() -> None:
    class Odd:
        def __call__(self) -> None: ...

        def __eq__(self, other: object) -> bool:
            raise AssertionError

        __hash__ = None  # type: ignore[assignment]

    key, one, other = ("function", "os.open"), Odd(), Odd()
    functions: list[Callable[[], None]] = [one, other]
    assert process_state.changed({key: functions[0]}, {key: functions[1]}) == ["function os.open"]
    assert process_state.changed({key: functions[0]}, {key: functions[0]}) == []


def test_limits_that_are_lifted_for_a_moment_are_no_change(tmp_path: Path) -> None:
    told = run(
        """
        import resource, sys
        from envdoctor.probe import process_state
        from envdoctor.probe.system import room
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard // 2, hard))  # as in most shells
        before = process_state.read()
        with room.made():
            lifted = resource.getrlimit(resource.RLIMIT_NOFILE)[0] == hard
            unchanged = process_state.changed(before, process_state.read())
        sys.setrecursionlimit(700)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard // 4, hard))
        with room.made():
            changes = process_state.changed(before, process_state.read())
        tell([lifted, unchanged, changes, sys.getrecursionlimit()])
        """,
        tmp_path,
    )
    lifted, unchanged, changes, recursion = told
    assert (lifted, unchanged, recursion) == (True, [], 700)
    assert set(changes) >= {"limit RLIMIT_NOFILE", "recursion limit"}


def test_function_that_is_put_back_is_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    before, sleep = process_state.read(), time.sleep
    monkeypatch.setattr(time, "sleep", print)
    assert process_state.changed(before, process_state.read()) == ["function time.sleep"]
    monkeypatch.setattr(time, "sleep", sleep)
    assert process_state.changed(before, process_state.read()) == []
    monkeypatch.setattr(time, "nap", print, raising=False)
    assert process_state.changed(before, process_state.read()) == ["function time.nap"]
