"""From a line that calls step() on after an end to a loop that ends there, or resets, by values."""

from __future__ import annotations

import pytest

from envdoctor.model.training_aims import EndEpisode, PlayFirst
from tests.remedies.scripts import mended

PLAYS = "for episode in range(9):\n    env.reset(seed=episode)\n    for _ in range(40):\n"
LASTS = "state, _ = env.reset(seed=3)\nfor _ in range(90):\n    action = choose(state)\n"


def reset(text: str, part: str = ".step(", is_old: bool = False) -> str:
    return mended(lambda place: EndEpisode(place, is_old), text, part)


def test_loop_of_one_episode_ends_with_it() -> None:
    assert reset(f"{PLAYS}        env.step(0)\nenv.close()\n") == (
        f"{PLAYS}        _, _, terminated, truncated, _ = env.step(0)\n"
        "        if terminated or truncated:\n            break\nenv.close()\n"
    )
    assert reset(f"{PLAYS}        env.step(0)\n", is_old=True) == (
        f"{PLAYS}        _, _, done, _ = env.step(0)\n        if done:\n            break\n"
    )


def test_long_loop_resets_as_above_without_the_seed_and_after_all_else_of_the_step() -> None:
    text = f"{LASTS}    state, reward, done, _, info = env.step(action)\n    total += reward\n"
    assert reset(text) == (
        f"{LASTS}    state, reward, done, truncated, info = env.step(action)\n"
        "    total += reward\n    if done or truncated:\n        state, _ = env.reset()\n"
    )
    kept = f"{LASTS}    next_state, r, end, cut, _ = env.step(action)\n    state = next_state\n"
    assert reset(kept) == f"{kept}    if end or cut:\n        state, _ = env.reset()\n"


def test_values_that_a_star_takes_get_names() -> None:
    assert reset(f"{PLAYS}        state, *_ = env.step(0)\n") == (
        f"{PLAYS}        state, _, terminated, truncated, _ = env.step(0)\n"
        "        if terminated or truncated:\n            break\n"
    )


def test_reset_keeps_its_options() -> None:
    text = "env.reset(seed=1, options=HARD)\nwhile wanted():\n    o, r, end, cut, i = env.step(0)\n"
    assert reset(text) == f"{text}    if end or cut:\n        env.reset(options=HARD)\n"


METHODS = """
class Training:
    def cycle(self):
        state, reward, done, _, _ = self.env.step(0)
        return done

    def run_episode(self):
        self.env.reset()
        for _ in range(40):
            done = self.cycle()
"""


def test_end_that_a_function_returns_ends_the_loop_around_its_call() -> None:
    text = METHODS.lstrip()
    assert reset(text) == f"{text}            if done:\n                break\n"
    unread = text.replace("done = self.cycle()", "self.cycle()")
    assert reset(unread) == f"{text}            if done:\n                break\n"
    training = text.replace("run_episode", "train")
    assert reset(training) == f"{training}            if done:\n                self.env.reset()\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{PLAYS}        total += env.step(0)[1]\n",
        f"{PLAYS}        result = env.step(0)\n",
        f"{PLAYS}        state, *rest = env.step(0)\n",
        f"{PLAYS}        if busy():\n            continue\n        env.step(0)\n",
        f"{PLAYS}        env.step(0)\n    else:\n        print(episode)\n",
        f"{PLAYS}        env.step(0)\n        break\n",
        f"{PLAYS}        env.step(0)\nprint(terminated)\n",
        "for _ in range(40):\n    env.step(0)\n",
        "env.reset()\nenv.step(0)\n",
        "other.reset()\nfor _ in range(40):\n    env.step(0)\n",
        "def begin():\n    env.reset()\n\nfor _ in range(40):\n    env.step(0)\n",
        f"{LASTS}    state, _, end, cut, _ = env.step(0)\n    if end and odd():\n        env.reset()\n",
    ],
    ids=[
        "a part of what it returns",
        "one name for all",
        "a star",
        "some rounds go on elsewhere",
        "a loop with an else",
        "a loop that ends",
        "a name that the script has",
        "reset nowhere",
        "no loop",
        "another one is reset",
        "reset in a function",
        "reset in the loop",
    ],
)
def test_loop_that_says_too_little_stays(text: str) -> None:
    assert reset(text) == ""


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("return done", "return not done"),
        ("        return done", "        if state:\n            return True\n        return done"),
        ("            done = self.cycle()", "            ends.append(self.cycle())"),
        (
            "            done = self.cycle()",
            "            done = self.cycle()\n        self.cycle()",
        ),
    ],
    ids=["something else is returned", "two returns", "kept", "two calls"],
)
def test_function_that_may_return_something_else_stays(part: str, text: str) -> None:
    assert part in METHODS
    assert reset(METHODS.replace(part, text)) == ""


LOOK = "env.reset()\nenv.step(0)\nenv.step(0)\n"
REST = "size = env.observation_space.shape\nplay(env)\n"


def test_first_episode_is_not_given_up() -> None:
    assert mended(PlayFirst, f"{LOOK}{REST}", "reset") == REST
    guarded = f"if look:\n    env.reset()\n    env.step(0)\n{REST}"
    assert mended(PlayFirst, guarded, "reset") == REST


@pytest.mark.parametrize(
    "look",
    [
        "state, _ = env.reset()\nenv.step(0)\n",
        "env.reset()\nstate = env.step(0)[0]\n",
        "env.reset()\nother.step(0)\n",
        "env.reset()\n",
    ],
    ids=["its state is kept", "a step is kept", "of another one", "no step"],
)
def test_reset_that_is_looked_at_stays(look: str) -> None:
    assert mended(PlayFirst, f"{look}{REST}", "reset") == ""


def test_calls_that_reset_nothing_stay() -> None:
    assert mended(PlayFirst, f"env.load()\nenv.render()\n{REST}", "env.load") == ""


OWN = """\
class Levels:
    def __init__(self, env):
        self.env = env
        self.begin()
        self.step(0)
        self.size = env.observation_space.shape

    def begin(self):
        self.state, _ = self.env.reset()

    def step(self, action):
        return self.env.step(action)
"""


def test_first_episode_that_methods_of_its_own_begin_is_not_given_up() -> None:
    left = OWN.replace("        self.begin()\n        self.step(0)\n", "")
    assert mended(PlayFirst, OWN, "self.begin()") == left


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("        self.begin()", "        self.state = self.begin()"),
        ("        self.step(0)", "        self.first = self.step(0)"),
        ("self.env.step(action)", "self.other.step(action)"),
        ("self.env.reset()", "self.load()"),
    ],
    ids=["kept", "a step is kept", "of another one", "no reset"],
)
def test_methods_of_its_own_that_are_needed_stay(part: str, text: str) -> None:
    assert mended(PlayFirst, OWN.replace(part, text), "self.begin()") == ""
