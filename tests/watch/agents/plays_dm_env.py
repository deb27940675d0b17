"""Environments of dm_env that count for themselves, here and in a worker."""

import contextlib
import json
import multiprocessing

import dm_env

COUNTS = {"made": 0, "resets": 0, "steps": 0, "closed": 0}


class Arm(dm_env.Environment):
    def __init__(self):
        COUNTS["made"] += 1

    def reset(self):
        COUNTS["resets"] += 1

    def step(self, action):
        COUNTS["steps"] += 1

    def action_spec(self):
        return None

    def observation_spec(self):
        return None


class Open(Arm):
    def close(self):
        COUNTS["closed"] += 1


def play(env, steps):
    env.reset()
    for _ in range(steps):
        env.step(0)


def work():
    COUNTS.update(dict.fromkeys(COUNTS, 0))
    play(Open(), 7)
    print(json.dumps(COUNTS), flush=True)


if __name__ == "__main__":
    play(Arm(), 2)
    env = Open()
    play(env, 3)
    env.close()
    with contextlib.suppress(TypeError):
        dm_env.Environment()
    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    worker.join()
    print(json.dumps(COUNTS))
