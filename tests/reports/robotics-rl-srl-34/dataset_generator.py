"""Records a dataset: episodes of an agent that was trained in an environment of its own before."""

import sys

import numpy as np
from kuka import KukaButtonGymEnv

FIXED = "fixed" in sys.argv


def learn(env, timesteps):
    """Train an agent, and return its weights."""
    generator = np.random.default_rng(0)
    weights, best = np.zeros((3, 3)), -np.inf
    obs, _ = env.reset(seed=0)
    for step in range(timesteps):
        candidate = weights + generator.normal(0.0, 0.1, weights.shape)
        obs, _, _, over, _ = env.step(np.clip(candidate @ obs, -1, 1).astype(np.float32))
        if -np.abs(obs).sum() > best:
            best, weights = -np.abs(obs).sum(), candidate
        if over:
            obs, _ = env.reset()
    return weights


def env_thread(thread_num, env_kwargs, episodes):
    env = KukaButtonGymEnv(**env_kwargs)
    train_kwargs = {**env_kwargs, "record_data": False}
    if FIXED:
        train_kwargs["renders"] = False
    train_env = KukaButtonGymEnv(**train_kwargs)
    weights = learn(train_env, 500)
    for episode in range(episodes):
        obs, _ = env.reset(seed=thread_num * 1000 + episode)
        over = False
        while not over:
            action = np.clip(weights @ obs, -1, 1).astype(np.float32)
            obs, _, _, over, _ = env.step(action)
    print(f"{len(env.records)} records")
    train_env.close()
    env.close()


if __name__ == "__main__":
    env_thread(0, {"renders": True, "record_data": True}, episodes=10)
