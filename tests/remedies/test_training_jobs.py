"""From a line that gives up the result of a pool to a pool that is made anew, by values."""

from __future__ import annotations

import pytest

from envdoctor.model.training_aims import EndGivenUp
from tests.remedies.scripts import mended

REWARDS = """\
import multiprocessing

WORKERS = 3

class Rewards:
    def __init__(self):
        self.pool = multiprocessing.Pool(WORKERS)

    def of(self, answer):
        result = self.pool.apply_async(verify, (answer,))
        try:
            return result.get(timeout=5)
        except multiprocessing.TimeoutError:
            return 0.0
"""
ENDS = "terminate()\n{0}self.pool.join()\n{0}self.pool = multiprocessing.Pool(WORKERS)\n"


def ended(text: str) -> str:
    return mended(EndGivenUp, text, "get(")


def test_pool_of_an_instance_is_made_anew_where_a_result_is_late() -> None:
    lines = f"            self.pool.{ENDS.format(' ' * 12)}"
    late = "            return 0.0\n"
    assert ended(REWARDS) == REWARDS.replace(late, f"{lines}{late}")
    at_once = REWARDS.replace("return result.get", "return self.pool.apply_async(verify, (1,)).get")
    at_once = at_once.replace("        result = self.pool.apply_async(verify, (answer,))\n", "")
    assert ended(at_once) == at_once.replace(late, f"{lines}{late}")
    silent = REWARDS.replace("return 0.0", "pass")
    assert ended(silent) == silent.replace("            pass\n", lines)


def test_pool_of_a_function_is_made_anew() -> None:
    text = """\
from multiprocessing import Pool, TimeoutError

def main():
    pool = Pool(2)
    for answer in answers():
        try:
            reward = pool.apply_async(verify, (answer,)).get(timeout=5)
        except TimeoutError:
            reward = 0.0
"""
    late = "            reward = 0.0\n"
    lines = "            pool.terminate()\n            pool.join()\n            pool = Pool(2)\n"
    assert ended(text) == text.replace(late, f"{lines}{late}")


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("            return 0.0\n", "            self.pool.terminate()\n            raise\n"),
        (
            "    def of",
            "    def all(self, every):\n        self.pool.map(verify, every)\n\n    def of",
        ),
        ("    def of", "    def share(self):\n        return self.pool\n\n    def of"),
        ("(WORKERS)", "(WORKERS, initializer=prepare(self))\n        keep(self.pool)"),
        ("multiprocessing.Pool(", "make_pool("),
        ("    def __init__(self):", "    def __init__(self, WORKERS, number):"),
        ("except multiprocessing.TimeoutError:", "except ValueError:"),
        ("result = self.pool", "result = self.other"),
        ("self.pool.apply_async(verify, (answer,))", "self.results[answer]"),
        ("        except", "            log()\n        except"),
    ],
    ids=[
        "ended already",
        "it has other jobs",
        "returned",
        "given away",
        "made by something else",
        "made of an argument",
        "something else is caught",
        "of another pool",
        "asked for elsewhere",
        "more is tried",
    ],
)
def test_pool_that_may_be_needed_stays(part: str, text: str) -> None:
    assert part in REWARDS
    changed = REWARDS.replace(part, text)
    if "number" in text:
        changed = changed.replace("Pool(WORKERS)", "Pool(number)")
    assert ended(changed) == ""
