"""From a line that resets right after another reset() to a script without one of them, by values."""

from __future__ import annotations

import pytest

from envdoctor.model.training_aims import ResetOnce
from tests.remedies.scripts import mended

STEPS = (
    "obs = env.reset()\nfor _ in range(99):\n    obs, reward, done, infos = env.step(act(obs))\n"
)
LINE = "  obs = env.reset()"


def once(text: str, part: str = LINE, by_itself: bool = True) -> str:
    return mended(lambda place: ResetOnce(place, by_itself), text, part)


@pytest.mark.parametrize("test", ["done", "done[0]", "done.any()", "np.any(done)", "done and loud"])
def test_reset_at_an_end_goes_where_a_vectorizer_resets(test: str) -> None:
    assert once(f"{STEPS}    if {test}:\n        obs = env.reset()\n    show()\n") == (
        f"{STEPS}    show()\n"
    )


def test_other_statements_at_an_end_stay() -> None:
    text = f"{STEPS}    if done:\n        total += 1\n        obs = env.reset()\n"
    assert once(text) == f"{STEPS}    if done:\n        total += 1\n"


@pytest.mark.parametrize(
    ("test", "left"),
    [
        ("reached or done[0]", "reached and not done[0]"),
        ("done or infos[0].get('won')", "infos[0].get('won') and not done"),
        ("won or lost or (done and loud)", "(won or lost) and not done"),
    ],
)
def test_other_reasons_to_reset_stay(test: str, left: str) -> None:
    text = f"{STEPS}    if {test}:\n        obs = env.reset()\n"
    assert once(text) == text.replace(f"if {test}:", f"if {left}:")


def test_end_of_two_flags_is_an_end() -> None:
    steps = STEPS.replace("done, infos", "end, cut, infos")
    over = f"{steps}    over = end | cut\n"
    assert once(f"{over}    if over.all():\n        obs = env.reset()\n") == over
    assert once(f"{steps}    if end or cut:\n        obs = env.reset()\n") == steps


COLLECTOR = """\
class Collector:
    def begin(self):
        self.seen = self.envs.reset()

    def collect(self, episodes):
        while episodes:
            self.seen[:], done = self.envs.step(act(self.seen))
            if done.any():
                self.seen[done] = self.envs.reset(done)
                episodes -= 1
        self.begin()
        return self.seen
"""


def test_method_that_begins_again_what_has_begun_is_not_called() -> None:
    begins = "        self.begin()\n"
    assert once(COLLECTOR, begins[:-1], by_itself=False) == COLLECTOR.replace(begins, "")
    for old, new in (
        ("self.seen[done] = ", "self.first[done] = "),
        ("self.envs.reset(done)", "self.others.reset(done)"),
        ("        while episodes:", "        if episodes:"),
        ("self.envs.reset()", "self.envs.reset()\n        self.steps = 0"),
        ("def begin", "def start"),
    ):
        changed = COLLECTOR.replace(old, new)
        assert changed != COLLECTOR and once(changed, begins[:-1], by_itself=False) == "", old


EPISODES = """\
for episode in range(9):
    obs = envs.reset()
    done = False
    while not done:
        obs, reward, done, info = envs.step(act(obs))
"""
ABOVE = EPISODES.replace("    obs = envs.reset()\n", "")


def test_reset_of_each_round_goes_above_the_loop() -> None:
    part = "obs = envs.reset()"
    assert once(EPISODES, part) == f"{part}\n{ABOVE}"
    endless = EPISODES.replace("not done", "True") + "        if done:\n            break\n"
    assert once(endless, part) == f"{part}\n" + endless.replace(f"    {part}\n", "")


@pytest.mark.parametrize(
    "text",
    [
        f"{STEPS}    if infos[0]['won']:\n        obs = env.reset()\n",
        f"{STEPS}    if not done:\n        obs = env.reset()\n",
        f"{STEPS}    if done == 7:\n        obs = env.reset()\n",
        STEPS.replace("obs, reward", "new, reward") + "    if done:\n        obs = env.reset()\n",
        f"{STEPS}    other.step(0)\n    if done:\n        obs = other.reset()\n",
        f"{STEPS}    if done:\n        obs = env.reset()\n    else:\n        obs = look(obs)\n",
        f"{STEPS}    env.step(0)\n    if done:\n        obs = env.reset()\n",
    ],
    ids=[
        "something else than an end",
        "before an end",
        "a number",
        "another name",
        "another vectorizer",
        "an else",
        "two steps",
    ],
)
def test_reset_that_may_be_needed_stays(text: str) -> None:
    assert once(text, "        obs =") == ""


@pytest.mark.parametrize(
    "text",
    [
        EPISODES.replace("envs.reset()", "envs.reset(episode)"),
        EPISODES.replace("not done:", "not done and steps < 20:"),
        EPISODES.replace("while not done:", "for _ in range(50):"),
        EPISODES + "        if bored():\n            break\n",
        EPISODES.replace("obs, reward", "new, reward"),
    ],
    ids=["an argument of the round", "a limit", "so many steps", "left early", "another name"],
)
def test_reset_of_a_round_that_may_not_come_to_an_end_stays(text: str) -> None:
    assert once(text, "envs.reset(") == ""


def test_reset_whose_result_nothing_uses_goes() -> None:
    text = "for _ in range(9):\n    env.reset()\n    play(env)\n    env.reset()\n"
    assert once(text, "env.reset", by_itself=False) == (
        "for _ in range(9):\n    play(env)\n    env.reset()\n"
    )
    used = "env.reset()\nfor _ in range(9):\n    obs, _ = env.reset()\n    play(env, obs)\n"
    assert once(used, "obs, _", by_itself=False) == used.removeprefix("env.reset()\n")


@pytest.mark.parametrize(
    "text",
    [
        "while wanted():\n    obs, _ = env.reset()\n    play(obs)\n    obs, _ = env.reset()\n",
        "env.reset(seed=3)\nwhile wanted():\n    obs, _ = env.reset()\n    play(obs)\n",
        "env.reset()\nenv.reset()\nwhile wanted():\n    obs, _ = env.reset()\n    play(obs)\n",
    ],
    ids=["both are used", "a seed", "three"],
)
def test_reset_whose_result_is_used_stays(text: str) -> None:
    assert once(text, "obs, _ = env.reset", by_itself=False) == ""
