"""Loops that only the end of an episode ends, and those that something else may end."""

from __future__ import annotations

import pytest

from envdoctor.analysis.episode_loops import step_of_episode

SCORER = """
def scorer(env, policy, count=3):
    for _ in range(count):
        state, _ = env.reset()
        {loop}
            action = policy(state)
            state, reward, terminated, truncated, _ = env.step(action)
            done = terminated or truncated
            {rest}
    return reward
"""
LINE = 7  # that calls step()


def place(loop: str, rest: str = "pass", line: int = LINE) -> tuple[int, str] | None:
    return step_of_episode(SCORER.format(loop=loop, rest=rest), line)


@pytest.mark.parametrize(
    ("loop", "rest"),
    [
        ("while True:", "if done: break"),
        ("while 1:", "if terminated or truncated: break"),
        ("while True:", "if done: return reward"),
        ("while True:", "self.done = done\n            if self.done: break"),
        ("while True:", "over = done\n            if over: break"),
        ("while True:", "if done:\n                if lost: break\n                break"),
        ("while not done:", "pass"),
        ("while not (terminated or truncated):", "pass"),
        ("while not terminated and not truncated:", "pass"),
        ("while not done:", "for each in hooks: break"),
        ("while not done:", "try: act()\n            except StopIteration: pass"),
    ],
)
def test_loop_that_only_the_end_of_an_episode_ends(loop: str, rest: str) -> None:
    assert place(loop, rest) == (LINE, "scorer")


@pytest.mark.parametrize(
    ("loop", "rest"),
    [
        ("for _ in range(500):", "if done: break"),
        ("while steps < 500:", "steps += 1"),
        ("while not done and steps < 500:", "steps += 1"),
        ("while True:", "if done or steps > 500: break"),
        ("while True:", "if steps > 500: break"),
        ("while True:", "if steps > 500: raise TimeoutError"),
        ("while True:", "try: act()\n            except StopIteration: break"),
        ("while True:", "match steps:\n                case 500: break"),
        ("while True:", "for each in hooks: return"),
        ("while True:", "if done: env.reset()"),
        ("while True:", "break"),
        ("while done < 1:", "pass"),
        ("while not stop:", "pass"),
        ("while not self.stopped:", "pass"),
        ("while True:", "pass"),
        ("while True:", "if reward: break"),
        ("while True:", "if self.done: break"),
        ("while not done:", "done = done or steps > 500"),
        ("while not done:", "if steps > 500: done = True"),
        ("while not (done or stop):", "pass"),
        ("while not done:", "if stop: break"),
        ("while running():", "pass"),
        ("if True:", "pass"),
    ],
)
def test_loop_that_something_else_may_end(loop: str, rest: str) -> None:
    assert place(loop, rest) is None


def test_line_outside_of_the_loop_and_text_that_is_no_python() -> None:
    assert place("while not done:", line=3) is None
    assert step_of_episode("while not done", 1) is None


def test_loop_of_a_script_and_one_that_begins_no_episode() -> None:
    loop = "while not done:\n    done = env.step(0)[2]\n"
    assert step_of_episode(f"env.reset()\n{loop}", 3) == (3, "<module>")
    assert step_of_episode(loop, 2) is None


def test_functions_inside_of_the_loop_are_not_its_own() -> None:
    text = """
def play(env):
    env.reset()
    done = False
    while not done:
        def again():
            env.reset()
            return 1
        done = env.step(0)[2]
"""
    assert step_of_episode(text, 9) == (9, "play")
