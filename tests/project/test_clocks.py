"""`docs/clocks.md` names every module of the product's core that reads a clock."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from tests.support import syntax

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/clocks.md"
ROOMS = ("probe", "run", "plan", "analysis", "rules", "verdict")
OF_TIME = frozenset(["monotonic", "process_time", "perf_counter", "thread_time", "time", "sleep"])
#: The clocks of the product that stand on them.
OUR_OWN = frozenset(["monotonic", "Deadline", "Stopwatch", "Allowance", "Idleness", "CallClock"])
WAITS = ("join", "wait")


def clocks_in(text: str) -> Iterator[str]:
    """The names of the clocks that a module reads; `timeout` where it hands a limit on."""
    for node in syntax.nodes(text):
        if isinstance(node, ast.Attribute):
            owner = getattr(node.value, "id", "")
            if (owner == "time" and node.attr.removesuffix("_ns") in OF_TIME) or (
                owner,
                node.attr,
            ) == ("clock", "now"):
                yield node.attr
        elif isinstance(node, ast.Name) and node.id in OUR_OWN:
            yield node.id
        elif isinstance(node, ast.Call) and _is_limited(node):
            yield "timeout"


def _is_limited(call: ast.Call) -> bool:
    """Return whether the call waits for a number of seconds: `timeout=5`, `thread.join(PATIENCE)`."""
    if any(keyword.arg == "timeout" for keyword in call.keywords):
        return True
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr not in WAITS or not call.args:
        return False
    first = call.args[0]
    is_number = isinstance(first, ast.Constant) and isinstance(first.value, (int, float))
    is_constant = isinstance(first, ast.Name) and first.id.isupper()
    return (is_number or is_constant) and not isinstance(function.value, ast.Constant)


@lru_cache(maxsize=1)
def modules() -> dict[str, set[str]]:
    """Every module that reads a clock: {path below envdoctor/: the clocks}."""
    package = ROOT / "envdoctor"
    paths = [path for room in ROOMS for path in sorted((package / room).rglob("*.py"))]
    read = {str(path.relative_to(package)): set(clocks_in(path.read_text())) for path in paths}
    return {path: clocks for path, clocks in read.items() if clocks}


def named_on_the_page() -> set[str]:
    """The modules in the first column of the page's tables."""
    rows = re.findall(r"^\| (`[^|]+) \|", PAGE.read_text(), re.MULTILINE)
    return {path for row in rows for path in re.findall(r"`([\w/]+\.py)`", row)}


def test_every_module_that_reads_a_clock_is_on_the_page() -> None:
    assert sorted(modules().keys() - named_on_the_page()) == []


def test_every_module_on_the_page_reads_a_clock() -> None:
    assert sorted(named_on_the_page() - modules().keys()) == []


@pytest.mark.parametrize("room", ["rules", "verdict", "plan"])
def test_judging_and_planning_read_no_clock(room: str) -> None:
    assert {path for path in modules() if path.startswith(room)} == set()


@pytest.mark.parametrize(
    ("text", "clocks"),
    [
        ("import time\ntime.monotonic()", {"monotonic"}),
        ("from time import monotonic\nmonotonic()", {"monotonic"}),
        ("time.sleep(1)", {"sleep"}),
        ("asyncio.sleep(0)", set()),
        ("process.communicate(timeout=5)", {"timeout"}),
        ("clock.now()", {"now"}),
        ("datetime.now()", set()),
        ("field(default_factory=time.monotonic)", {"monotonic"}),
        ("thread.join(PATIENCE)", {"timeout"}),
        ("' '.join(NAMES)", set()),
        ("Deadline(3.0).passed", {"Deadline"}),
    ],
)
def test_a_clock_is_seen(text: str, clocks: set[str]) -> None:
    assert set(clocks_in(text)) == clocks
