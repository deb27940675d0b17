"""From a line that makes an environment in a worker to workers that draw other numbers, by values."""

from __future__ import annotations

import pytest

from envdoctor.model.training_aims import SeedWorkers
from tests.remedies.scripts import mended

SCRIPT = """\
from multiprocessing import Process

import numpy as np


def work(pipe, make):
    env = make()
    seed = pipe.recv()
    env.reset(seed=seed)


def start(pipe, make):
    Process(target=work, args=(pipe, make), daemon=True).start()
"""


def seeded(text: str, generator: str = "numpy.random") -> str:
    return mended(lambda place: SeedWorkers(place, generator), text, "make()")


def test_parent_draws_a_seed_for_each_worker() -> None:
    assert seeded(SCRIPT) == SCRIPT.replace(
        "def work(pipe, make):\n",
        "def work(pipe, make, worker_seed):\n    np.random.seed(worker_seed)\n",
    ).replace("(pipe, make), daemon", "(pipe, make, np.random.randint(2**31)), daemon")


def test_seed_has_a_name_where_the_line_would_be_long() -> None:
    name = "a_process_that_plays_mazes"
    text = SCRIPT.replace("    Process(", f"    {name} = Process(").replace(
        ".start()", f"\n    {name}.start()"
    )
    line = f"    {name} = Process(target=work, args=(pipe, make, worker_seed), daemon=True)"
    assert f"    worker_seed = np.random.randint(2**31)\n{line}\n" in seeded(text)
    several = SCRIPT.replace("    Process(", f"    {name} = [Process(").replace(
        "daemon=True).start()", "daemon=True) for make in makers]"
    )
    assert "args=(pipe, make, np.random.randint(2**31))" in seeded(several), "each has its own"


def test_generator_of_python_is_imported_where_it_is_not() -> None:
    text = seeded(SCRIPT, "random")
    assert "import random\nfrom multiprocessing import Process\n" in text
    assert "    random.seed(worker_seed)\n    env = make()\n" in text
    assert "args=(pipe, make, random.randrange(2**32))" in text


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("args=(pipe, make)", "args=arguments"),
        ("target=work", "target=other"),
        ("def work(pipe, make):", "def work(pipe, make, *others):"),
        ("def work(pipe, make):", "def work(pipe, make=Maze):"),
        ("def start(pipe, make):", "def start(pipe, make):\n    work(pipe, make)"),
    ],
    ids=["its arguments are not known", "something else runs", "a star", "a default", "called"],
)
def test_function_that_something_else_may_call_stays(part: str, text: str) -> None:
    assert part in SCRIPT
    assert seeded(SCRIPT.replace(part, text)) == ""


def test_generator_that_python_cannot_seed_so_stays() -> None:
    assert seeded(SCRIPT, "torch") == ""
