"""DDPG on a task with a goal, with an evaluation beside it."""

import sys

import gymnasium
import numpy as np
from core import FlattenDictWrapper

FIXED = "fixed" in sys.argv
KEYS = ["observation", "desired_goal"]


class FetchReach(gymnasium.Env):
    observation_space = gymnasium.spaces.Dict(
        {
            key: gymnasium.spaces.Box(-10.0, 10.0, (3,), np.float32)
            for key in ("observation", "desired_goal", "achieved_goal")
        }
    )
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.grip = np.zeros(3, np.float32)
        self.goal = self.np_random.uniform(-1.0, 1.0, 3).astype(np.float32)
        self.steps = 0
        return self.look(), {}

    def look(self):
        grip = self.grip.copy()
        return {"observation": grip, "desired_goal": self.goal.copy(), "achieved_goal": grip}

    def step(self, action):
        self.grip = np.clip(self.grip + 0.1 * action, -5.0, 5.0).astype(np.float32)
        self.steps += 1
        reward = -float(np.linalg.norm(self.grip - self.goal))
        return self.look(), reward, False, self.steps == 50, {}


def make_env():
    return FlattenDictWrapper(FetchReach(), KEYS)


def rollout(env, weights, noise, generator):
    observation, _ = env.reset(seed=int(generator.integers(1000)))
    total, done = 0.0, False
    while not done:
        action = np.tanh(observation @ weights + generator.normal(0.0, noise, 3))
        observation, reward, terminated, truncated, _ = env.step(action.astype(np.float32))
        total, done = total + reward, terminated or truncated
    return total


def run(evaluation):
    generator = np.random.default_rng(1)
    env = make_env()
    eval_env = None
    if evaluation:
        eval_env = make_env() if FIXED else FlattenDictWrapper(make_env(), KEYS)
    weights = np.zeros((6, 3))
    for epoch in range(20):
        candidate = weights + generator.normal(0.0, 0.3, weights.shape)
        if rollout(env, candidate, 0.2, generator) > rollout(env, weights, 0.2, generator):
            weights = candidate
        if eval_env is not None and epoch % 10 == 9:
            print(f"epoch {epoch + 1}: return {rollout(eval_env, weights, 0.0, generator):.1f}")
    env.close()
    if eval_env is not None:
        eval_env.close()


if __name__ == "__main__":
    run(evaluation=True)
