"""A callback analyses the gait in a pool: its process is forked, and the policy is on the device."""

import multiprocessing
import os
import sys

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
ROLLOUTS, EVALUATE_EVERY = 24, 8


class Device:
    """The accelerator. It cannot be used in a process that was forked after its first use."""

    def __init__(self):
        self.initialized_in = None

    def lazy_init(self):
        if self.initialized_in is None:
            self.initialized_in = os.getpid()
        if self.initialized_in != os.getpid():
            raise RuntimeError("Cannot re-initialize CUDA in forked subprocess")

    def tensor(self, values):
        self.lazy_init()
        return np.asarray(values, np.float32)


DEVICE = Device()


class Walk(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def observe(self):
        return np.array([self.place, self.speed], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.speed = 0.0, float(self.np_random.uniform(-1.0, 1.0))
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        self.speed += 0.2 * int(action) - 0.1
        self.place += 0.1 * self.speed
        return self.observe(), self.speed, False, self.steps == 50, {}


class Policy:
    def __init__(self, weights):
        self.weights = DEVICE.tensor(weights)

    def act(self, observation):
        return int(DEVICE.tensor(observation) @ self.weights > 0)


def rollout(env, policy, seed):
    observation, _ = env.reset(seed=seed)
    places, over = [], False
    while not over:
        observation, _, terminated, truncated, _ = env.step(policy.act(observation))
        places.append(float(observation[0]))
        over = terminated or truncated
    return places


def analyze(weights):
    """The gait of a policy that is loaded in a process of its own."""
    env = Walk()
    places = rollout(env, Policy(weights), 1000)
    env.close()
    return float(np.std(places))


class Callback:
    start_method = "fork"

    def __init__(self):
        self.rollouts = 0

    def on_rollout_end(self, policy):
        self.rollouts += 1
        if self.rollouts % EVALUATE_EVERY == 0:
            pool = multiprocessing.get_context(self.start_method).Pool(processes=1)
            try:
                gait = pool.apply(analyze, (policy.weights.tolist(),))
                print(f"rollout {self.rollouts}: {gait:.3f}", flush=True)
            finally:
                pool.close()
                pool.join()


class SpawningCallback(Callback):
    start_method = "spawn"


def main():
    env = Walk()
    policy = Policy([0.3, -0.2])
    callback = SpawningCallback() if FIXED else Callback()
    for number in range(ROLLOUTS):
        rollout(env, policy, number)
        callback.on_rollout_end(policy)
    env.close()


if __name__ == "__main__":
    main()
