"""Evaluates one policy in the environment of each job, one job after the other."""

import sys

import numpy as np
from builder import ArenaEnvBuilder

FIXED = "fixed" in sys.argv


def rollout(env, episodes):
    """The mean distance at the end of an episode."""
    ends = []
    for episode in range(episodes):
        obs, _ = env.reset(seed=episode)
        over = False
        while not over:
            obs, _, _, over, _ = env.step(-0.5 * obs[:1])
        ends.append(float(np.abs(obs).sum()))
    return sum(ends) / len(ends)


def run_job(number):
    builder = ArenaEnvBuilder(f"kitchen_{number}-v0", objects=4, fixed=FIXED)
    env = builder.make_registered()
    try:
        return rollout(env, episodes=20)
    finally:
        env.close()


if __name__ == "__main__":
    for number in range(30):
        print(f"job {number}: {run_job(number):.2f}", flush=True)
